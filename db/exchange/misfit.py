"""Why a row is refused, in the words of who wrote it: where, which cell, what is wanted, what was found."""

import re
import sqlite3
from typing import Any

from db.exchange.columns import COLUMNS
from db.exchange.sheet import BadData
from db.exchange.table import Table

REFUSALS = (sqlite3.IntegrityError, OverflowError, UnicodeEncodeError)
"""A constraint, an integer of more than 64 bits, half a character."""


def misfit(
    connection: sqlite3.Connection, table: Table, values: dict[str, Any], where: str, error: Exception
) -> BadData:
    """What to say of a row with these values."""
    column = _of_constraint(connection, table, str(error)) or _unstorable(connection, values)
    if column is None:
        return BadData(f"{where}: {error}; mend the file, nothing was imported")
    found = f"{values[column]!r:.80}" if column in values else "nothing"
    return BadData(
        f"{where}, {column}: wanted {_wanted(table, column, f'what the table allows ({error})')}, found {found};"
        " mend the file, nothing was imported"
    )


def unfit(table: Table, column: str, cell: Any, where: str) -> BadData:
    """What to say of a cell that the database would take, but nobody can mean."""
    return BadData(
        f"{where}, {column}: wanted {_wanted(table, column, 'a number that has an end')}, found {cell!r:.80};"
        " mend the file, nothing was imported"
    )


def _wanted(table: Table, column: str, otherwise: str) -> str:
    known = COLUMNS.get(table.name, {}).get(column)
    return known.wanted if known else otherwise


def _of_constraint(connection: sqlite3.Connection, table: Table, message: str) -> str | None:
    """The column that a constraint of SQLite's speaks of: for a check, the first that stands in it."""
    if message.startswith("FOREIGN KEY"):
        row = connection.execute('SELECT "from" FROM pragma_foreign_key_list(?)', (table.name,)).fetchone()
        return row["from"] if row else None
    if message == "datatype mismatch":
        return table.key[0] if table.key else None
    kind, _, text = message.partition(" constraint failed: ")
    text = text if kind == "CHECK" else text.replace(f"{table.name}.", "")
    places = {column: re.search(rf"\b{re.escape(column)}\b", text) for column in table.columns}
    return (
        min((place.start(), column) for column, place in places.items() if place)[1] if any(places.values()) else None
    )


def _unstorable(connection: sqlite3.Connection, values: dict[str, Any]) -> str | None:
    for column, value in values.items():
        try:
            connection.execute("SELECT ?", (value,))
        except (OverflowError, UnicodeEncodeError):
            return column
    return None
