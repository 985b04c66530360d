"""The database, made because somebody asks for it; else it is made on first use (db/database.py)."""

import os
import sqlite3
from contextlib import closing

from db.database import BUSY_SECONDS, Database, Unusable
from db.location import make_folder
from db.migrations import migrate


def make(database: Database, *, samples: bool) -> bool:
    """Make the file, with the samples or without; returns whether it was made, or was there already."""
    there = os.path.isfile(database.path) and os.path.getsize(database.path) > 0
    if not there and not samples:
        _make_empty(database.path)
    with database.reading():
        return not there


def _make_empty(path: str) -> None:
    try:
        make_folder(path)
        with closing(sqlite3.connect(path, BUSY_SECONDS, isolation_level=None)) as connection:
            migrate(connection, samples=False)
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise Unusable(f"cannot make the database {path}: {reason}; set STRICTCALL_DB to another file") from error
