"""The database file: opened, made on first use, shared by threads and processes.

Readers never wait (WAL). Writers take the lock at once (`BEGIN IMMEDIATE`) and wait for one another instead of failing.
A transaction is as long as a `with` block; connections are kept for the next one, whichever thread it comes from.
"""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager

from db.location import database_path
from db.migrations import TooNew, migrate

BUSY_SECONDS = 30.0
"""How long one waits for another's lock. Ours are held for milliseconds; a backup may hold one for seconds."""
_RETRY_SECONDS = 0.01


class Unusable(Exception):  # noqa: N818 - what the database is
    """The database cannot be used: why, and what to do."""


class Database:
    """One file and the connections to it."""

    def __init__(self, path: str | None = None) -> None:
        self.path = path or database_path()
        self._idle: list[sqlite3.Connection] = []
        self._ready = False
        self._closed = False

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One state of the data, however many questions are asked."""
        with self._connection() as connection:
            connection.execute("BEGIN")
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """All of it is written, or none."""
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.commit()

    def close(self) -> None:
        """Close what is open; a connection that is still in use is closed when it is given back."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        connection = self._take()
        try:
            yield connection
        finally:
            connection.rollback()  # of what is not committed by now
            self._give_back(connection)

    def _take(self) -> sqlite3.Connection:
        try:
            return self._idle.pop()
        except IndexError:
            return self._opened()

    def _give_back(self, connection: sqlite3.Connection) -> None:
        if self._closed:
            connection.close()
        else:
            self._idle.append(connection)

    def _opened(self) -> sqlite3.Connection:
        try:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            # Each connection is used by one thread at a time, though not always the same.
            connection = sqlite3.connect(self.path, BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from error
        try:
            self._set_up(connection)
        except (sqlite3.Error, TooNew) as error:
            connection.close()
            raise self._unusable(error) from error
        return connection

    def _set_up(self, connection: sqlite3.Connection) -> None:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        # With WAL this keeps the file whole whatever happens; a power cut may cost the last calls of the record.
        connection.execute("PRAGMA synchronous = NORMAL")
        if not self._ready:
            _use_wal(connection)
            migrate(connection)
            self._ready = True

    def _unusable(self, error: Exception) -> Unusable:
        return Unusable(
            f"cannot use the database {self.path}: {error}; mend it, or set STRICTCALL_DB to another file"
            f"{_old_sqlite(error)}"
        )


def _use_wal(connection: sqlite3.Connection) -> None:
    """Ask until we get it: for this one lock, two that both hold a part of it, SQLite does not wait by itself."""
    give_up = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
            time.sleep(_RETRY_SECONDS)
        else:
            return


def _old_sqlite(error: Exception) -> str:
    if "fts5" in str(error) or "tokenizer" in str(error):
        return f" (SQLite 3.34 or newer with FTS5 is needed; this Python has {sqlite3.sqlite_version})"
    return ""
