"""People's rows, written into a table: all of a file or none. Who is known by the key is updated, others are added."""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Final

from db.database import Database
from db.exchange.cells import Naming, plain, stored
from db.exchange.columns import COLUMNS
from db.exchange.misfit import REFUSALS, misfit
from db.exchange.readings import number
from db.exchange.reindex import reindexed
from db.exchange.sheet import BadData, Row, Sheet
from db.exchange.table import Table, create, find, names, quoted

Counts = dict[str, Counter[str]]
"""For each table, how many rows were `added`, `updated` and `removed`."""
_Key = tuple[Any, ...]
Watch = Callable[[list[Row]], AbstractContextManager[Iterable[Row]]]
"""Who wants to see how far it is."""
_MANY_WRONG: Final = 10
"""Rows that are named at once; who sees so many will look at the others, too."""


def load(
    database: Database,
    sheet: Sheet,
    table: str | None = None,
    *,
    rename: Mapping[str, str] | None = None,
    replace: bool = False,
    new: bool = False,
    watch: Watch = nullcontext,
    tell: Callable[[str], None] = lambda _: None,
) -> Counts:
    """Write the rows into the table, or each list of rows into the table that it is named for.

    A file with all of the three is what was exported: the other tables in it are made, too. Who gives `tell` hears what
    may not have been meant.
    """
    parts = _parts(sheet, table)
    renames = rename or {}
    _check(renames, parts, sheet.name)
    exported = COLUMNS.keys() <= parts.keys()
    counts: Counts = {}
    with database.writing() as connection:
        for name, rows in parts.items():
            if exported and not rows and name not in names(connection):
                continue  # it was empty, and nothing tells its columns
            if new or exported:
                create(connection, name, _records(rows, renames, typed=sheet.typed))
            target = find(connection, name)
            naming = Naming(target, renames)
            tally = _tally(counts, target.name)
            held = not replace and _holds_rows(connection, target)
            with (
                reindexed(connection, len(rows), replace=replace) if target.name == "documents" else nullcontext(),
                _emptied(connection, target.name, counts) if replace else nullcontext(),
                watch(rows) as watched,
            ):
                keys = _fill(connection, target, ((row, naming.columns(row)) for row in watched), tally)
            if held and tally["added"] and not keys:
                tell(f"{target.name}: no id column: rows were added, not updated; --replace empties the table first")
    return counts


def _parts(sheet: Sheet, table: str | None) -> dict[str, list[Row]]:
    """The rows by table, the employees before their vacations."""
    if "" in sheet.tables:
        if table is None:
            raise BadData(f"{sheet.name} does not say which table it is for; add one of {', '.join(COLUMNS)}")
        if not sheet.tables[""]:
            raise BadData(f"{sheet.name}: no rows; {'add one' if sheet.typed else 'is the first line the headings?'}")
        return {table: sheet.tables[""]}
    if table is None:
        return dict(sorted(sheet.tables.items(), key=lambda one: [*COLUMNS, one[0]].index(one[0])))
    if table not in sheet.tables:
        raise BadData(f"{sheet.name} has no rows for {table}; it has {', '.join(sheet.tables)}")
    return {table: sheet.tables[table]}


def _check(renames: Mapping[str, str], parts: dict[str, list[Row]], name: str) -> None:
    headings = {plain(heading): heading for rows in parts.values() for row in rows for heading in row.cells}
    for old, new in renames.items():
        if plain(old) not in headings:
            raise BadData(f"--rename {old}={new}: {name} has no such heading; it has {', '.join(headings.values())}")


def _fill(
    connection: sqlite3.Connection, table: Table, rows: Iterable[tuple[Row, dict[str, Any]]], tally: Counter[str]
) -> dict[_Key, str]:
    """Write the rows, and count; returns the keys that they have, with where each stands."""
    keys: dict[_Key, str] = {}
    wrong: list[str] = []
    for row, cells in rows:
        try:
            values = stored(table, cells, row.where)
            _check_key(table, values, row.where, keys)
            tally[_write(connection, table, values, row.where)] += 1
        except BadData as error:
            wrong.append(str(error))
            if len(wrong) == _MANY_WRONG:
                break
    if wrong:
        raise BadData("\n".join(wrong))
    return keys


def _check_key(table: Table, values: dict[str, Any], where: str, keys: dict[_Key, str]) -> None:
    key = tuple(values.get(name) for name in table.key)
    if not key or None in key:
        return
    if key in keys:
        same = " and ".join(f"{name} {values[name]}" for name in table.key)
        raise BadData(f"{where}: {same} is in {keys[key]}, too; remove one of them, nothing was imported")
    keys[key] = where


def _write(connection: sqlite3.Connection, table: Table, values: dict[str, Any], where: str) -> str:
    """Returns what was done with the row: `updated` or `added`."""
    if not values:
        raise BadData(f"{where}: there is nothing in this row; remove it")
    try:
        if _update(connection, table, values):
            return "updated"
        _insert(connection, table, values)
    except REFUSALS as error:
        raise misfit(connection, table, values, where, error) from None
    return "added"


def _update(connection: sqlite3.Connection, table: Table, values: dict[str, Any]) -> bool:
    if not table.key or any(values.get(name) is None for name in table.key):
        return False
    change = ", ".join(f"{quoted(name)} = ?" for name in values)
    same = " AND ".join(f"{quoted(name)} = ?" for name in table.key)
    sql = f"UPDATE {quoted(table.name)} SET {change} WHERE {same}"  # noqa: S608 - all are quoted
    return connection.execute(sql, (*values.values(), *(values[name] for name in table.key))).rowcount > 0


def _insert(connection: sqlite3.Connection, table: Table, values: dict[str, Any]) -> None:
    columns, marks = ", ".join(map(quoted, values)), ", ".join("?" * len(values))
    connection.execute(f"INSERT INTO {quoted(table.name)} ({columns}) VALUES ({marks})", (*values.values(),))  # noqa: S608 - all are quoted


@contextmanager
def _emptied(connection: sqlite3.Connection, table: str, counts: Counts) -> Iterator[None]:
    """Without the rows that it had. Vacations go with their employee, and come back if the employee does.

    Another name under a number is another person.
    """
    aside = table == "employees"
    if aside:
        connection.execute("CREATE TEMP TABLE aside AS SELECT * FROM vacations")
        connection.execute("CREATE TEMP TABLE before AS SELECT id, name FROM employees")
        gone = connection.execute("DELETE FROM vacations").rowcount
    _tally(counts, table)["removed"] += connection.execute(f"DELETE FROM {quoted(table)}").rowcount  # noqa: S608 - it is quoted
    yield
    if aside:
        gone -= connection.execute(
            "INSERT INTO vacations SELECT * FROM aside WHERE employee_id IN"
            " (SELECT id FROM (SELECT id, name FROM employees INTERSECT SELECT id, name FROM before))"
        ).rowcount
        if gone:
            _tally(counts, "vacations")["removed"] += gone
        connection.execute("DROP TABLE temp.aside")
        connection.execute("DROP TABLE temp.before")


def _holds_rows(connection: sqlite3.Connection, table: Table) -> bool:
    return connection.execute(f"SELECT 1 FROM {quoted(table.name)} LIMIT 1").fetchone() is not None  # noqa: S608 - it is quoted


def _tally(counts: Counts, table: str) -> Counter[str]:
    return counts.setdefault(table, Counter(added=0, updated=0, removed=0))


def _records(rows: list[Row], renames: Mapping[str, str], *, typed: bool) -> Iterator[dict[str, Any]]:
    """The rows as a new table would have them."""
    said = {plain(old): new for old, new in renames.items()}
    for row in rows:
        named = {said.get(plain(heading), heading): cell for heading, cell in row.cells.items()}
        named.pop("", None)  # what is to be left out
        yield named if typed else {name: number(cell.strip()) if cell.strip() else None for name, cell in named.items()}
