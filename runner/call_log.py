"""The record of calls: a line for each, the newest at the end, in columns as wide as the calls need."""

import time
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final, NamedTuple

import click

from db.calls import Call, latest
from db.database import Database
from runner.columns import cut, padded, plain, width

_PAUSE: Final = 0.5
"""Seconds between two looks for new calls."""
_NAMES: Final = ("time", "tool", "caller", "outcome", "ms", "arguments")
_OUTCOME, _MS = 3, 4


class Table(NamedTuple):
    """How wide the columns are, all but the last."""

    widths: list[int]

    @classmethod
    def of(cls, calls: Iterable[Call]) -> "Table":
        """Columns that these calls fit into."""
        rows = [_NAMES, *map(_cells, calls)]
        return cls([max(map(width, column)) for column in list(zip(*rows, strict=True))[:-1]])

    def head(self) -> str:
        """The names of the columns."""
        return self._line(_NAMES)

    def line(self, call: Call, columns: int | None = None) -> str:
        """A call; the last cell ends where the terminal does."""
        *cells, arguments = _cells(call)
        if columns is not None:
            taken = sum(max(width(cell), wide) + 2 for cell, wide in zip(cells, self.widths, strict=True))
            arguments = cut(arguments, columns - taken)
        return self._line([*cells, arguments], colour="" if call.outcome == "ok" else "red")

    def _line(self, cells: Iterable[str], colour: str = "") -> str:
        *first, last = cells
        placed = [padded(cell, wide) for cell, wide in zip(first, self.widths, strict=True)]
        placed[_MS] = first[_MS].rjust(self.widths[_MS])
        if colour:
            placed[_OUTCOME] = click.style(placed[_OUTCOME], fg=colour)
        return "  ".join([*placed, last]).rstrip()


def coming(database: Database, tool: str | None, last: int) -> Iterator[Call]:
    """The calls after the one with this number, as they come, for ever."""
    while True:
        for call in _after(database, tool, last):
            yield call
            last = call.id
        time.sleep(_PAUSE)


def _after(database: Database, tool: str | None, last: int) -> list[Call]:
    """The calls after the one with this number, however many."""
    limit = 20
    while True:
        found = latest(database, limit, tool)
        if len(found) < limit or found[-1].id <= last:
            return [call for call in reversed(found) if call.id > last]
        limit *= 5


def _cells(call: Call) -> tuple[str, ...]:
    arguments = " ".join(call.arguments.split())
    cells = (_local(call.called_at), call.tool, call.caller, call.outcome, f"{call.milliseconds:.1f}", arguments)
    return tuple(map(plain, cells))


def _local(written: str) -> str:
    """A time of the record, in the zone of the reader."""
    try:
        return f"{datetime.fromisoformat(written).astimezone():%m-%d %H:%M:%S}"
    except ValueError:  # written by somebody else
        return written
