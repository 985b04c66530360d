"""Connections that are kept for the next who needs one, whichever thread it is; and what is done with one.

with Transaction(connections, "BEGIN") as connection:
    connection.execute(…)
"""

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any, Final

KEPT: Final = 32
"""Idle connections that are kept; after a burst the others are closed."""


class Connections:
    """Those of one kind to one file."""

    def __init__(self, opened: Callable[[], sqlite3.Connection]) -> None:
        self.kept = KEPT
        self._opened = opened
        self._idle: list[sqlite3.Connection] = []

    def execute(self, statement: str, values: Sequence[Any]) -> tuple[list[sqlite3.Row], int]:
        """Do one thing on any of them; what it answers, and the number of the row that it has added."""
        connection = self.take()
        try:
            cursor = connection.execute(statement, values)
            return cursor.fetchall(), cursor.lastrowid or 0
        finally:
            self.give_back(connection)

    def take(self) -> sqlite3.Connection:
        """One that nobody else uses."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._opened()
        # Whoever had it before may have wanted its rows in another form.
        connection.row_factory, connection.text_factory = sqlite3.Row, str
        return connection

    def give_back(self, connection: sqlite3.Connection) -> None:
        """It is no longer used."""
        if len(self._idle) < self.kept:
            self._idle.append(connection)
        else:
            connection.close()

    def close(self) -> None:
        """Close what is open; one that is still in use is closed when it is given back."""
        self.kept = 0
        while self._idle:
            self._idle.pop().close()


class Transaction:
    """A connection for as long as a `with` block. What was done is kept, unless the block fails."""

    __slots__ = ("_begin", "_connection", "_connections")

    def __init__(self, connections: Connections, begin: str) -> None:
        self._connections = connections
        self._begin = begin

    def __enter__(self) -> sqlite3.Connection:
        self._connection = self._connections.take()
        try:
            self._connection.execute(self._begin)
        except BaseException:
            self._connections.give_back(self._connection)
            raise
        return self._connection

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._connection.commit()
        finally:
            self._connection.rollback()  # of what is not committed by now
            self._connections.give_back(self._connection)
