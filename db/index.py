"""The index of the documents: who holds a term, and how well.

It knows every run of three characters (db/migrations/002_search.sql):
1. A term of three or more characters is one phrase; it is quoted, so nothing in it is an operator.
2. One or two characters are a range of runs: "연차" is all runs from "연차" to before "연찪".
3. A term that more than `MAX_HITS` documents hold tells nothing apart. Looking ends there: those with it in the title
   (they have an index of their own), and some of the others, are all that is said.

So a lookup costs what it brings, and a common term no more than a rare one, however many documents there are. Only a
rare phrase that is made of common runs costs more: what its rarest run would bring.
"""

import sqlite3
from typing import Final, NamedTuple

MAX_HITS: Final = 1000
"""Documents that one term may bring."""
_MAX_RUNS: Final = 100_000
"""Places of a short term that are looked at: a shelf of books has one character in millions."""
_TITLE_WEIGHT: Final = 10.0
_COMMON_TITLE: Final = 0.1
"""What a common term in the title counts: less than a rare one anywhere."""


class Holders(NamedTuple):
    """Documents that hold a term, each with how well; `complete` says that there are no others."""

    scores: dict[int, float]
    complete: bool


def holders(connection: sqlite3.Connection, term: str) -> Holders:
    """The documents that hold the term."""
    if len(term) < 3:
        scores, complete = _with_run(connection, "documents_runs", term)
        if complete:
            return Holders(scores, complete)
        some, titled = [*scores], [*_with_run(connection, "documents_title_runs", term).scores]
    else:
        phrase = '"' + term.replace('"', '""') + '"'
        some = _with_phrase(connection, "documents_search", phrase)
        if len(some) <= MAX_HITS:
            return Holders(_ranked(connection, phrase), complete=True)
        titled = _with_phrase(connection, "documents_titles", phrase)
    return Holders(dict.fromkeys(some, 0.0) | dict.fromkeys(titled, _COMMON_TITLE), complete=False)


def _with_run(connection: sqlite3.Connection, table: str, term: str) -> Holders:
    sql = f"SELECT doc, col FROM {table} WHERE term >= ? AND term < ?"  # noqa: S608 - the table is ours
    rows = connection.execute(sql, (term.lower(), term.lower() + chr(0x10FFFF)))
    scores: dict[int, float] = {}
    for seen, (document, column) in enumerate(rows, 1):
        scores[document] = scores.get(document, 0.0) + (_TITLE_WEIGHT if column == "title" else 1.0)
        if len(scores) > MAX_HITS or seen == _MAX_RUNS:
            return Holders(scores, complete=False)
    return Holders(scores, complete=True)


def _with_phrase(connection: sqlite3.Connection, table: str, phrase: str) -> list[int]:
    sql = f"SELECT rowid FROM {table} WHERE {table} MATCH ? LIMIT ?"  # noqa: S608 - the table is ours
    return [row["rowid"] for row in connection.execute(sql, (phrase, MAX_HITS + 1))]


def _ranked(connection: sqlite3.Connection, phrase: str) -> dict[int, float]:
    """By how often and where; it looks at every holder, so there must be few."""
    rows = connection.execute(
        "SELECT rowid, -bm25(documents_search, ?, 1.0) FROM documents_search WHERE documents_search MATCH ?",
        (_TITLE_WEIGHT, phrase),
    )
    return dict(map(tuple, rows))
