"""Names of tables, for a shell that completes them."""

import sqlite3
from pathlib import Path

import click

from db.database import Database, Unusable
from db.exchange.columns import COLUMNS
from db.exchange.table import names


def table_names(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """The tables whose names begin so. What is wrong with the database is not for the line that is being typed."""
    return [name for name in _known() if name.startswith(begun)]


def _known() -> list[str]:
    database = Database()
    if not Path(database.path).exists():  # to complete a word makes no database
        return [*COLUMNS]
    try:
        with database.reading() as connection:
            return names(connection)
    except (Unusable, sqlite3.Error):
        return [*COLUMNS]
    finally:
        database.close()
