"""The three tables for the people who fill them: what heads a column in their files, and what it must hold."""

from typing import Final, NamedTuple


class Column(NamedTuple):
    """A column: what is wanted in it, and the headings that mean it. The key tells one row from another."""

    wanted: str
    headings: tuple[str, ...] = ()
    key: bool = False


_NUMBER: Final = ("사번", "사원번호", "직원번호")

COLUMNS: Final = {
    # employees before vacations: these are of somebody
    "employees": {
        "id": Column("EMP and three or more digits, such as EMP001", (*_NUMBER, "employee_id"), key=True),
        "name": Column("a name", ("이름", "성명", "직원명", "사원명")),
        "department": Column("a department", ("부서", "부서명", "소속", "팀")),
        "hire_date": Column("a day, such as 2024-03-04, not over a year from now", ("입사일", "입사일자", "입사날짜")),
    },
    "vacations": {
        "employee_id": Column("the number of somebody who is in the table employees", _NUMBER, key=True),
        "year": Column("a year, such as 2025", ("연도", "년도", "해당연도"), key=True),
        "total": Column("days, from 0 to 366", ("총연차", "총일수", "총휴가", "발생연차", "부여일수")),
        "used": Column("days, from 0 to the total", ("사용", "사용연차", "사용일수", "사용일")),
    },
    "documents": {
        "id": Column("a whole number, or nothing", ("번호", "문서번호"), key=True),
        "title": Column("a title", ("제목", "문서명")),
        "content": Column("a text", ("내용", "본문")),
        "category": Column("a category", ("분류", "카테고리", "구분")),
    },
}
