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
    rows = database.rows(f"{_COLUMNS} WHERE id = ?", (employee_id,))
    return Employee(*rows[0]) if rows else None


def with_name(database: Database, name: str) -> list[Employee]:
    """The employees of this name."""
    return [Employee(*row) for row in database.rows(f"{_COLUMNS} WHERE name = ? ORDER BY id LIMIT 10", (name,))]


def everyone(database: Database) -> list[Employee]:
    """All employees, by number."""
    return [Employee(*row) for row in database.rows(f"{_COLUMNS} ORDER BY length(id), id")]
