"""The index of the documents, made anew: when most of them change, that takes a fifth of the time of following each."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_MANY: Final = 1_000
"""Documents from which on it matters."""
_INDEXES: Final = ("documents_search", "documents_titles")


@contextmanager
def reindexed(connection: sqlite3.Connection, rows: int, *, replace: bool) -> Iterator[None]:
    """While so many documents are written, in place of those there are or not, index them in the cheaper way."""
    (before,) = connection.execute("SELECT count(*) FROM documents").fetchone()
    changes = rows + before if replace else rows
    if changes < max(_MANY, before):
        yield
        return
    triggers = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'documents'"
        " AND (instr(sql, ?) OR instr(sql, ?))",
        _INDEXES,
    ).fetchall()
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    yield
    for index in _INDEXES:
        connection.execute(f"INSERT INTO {index} ({index}) VALUES ('rebuild')")  # noqa: S608 - it is ours
    for _, sql in triggers:
        connection.execute(sql)
