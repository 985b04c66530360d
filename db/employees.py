"""Employees, by number or by name."""

from typing import NamedTuple

from db.database import Database


class Employee(NamedTuple):
    """One employee; the date as YYYY-MM-DD."""

    id: str
    name: str
    department: str
    hire_date: str


# A table of the user's own may hold anything; we promise text.
_COLUMNS = (
    "SELECT CAST(coalesce(id, '') AS TEXT), CAST(coalesce(name, '') AS TEXT),"
    " CAST(coalesce(department, '') AS TEXT), CAST(coalesce(hire_date, '') AS TEXT) FROM employees"
)


def with_id(database: Database, employee_id: str) -> Employee | None:
    """The employee with this number."""
    with database.reading() as connection:
        row = connection.execute(f"{_COLUMNS} WHERE id = ?", (employee_id,)).fetchone()
    return Employee(*row) if row else None


def with_name(database: Database, name: str) -> list[Employee]:
    """The employees of this name."""
    with database.reading() as connection:
        rows = connection.execute(f"{_COLUMNS} WHERE name = ? ORDER BY id LIMIT 10", (name,)).fetchall()
    return [Employee(*row) for row in rows]


def everyone(database: Database) -> list[Employee]:
    """All employees, by number."""
    with database.reading() as connection:
        rows = connection.execute(f"{_COLUMNS} ORDER BY length(id), id").fetchall()
    return [Employee(*row) for row in rows]
