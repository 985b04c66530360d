"""The database's shape, step by step: one numbered file of SQL a step, run once each, all in one transaction.

`PRAGMA user_version` is the number of the last step that was run. A step that has been released is never changed.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator
from functools import cache

HERE = os.path.dirname(__file__)
SAMPLES = os.path.join(os.path.dirname(HERE), "samples.sql")


class TooNew(Exception):  # noqa: N818 - what the database is
    """The database was made by a later strictcall."""


def migrate(connection: sqlite3.Connection, *, samples: bool = True) -> None:
    """Bring the database up to date; into a new one go the samples. Safe when several processes do so at once."""
    steps = _steps()
    if _version(connection) == len(steps):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        _step(connection, steps, samples=samples)
    except BaseException:
        connection.rollback()
        raise
    connection.commit()


def is_current(connection: sqlite3.Connection) -> bool:
    """Is there nothing to bring up to date?"""
    return _version(connection) == len(_steps())


@cache
def _steps() -> list[str]:
    return sorted(os.path.join(HERE, name) for name in os.listdir(HERE) if name.endswith(".sql"))


def _step(connection: sqlite3.Connection, steps: list[str], *, samples: bool) -> None:
    done = _version(connection)  # asked again: another process may have done it while we waited for the lock
    if done > len(steps):
        raise TooNew(f"it has version {done}, and this strictcall knows {len(steps)} at most; upgrade strictcall")
    new = not connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    for path in [*steps[done:], *([SAMPLES] if new and samples else [])]:
        with open(path, encoding="utf-8") as script:
            for statement in statements(script):
                connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {len(steps)}")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def statements(script: Iterable[str]) -> Iterator[str]:
    """The statements in a script's lines. `executescript` would commit in between, and two processes could mix."""
    begun = ""
    for line in script:
        begun += line
        if sqlite3.complete_statement(begun):
            yield begun
            begun = ""
