"""Days of vacation."""

from typing import Annotated, TypedDict

from db import vacations
from db.database import Database
from db.result import ToolFailed
from db.schema import Field
from db.tool import LOOKS_UP, Tool
from mcp_server.tools.employees import EmployeeId, known


class VacationDays(TypedDict):
    """Days of one employee in one year; halves are possible."""

    employee_id: str
    name: str
    year: int
    total: float
    used: float
    remaining: float


def calculate_vacation_days(
    employee_id: EmployeeId,
    year: Annotated[int, Field("The calendar year, four digits.", minimum=1900, maximum=2999, example=2025)],
    database: Database,
) -> VacationDays:
    """Calculate how many days of vacation an employee has left in a year.

    Returns the total days of that year, the days already used, and the days remaining (total minus used).
    """
    employee = known(database, employee_id)
    vacation = vacations.of_year(database, employee.id, year)
    if vacation is None:
        years = ", ".join(map(str, vacations.years(database, employee.id))) or "no year at all"
        raise ToolFailed(
            f"nothing is known of {employee.name} ({employee.id}) in {year}; there are vacation days for: {years}"
        )
    return {
        "employee_id": employee.id,
        "name": employee.name,
        "year": year,
        "total": vacation.total,
        "used": vacation.used,
        "remaining": vacation.total - vacation.used,
    }


TOOLS = (Tool.of(calculate_vacation_days, LOOKS_UP),)
