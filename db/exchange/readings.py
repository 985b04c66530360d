"""Numbers, days and years as people write them, read as they are stored.

What cannot be read is left as it is, and the database says so; `ValueError` is for what it would take, though nobody
can mean it.
"""

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from math import isfinite
from typing import Any, Final

_DAY: Final = re.compile(
    r"(?:(\d{4})(\d\d)(\d\d)|(\d{4})\s*[-./년]\s*(\d{1,2})\s*[-./월]\s*(\d{1,2})\s*[.일]?"
    # A year of two digits is of this century. Not with strokes: there others begin with the month.
    r"|(\d\d)\s*[-.년]\s*(\d{1,2})\s*[-.월]\s*(\d{1,2})\s*[.일]?)(?:[T ]00:00(?::00(?:\.0*)?)?)?",
    re.ASCII,
)
_ISO: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_SERIAL: Final = re.compile(r"(\d{5})(?:\.0+)?", re.ASCII)
_DAY_ZERO: Final = date(1899, 12, 30)
"""From when Excel counts the days; it saves the number where a cell is not shown as a date."""
_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?", re.ASCII)
"""What begins with 0 is no number but a name for something, such as a telephone."""
_MAX_DIGITS: Final = 18
"""Digits of an integer that SQLite surely can store."""
_MAX_DAYS: Final = 366


def number(text: str) -> int | float | str:
    """The number that is written there, or the text."""
    match = _NUMBER.fullmatch(text)
    if not match:
        return text
    if any(match.groups()):
        return float(text) if isfinite(float(text)) else text
    return int(text) if len(text) <= _MAX_DIGITS else text


def day(cell: Any) -> Any:
    """A day as YYYY-MM-DD, if it is one."""
    text = str(cell).strip()
    if serial := _SERIAL.fullmatch(text):
        return (_DAY_ZERO + timedelta(days=int(serial[1]))).isoformat()
    match = _DAY.fullmatch(text)
    if not match:
        return cell
    year, *rest = (int(part) for part in match.groups() if part)
    try:
        return date(2000 + year if match[7] else year, *rest).isoformat()
    except ValueError:
        return cell


def numeric(cell: Any) -> Any:
    """A cell of a column for numbers. SQLite takes 1e400 for infinity, which no JSON can hold."""
    value = number(cell.strip()) if isinstance(cell, str) else cell
    try:
        endless = not isfinite(float(value))
    except (TypeError, ValueError, OverflowError):
        return value
    if endless:
        raise ValueError(cell)
    return value


def textual(cell: Any) -> Any:
    """A cell of a column for texts."""
    return numeric(cell) if isinstance(cell, float) else cell


def _hire_date(cell: Any) -> Any:
    found = day(cell)
    latest = datetime.now().astimezone().date() + timedelta(days=_MAX_DAYS)
    if _ISO.fullmatch(str(found)) and found > latest.isoformat():
        raise ValueError(cell)
    return found


def _year(cell: Any) -> Any:
    return numeric(re.sub(r"\s*년도?\s*$", "", cell) if isinstance(cell, str) else cell)


def _days(cell: Any) -> Any:
    found = numeric(re.sub(r"\s*일\s*$", "", cell) if isinstance(cell, str) else cell)
    if isinstance(found, int | float) and found > _MAX_DAYS:
        raise ValueError(cell)
    return found


READINGS: Final[dict[tuple[str, str], Callable[[Any], Any]]] = {
    ("employees", "hire_date"): _hire_date,
    ("vacations", "year"): _year,
    ("vacations", "total"): _days,
    ("vacations", "used"): _days,
}
"""How the columns of the three tables are read that are more than a number or a text."""
