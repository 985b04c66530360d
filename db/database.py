"""The database file: opened, made on first use, shared by threads and processes.

Readers never wait (WAL), and can change nothing: their connections are opened for reading. Writers take the lock at
once (`BEGIN IMMEDIATE`) and wait for one another instead of failing. A transaction is as long as a `with` block.
"""

import os
import sqlite3
import time
from collections.abc import Sequence
from typing import Any

from db.connections import Connections, Transaction
from db.location import database_path, uri
from db.migrations import TooNew, is_current, migrate

BUSY_SECONDS = 30.0
"""How long one waits for another's lock. Ours are held for milliseconds; a backup may hold one for seconds."""
_RETRY_SECONDS = 0.01
_HASTE = 0.1
"""Seconds for who does not want to wait: what we write ourselves takes a thousandth of one."""
_REFUSED = "a tool whose hints say read_only cannot write; make them say read_only=False"
_File = tuple[int, int]
"""What tells that a file is another, whatever its name: its disk, and its number there."""


class Unusable(Exception):  # noqa: N818 - what the database is
    """The database cannot be used: why, and what to do."""


class Database:
    """One file and the connections to it."""

    def __init__(self, path: str | None = None) -> None:
        self.path = os.path.abspath(path) if path else database_path()
        self._begin()

    def rows(self, question: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """The answer to one question, which needs no transaction."""
        return self._readers.execute(question, values)[0]

    def write(self, statement: str, values: Sequence[Any] = (), *, wait: bool = True) -> int:
        """Do one thing, which needs no transaction; returns the number of the row that it has added.

        Who does not want to wait gets `SQLITE_BUSY` if another is writing, and goes on writing.
        """
        return (self._writers if wait else self._hasty).execute(statement, values)[1]

    def reading(self) -> Transaction:
        """One state of the data, however many questions are asked."""
        return Transaction(self._readers, "BEGIN")

    def writing(self) -> Transaction:
        """All of it is written, or none."""
        return Transaction(self._writers, "BEGIN IMMEDIATE")

    def close(self) -> None:
        """Close what is open; a connection that is still in use is closed when it is given back."""
        for connections in (self._readers, self._writers, self._hasty):
            connections.close()

    def _begin(self) -> None:
        self._readers = Connections(self._reader)
        self._writers = Connections(self._writer)
        self._hasty = Connections(self._hasty_writer)
        self._ready: _File | None = None
        self._to_read = "mode=ro"

    def look(self) -> None:
        """Begin anew if the file was taken away, or another one put there: connections stay with the one they know.

        Who goes on for long does so now and then.
        """
        if self._ready and self._ready != _file(self.path):
            self.close()
            self._begin()

    def _reader(self) -> sqlite3.Connection:
        if not self._ready:
            self._make_ready()
        try:
            return self._connected(self._to_read)
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def _writer(self) -> sqlite3.Connection:
        try:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            connection = self._connected("mode=rwc")
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from error
        try:
            self._set_up(connection)
        except (sqlite3.Error, TooNew) as error:
            connection.close()
            raise self._unusable(error) from error
        return connection

    def _hasty_writer(self) -> sqlite3.Connection:
        if not self._ready:
            self._make_ready()
        try:
            connection = self._connected("mode=rw", _HASTE)
        except sqlite3.Error as error:
            raise self._unusable(error) from error
        _choose(connection)
        return connection

    def _set_up(self, connection: sqlite3.Connection) -> None:
        _choose(connection)
        if not self._ready:
            _use_wal(connection)
            migrate(connection)
            self._ready = _file(self.path)

    def _make_ready(self) -> None:
        """Make the file, or bring it up to date. One that cannot be written is read, if it is up to date."""
        try:
            self._writers.give_back(self._writer())
        except Unusable:
            if not self._is_readable():
                raise
            self._ready = _file(self.path)

    def _is_readable(self) -> bool:
        try:
            return self._is_current()
        except sqlite3.Error as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_READONLY_DIRECTORY:
                return False
        # In WAL mode SQLite puts files beside it, and here may not. Nobody else has put them there: nobody writes now.
        # But somebody may later, and then what a connection remembers of the file is wrong: none is kept.
        self._to_read = "mode=ro&immutable=1"
        self._readers.kept = 0
        return self._is_current()

    def _is_current(self) -> bool:
        connection = self._connected(self._to_read)
        try:
            return is_current(connection)
        finally:
            connection.close()

    def _connected(self, how: str, patience: float = BUSY_SECONDS) -> sqlite3.Connection:
        # Each connection is used by one thread at a time, though not always the same.
        return sqlite3.connect(
            f"{uri(self.path)}?{how}", patience, isolation_level=None, check_same_thread=False, uri=True
        )

    def _unusable(self, error: Exception) -> Unusable:
        return Unusable(
            f"cannot use the database {self.path}: {error}; mend it, or set STRICTCALL_DB to another file"
            f"{_old_sqlite(error)}"
        )


class ReadOnly(Database):
    """The same data, for a tool that has said not to change it."""

    def __init__(self, database: Database) -> None:
        super().__init__(database.path)
        self._database = database

    def rows(self, question: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """The same as who may write it."""
        return self._database.rows(question, values)

    def write(self, statement: str, values: Sequence[Any] = (), *, wait: bool = True) -> int:  # noqa: ARG002
        """Refused."""
        raise PermissionError(_REFUSED)

    def reading(self) -> Transaction:
        """The same as who may write it."""
        return self._database.reading()

    def writing(self) -> Transaction:
        """Refused."""
        raise PermissionError(_REFUSED)


def _choose(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    # With WAL this keeps the file whole whatever happens; a power cut may cost the last calls of the record.
    connection.execute("PRAGMA synchronous = NORMAL")


def _file(path: str) -> _File | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


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
