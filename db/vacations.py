"""The days of vacation of an employee in a year."""

from typing import NamedTuple

from db.database import Database


class Vacation(NamedTuple):
    """Days that one has in a year, and days that were taken; halves are possible."""

    total: float
    used: float


def of_year(database: Database, employee_id: str, year: int) -> Vacation | None:
    """What is known of this year."""
    rows = database.rows(
        # "+ 0" makes a number of whatever a table of the user's own may hold.
        "SELECT coalesce(total, 0) + 0, coalesce(used, 0) + 0 FROM vacations WHERE employee_id = ? AND year = ?",
        (employee_id, year),
    )
    return Vacation(*rows[0]) if rows else None


def years(database: Database, employee_id: str) -> list[int]:
    """The years of which something is known."""
    rows = database.rows("SELECT year FROM vacations WHERE employee_id = ? ORDER BY year", (employee_id,))
    return [row["year"] for row in rows]
