"""A table that people may fill: one of the three, or one that they made. What else is in the database is internal."""

import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from difflib import get_close_matches
from functools import cache
from typing import Any, Final, NamedTuple

from db.exchange.columns import COLUMNS
from db.exchange.sheet import BadData
from db.migrations import migrate

_PLAIN_TABLES: Final = """
    SELECT name FROM sqlite_master AS one WHERE type = 'table' AND NOT EXISTS (
        SELECT 1 FROM sqlite_master AS virtual WHERE virtual.type = 'table' AND virtual.rootpage = 0
        AND virtual.name || '_' = substr(one.name || '_', 1, length(virtual.name) + 1)
    ) ORDER BY name
"""
"""Not those of an index that people made, nor those in which SQLite keeps it: writing these would spoil it."""


class Table(NamedTuple):
    """A table as it is in the database: columns by name with their declared types, and those that are its key."""

    name: str
    columns: dict[str, str]
    key: tuple[str, ...]

    def is_number(self, column: str) -> bool:
        """Whether SQLite makes a number of what is written into the column, if it can."""
        declared = self.columns[column].upper()
        return "INT" in declared or bool(declared and not re.search("CHAR|CLOB|TEXT|BLOB", declared))


def find(connection: sqlite3.Connection, name: str) -> Table:
    """The table of this name, in whatever case; `BadData` if people have none."""
    known = {one.lower(): one for one in names(connection)}
    if name.lower() not in known:
        raise BadData(_unknown(name, [*known.values()]))
    table = known[name.lower()]
    columns = connection.execute("SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid", (table,)).fetchall()
    # A database from elsewhere may lack our keys, but it means the same.
    ours = tuple(name for name, column in COLUMNS.get(table, {}).items() if column.key)
    theirs = tuple(row["name"] for row in columns if row["pk"])
    return Table(table, {row["name"]: row["type"] for row in columns}, ours or theirs)


def create(connection: sqlite3.Connection, name: str, records: Iterable[dict[str, Any]]) -> None:
    """Make a table for the records, if there is none, with the types that they have; `id` is its key."""
    if is_internal(name) or name.lower() in map(str.lower, names(connection)):
        return
    from sqlite_utils import Database as Maker  # noqa: PLC0415 - slow to load, and only needed here
    from sqlite_utils.utils import suggest_column_types  # noqa: PLC0415 - likewise

    types = suggest_column_types(records)
    if not types:
        raise BadData(f"there are no rows to make the table {name} of; add one with a cell for each column")
    maker = Maker(memory=True, execute_plugins=False)
    try:
        connection.execute(maker.create_table_sql(name, types, pk="id" if "id" in types else None))
    except sqlite3.OperationalError as error:
        raise BadData(f"cannot make the table {name}: {error}; choose other names") from None
    finally:
        maker.close()


def drop(connection: sqlite3.Connection, name: str) -> str:
    """Take away a table that people made; returns its name."""
    table = find(connection, name).name
    if table in COLUMNS:
        raise BadData(f"the tools need the table {table}; to be rid of its rows, import others with --replace")
    connection.execute(f"DROP TABLE {quoted(table)}")
    return table


def names(connection: sqlite3.Connection) -> list[str]:
    """The tables that people may fill, the three first."""
    rows = connection.execute(_PLAIN_TABLES).fetchall()
    made = [row["name"] for row in rows if row["name"].lower() not in COLUMNS and not is_internal(row["name"])]
    return [*COLUMNS, *made]


def is_internal(name: str) -> bool:
    """Whether a table is for strictcall or SQLite alone."""
    return name.lower() in _internal() or name.lower().startswith("sqlite_")


def quoted(name: str) -> str:
    """The name of a table or column as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


@cache
def _internal() -> set[str]:
    """The tables that a new database has besides the three."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection, samples=False)
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return {name.lower() for (name,) in rows} - {*COLUMNS}


def _unknown(name: str, known: list[str]) -> str:
    if is_internal(name):
        return f"the table {name} is strictcall's own; there are: {', '.join(known)}"
    near = get_close_matches(name.lower(), known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}; to make it, import with --create"
    return f"there is no table {name!r}; {hint}"
