"""Calls on their way into the record. Nobody waits for an answer because somebody else is writing.

Usually a call is written before it is answered. While another program holds the lock (an editor with a change that is
not saved, a long import) it is put aside, and a thread writes what has gathered there when it can.
"""

import sqlite3
import threading
from collections import deque
from typing import Final

from db import workers
from db.calls import MAX_CALLS, Call, cut, record
from db.database import Database

_GRACE: Final = 2.0
"""Seconds for what is put aside, at the end."""


class Recorder:
    """Writes calls down, now or soon."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._aside: deque[Call] = deque(maxlen=MAX_CALLS)
        self._changed = threading.Condition()
        self._writing = False

    def record(self, call: Call) -> None:
        """Write a call down, or put it aside."""
        try:
            if not self._writing:
                record(self._database, call, wait=False)
                return
        except sqlite3.OperationalError as error:
            kind = error.sqlite_errorcode & 0xFF  # the rest says more of it
            if kind == sqlite3.SQLITE_READONLY:
                return  # who may only read has no record, and knows it
            if kind != sqlite3.SQLITE_BUSY:
                raise
        self._put_aside(call)

    def flush(self) -> None:
        """Wait for what was put aside, but not for ever."""
        with self._changed:
            if not self._changed.wait_for(lambda: not self._writing, _GRACE):
                _lost(len(self._aside) + 1, "the database is locked")

    def _put_aside(self, call: Call) -> None:
        with self._changed:
            self._aside.append(call._replace(arguments=cut(call.arguments), answer=cut(call.answer)))
            begins, self._writing = not self._writing, True
        if begins:
            workers.run(self._write)

    def _write(self) -> None:
        while True:
            with self._changed:
                if not self._aside:
                    self._writing = False
                    self._changed.notify_all()
                    return
                call = self._aside.popleft()
            try:
                record(self._database, call)
            except Exception as error:  # noqa: BLE001 - nobody is there to hear it
                _lost(1, error)


def _lost(number: int, why: object) -> None:
    import logging  # noqa: PLC0415 - slow to import, and rarely needed

    logging.getLogger(__name__).warning("%d calls were not recorded: %s", number, why)
