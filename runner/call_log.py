"""The record of calls: a line for each, the newest at the end, in columns as wide as the calls need."""

import json
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
_NAMES: Final = ("time", "caller", "ms", "call")
_LEAST: Final = (8, 10, 6)
"""Columns for calls that are still to come."""
_MS: Final = 2


class Table(NamedTuple):
    """How wide the columns are, all but the last."""

    widths: list[int]

    @classmethod
    def of(cls, calls: Iterable[Call]) -> "Table":
        """Columns that these calls fit into, and most that come later."""
        rows = [_NAMES, *map(_cells, calls)]
        columns = list(zip(*rows, strict=True))[:-1]
        return cls([max(least, *map(width, column)) for least, column in zip(_LEAST, columns, strict=True)])

    def head(self) -> str:
        """The names of the columns."""
        return self._line(_NAMES)

    def line(self, call: Call, columns: int | None = None) -> str:
        """A call, and under it why it failed, if it did; both end where the terminal does."""
        shown = self._line(_cells(call))
        if columns is not None:
            shown = cut(shown, columns)
        if call.outcome == "ok":
            return shown
        why = f"  {call.outcome}: {plain(_reason(call.answer))}"
        return f"{shown}\n{click.style(why if columns is None else cut(why, columns), fg='red')}"

    def _line(self, cells: Iterable[str]) -> str:
        *first, last = cells
        placed = [padded(cut(cell, wide), wide) for cell, wide in zip(first, self.widths, strict=True)]
        placed[_MS] = first[_MS].rjust(self.widths[_MS])
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
    said = " ".join(f"{call.tool} {call.arguments}".split())
    return tuple(map(plain, (_local(call.called_at), call.caller, f"{call.milliseconds:.1f}", said)))


def _reason(answer: str) -> str:
    """What the caller was told; a long answer was cut, and is no JSON any more."""
    try:
        told = json.loads(answer)
    except ValueError:
        told = answer
    return " ".join(str(told.get("error", answer) if isinstance(told, dict) else answer).split())


def _local(written: str) -> str:
    """A time of the record, in the zone of the reader; the day, if it is not today."""
    try:
        then = datetime.fromisoformat(written).astimezone()
    except ValueError:  # written by somebody else
        return written
    today = then.date() == datetime.now(then.tzinfo).date()
    return f"{then:%H:%M:%S}" if today else f"{then:%m-%d %H:%M:%S}"
