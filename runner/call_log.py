"""The record of calls, a line for each, the newest at the end."""

import time
from collections.abc import Iterator
from datetime import datetime
from typing import Final

import click

from db.calls import Call, latest
from db.database import Database
from runner.columns import cut, padded, plain, width

_PAUSE: Final = 0.5
"""Seconds between two looks for new calls."""
_COLUMNS: Final = {"time": 19, "tool": 24, "caller": 10, "outcome": 13, "ms": 8}
HEAD: Final = "  ".join([f"{name:<{columns}}" for name, columns in _COLUMNS.items()] + ["arguments"])


def calls(database: Database, tool: str | None, count: int, *, follow: bool) -> Iterator[Call]:
    """The last `count` calls, of one tool or of all; then, if they are to be followed, those that come, for ever."""
    known = latest(database, max(count, 1), tool)
    yield from reversed(known[:count])
    last = known[0].id if known else 0
    while follow:
        for call in _after(database, tool, last):
            yield call
            last = call.id
        time.sleep(_PAUSE)


def line(call: Call, columns: int | None) -> str:
    """A call in one line, of so many columns."""
    outcome = padded(call.outcome, _COLUMNS["outcome"])
    cells = [
        _local(call.called_at),
        padded(plain(call.tool), _COLUMNS["tool"]),
        padded(plain(call.caller), _COLUMNS["caller"]),
        outcome if call.outcome == "ok" else click.style(outcome, fg="red"),
        f"{call.milliseconds:>{_COLUMNS['ms']}.1f}",
    ]
    arguments = plain(" ".join(call.arguments.split()))
    if columns is not None:
        arguments = cut(arguments, columns - sum(width(click.unstyle(cell)) + 2 for cell in cells))
    return "  ".join([*cells, arguments]).rstrip()


def _after(database: Database, tool: str | None, last: int) -> list[Call]:
    """The calls since the one with this number, however many."""
    limit = 20
    while True:
        found = latest(database, limit, tool)
        if len(found) < limit or found[-1].id <= last:
            return [call for call in reversed(found) if call.id > last]
        limit *= 5


def _local(written: str) -> str:
    """A time of the record, in the zone of the reader."""
    try:
        return f"{datetime.fromisoformat(written).astimezone():%Y-%m-%d %H:%M:%S}"
    except ValueError:  # written by somebody else
        return padded(plain(written), _COLUMNS["time"])
