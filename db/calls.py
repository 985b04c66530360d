"""The record of calls: who called what, when, with which arguments, what came of it, how long it took.

It cannot outgrow the disk: texts are cut, and old calls make room for new ones.
"""

from typing import Final, NamedTuple

from db.database import Database

MAX_TEXT: Final = 4_000
"""Characters kept of a call's arguments, and of its answer."""
MAX_CALLS: Final = 10_000
"""Calls kept, and at most `_AT_ONCE` more."""
_AT_ONCE: Final = 100
"""Calls forgotten at a time: to forget one costs half as much as to record one."""
_INSERT: Final = (
    "INSERT INTO tool_calls (tool, caller, arguments, outcome, answer, milliseconds) VALUES (?, ?, ?, ?, ?, ?)"
)
_SELECT: Final = "SELECT tool, caller, arguments, outcome, answer, milliseconds, called_at, id FROM tool_calls"


class Call(NamedTuple):
    """One call. `outcome` is `ok`, or the kind of failure; `answer` is what the caller was told, cut.

    The record itself says when it was (UTC, as 2025-01-31T09:00:00.000Z), and gives it a number.
    """

    tool: str
    caller: str
    arguments: str
    outcome: str
    answer: str
    milliseconds: float
    called_at: str = ""
    id: int = 0


def record(database: Database, call: Call, *, wait: bool = True) -> None:
    """Write a call down; who does not wait may get `SQLITE_BUSY`."""
    number = database.write(_INSERT, (*map(cut, call[:5]), round(call.milliseconds, 3)), wait=wait)
    if number % _AT_ONCE == 0:
        database.write("DELETE FROM tool_calls WHERE id <= ?", (number - MAX_CALLS,))


def latest(database: Database, limit: int = 20, tool: str | None = None) -> list[Call]:
    """The last calls, of one tool or of all, the newest first."""
    rows = database.rows(f"{_SELECT} WHERE ?1 IS NULL OR tool = ?1 ORDER BY id DESC LIMIT ?2", (tool, limit))
    return [Call(*row) for row in rows]


def prune(database: Database, keep: int = 0) -> int:
    """Forget all but the `keep` latest calls; returns how many were forgotten."""
    with database.writing() as connection:
        return connection.execute(
            "DELETE FROM tool_calls WHERE id NOT IN (SELECT id FROM tool_calls ORDER BY id DESC LIMIT ?)", (keep,)
        ).rowcount


def cut(text: str) -> str:
    """As much of the text as is kept, in characters that SQLite can store."""
    kept = text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"
    return kept.encode("utf-8", "backslashreplace").decode()
