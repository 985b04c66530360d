"""What is in the tables, for people to take elsewhere. db/exchange/incoming.py takes it back."""

import json
import sqlite3
from collections.abc import Iterator
from itertools import chain
from math import isfinite
from typing import Any

from db.exchange.sheet import as_csv, as_json
from db.exchange.table import Table, find, names, quoted


def dump(connection: sqlite3.Connection, name: str | None, form: str) -> Iterator[str]:
    """The text of a file with the table, or of a JSON file with all tables that are people's."""
    if name is None:
        return chain(_all(connection), "\n")
    table = find(connection, name)
    rows = _rows(connection, table)
    return as_csv(table.columns, rows) if form == "csv" else chain(as_json(rows), "\n")


def count(connection: sqlite3.Connection) -> dict[str, int]:
    """How many rows each table has."""
    counted = {name: connection.execute(f"SELECT count(*) FROM {quoted(name)}") for name in names(connection)}  # noqa: S608 - it is quoted
    return {name: cursor.fetchone()[0] for name, cursor in counted.items()}


def _all(connection: sqlite3.Connection) -> Iterator[str]:
    before = "{"
    for name in names(connection):
        yield f"{before}\n{json.dumps(name, ensure_ascii=False)}: "
        yield from as_json(_rows(connection, find(connection, name)))
        before = ","
    yield "\n}"


def _rows(connection: sqlite3.Connection, table: Table) -> Iterator[dict[str, Any]]:
    columns = ", ".join(map(quoted, table.columns))
    order = ", ".join(map(quoted, table.key)) or "rowid"
    for row in connection.execute(f"SELECT {columns} FROM {quoted(table.name)} ORDER BY {order}"):  # noqa: S608 - all are quoted
        yield {name: _plain(value) for name, value in dict(row).items()}


def _plain(value: Any) -> Any:
    """What JSON has no way to write, as text: bytes, and numbers without an end."""
    if isinstance(value, bytes):
        return value.hex()
    return str(value) if isinstance(value, float) and not isfinite(value) else value
