"""Who works here."""

from datetime import date, datetime
from typing import Annotated, TypedDict

from db import employees
from db.database import Database
from db.employees import Employee
from db.result import ToolFailed
from db.schema import Field
from db.tool import LOOKS_UP, Tool

EmployeeId = Annotated[
    str, Field("Employee number: EMP and three digits, not the name of the employee.", max_length=100, example="EMP001")
]


class Listed(TypedDict):
    """An employee in a list."""

    id: str
    name: str


class EmployeeInfo(TypedDict):
    """All that is known of an employee; the date as YYYY-MM-DD."""

    id: str
    name: str
    department: str
    hire_date: str
    days_of_service: int


def get_employee_info(employee_id: EmployeeId, database: Database) -> EmployeeInfo:
    """Look up one employee by employee number.

    Returns name, department, hire date and days of service (days since the hire date, up to today).
    If you know only the name, call get_all_employees first to find the number.
    """
    employee = known(database, employee_id)
    try:
        days = days_of_service(employee.hire_date, datetime.now().astimezone().date())
    except ValueError:
        raise ToolFailed(
            f"the hire date of {employee.id} is {employee.hire_date!r}, not YYYY-MM-DD; correct it in {database.path}"
        ) from None
    return {
        "id": employee.id,
        "name": employee.name,
        "department": employee.department,
        "hire_date": employee.hire_date,
        "days_of_service": days,
    }


def get_all_employees(database: Database) -> list[Listed]:
    """List all employees: the employee number (id) and the name of each. Takes no arguments."""
    return [{"id": employee.id, "name": employee.name} for employee in employees.everyone(database)]


def days_of_service(hire_date: str, today: date) -> int:
    """Days since the hire date; none before it."""
    return max(0, (today - date.fromisoformat(hire_date)).days)


def known(database: Database, employee_id: str) -> Employee:
    """The employee with this number, or a failure that names the numbers there are."""
    written = employee_id.strip()
    employee = employees.with_id(database, written.upper())
    if employee:
        return employee
    same_name = [f"{one.id} ({one.name})" for one in employees.with_name(database, written)]
    if same_name:
        raise ToolFailed(f"employee_id must be an employee number, not a name; use {' or '.join(same_name)}")
    everyone = employees.everyone(database)
    if not everyone:
        raise ToolFailed(f"there is no employee {written!r}, nor any other; add employees to {database.path}")
    raise ToolFailed(
        f"there is no employee {written!r}; there are {len(everyone)}, from {everyone[0].id} to {everyone[-1].id}; "
        "call get_all_employees for all numbers and names"
    )


TOOLS = (Tool.of(get_employee_info, LOOKS_UP), Tool.of(get_all_employees, LOOKS_UP))
