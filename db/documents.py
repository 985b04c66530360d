"""Documents: one after another, by id, or found by any piece of their text.

How a query is read:
1. All of it is looked for as it stands, and each of its words.
2. Text of three or more characters is one phrase for the trigram index; it is quoted, so nothing in it is an operator.
   One or two characters are a range of the index's runs: "연차" is all runs from "연차" to before "연찪".
3. Who holds more of these terms comes first; among equals who holds them more often, the title counting most.
4. If nothing was found, the words lose their last characters until something is: "연차는" is "연차" with a particle.
"""

import re
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from db.database import Database

MAX_TERMS: Final = 16
"""Words that are looked for; a longer query is a text, and its first words say what it is about."""
MAX_HITS: Final = 1000
"""Documents that one term may bring: beyond it, the term tells nothing apart."""
PASSAGE: Final = 320
"""Characters of a passage: a small model's attention is short."""
_TITLE_WEIGHT: Final = 10.0
_MAX_DIGITS: Final = 18
"""Digits of a number that fits SQLite's integers."""
_LONGEST_WORD: Final = 30
"""How far one looks for a space to cut at; Japanese and Chinese have none."""
_SPACE: Final = re.compile(r"\s+")
_PUNCTUATION: Final = "?!.,;:…？！。、\"'“”‘’()[]{}"
# A table of the user's own may hold anything; we promise text, and an id.
_SELECT: Final = (
    "SELECT CASE typeof(id) WHEN 'integer' THEN id ELSE CAST(coalesce(id, rowid) AS TEXT) END AS id,"
    " CAST(coalesce(title, '') AS TEXT) AS title, CAST(coalesce(category, '') AS TEXT) AS category"
)


class Listed(NamedTuple):
    """A document in a list; the next page is what comes after its row."""

    id: int | str
    title: str
    category: str
    row: int


class Document(NamedTuple):
    """A whole document."""

    id: int | str
    title: str
    category: str
    content: str


class Hit(NamedTuple):
    """A document that was found."""

    id: int | str
    title: str
    category: str
    passage: str


class Found(NamedTuple):
    """How many were found, the best of them, the terms that they hold, and whether these had to be shortened."""

    total: int
    hits: list[Hit]
    terms: list[str]
    shortened: bool


def page(database: Database, after: int, limit: int) -> list[Listed]:
    """The next documents after this row, in the order in which they were added; the first are after row 0."""
    with database.reading() as connection:
        rows = connection.execute(
            f"{_SELECT}, rowid FROM documents WHERE rowid > ? ORDER BY rowid LIMIT ?", (after, limit)
        ).fetchall()
    return [Listed(*row) for row in rows]


def with_id(database: Database, document: int | str) -> Document | None:
    """The document with this id; who has it from an address has it as text."""
    text = str(document)
    number = int(text) if text.isdecimal() and len(text) <= _MAX_DIGITS else None
    with database.reading() as connection:
        row = connection.execute(
            f"{_SELECT}, CAST(coalesce(content, '') AS TEXT) FROM documents"
            " WHERE id IN (?1, ?2) OR (id IS NULL AND rowid = ?2)",
            (text, number),
        ).fetchone()
    return Document(*row) if row else None


def count(database: Database) -> int:
    """How many there are."""
    with database.reading() as connection:
        return int(connection.execute("SELECT count(*) FROM documents").fetchone()[0])


def search(database: Database, query: str, limit: int) -> Found:
    """The `limit` best documents for the query."""
    written = _written(query)
    words = list(dict.fromkeys(written))[:MAX_TERMS]
    terms = list(dict.fromkeys([" ".join(written), *words])) if words else []
    with database.reading() as connection:
        scores = {term: found for term in terms if (found := _matches(connection, term))}
        shortened = not scores
        if shortened:
            scores = dict(_shortened(connection, words))
        best = _ranked(scores.values())
        hits = [_hit(connection, document, scores) for document in best[:limit]]
    return Found(len(best), hits, list(scores), shortened)


def categories(database: Database) -> list[str]:
    """The categories that documents are in."""
    with database.reading() as connection:
        rows = connection.execute("SELECT DISTINCT category FROM documents ORDER BY category LIMIT 50").fetchall()
    return [row["category"] for row in rows if row["category"]]


def _written(query: str) -> list[str]:
    """The words of a query, in the characters that documents are written in: no NUL, and 한 as one character."""
    if not query.isascii():
        from unicodedata import normalize  # noqa: PLC0415 - only needed here

        query = normalize("NFC", query)
    return query.replace("\0", " ").split()


def _matches(connection: sqlite3.Connection, term: str) -> dict[int, float]:
    """The documents that hold the term, each with how well."""
    if len(term) < 3:
        rows = connection.execute(
            "SELECT doc, sum(CASE col WHEN 'title' THEN ? ELSE 1 END) AS score FROM documents_runs"
            " WHERE term >= ? AND term < ? GROUP BY doc ORDER BY score DESC LIMIT ?",
            (_TITLE_WEIGHT, term.lower(), term.lower() + chr(0x10FFFF), MAX_HITS),
        )
    else:
        quoted = '"' + term.replace('"', '""') + '"'
        rows = connection.execute(
            "SELECT rowid, -bm25(documents_search, ?, 1.0) AS score FROM documents_search"
            " WHERE documents_search MATCH ? ORDER BY score DESC LIMIT ?",
            (_TITLE_WEIGHT, quoted, MAX_HITS),
        )
    return dict(map(tuple, rows))


def _shortened(connection: sqlite3.Connection, words: Iterable[str]) -> Iterator[tuple[str, dict[int, float]]]:
    for word in (word.strip(_PUNCTUATION) for word in words):
        # Less than half a word is another word.
        for length in range(len(word), max(1, (len(word) - 1) // 2), -1):
            found = _matches(connection, word[:length])
            if found:
                yield word[:length], found
                break


def _ranked(matches: Iterable[dict[int, float]]) -> list[int]:
    standing: dict[int, tuple[int, float]] = {}
    for match in matches:
        for document, score in match.items():
            terms, total = standing.get(document, (0, 0.0))
            standing[document] = (terms + 1, total + score)
    return sorted(standing, key=lambda document: (*(-part for part in standing[document]), document))


def _hit(connection: sqlite3.Connection, document: int, terms: Iterable[str]) -> Hit:
    row = connection.execute(
        f"{_SELECT}, CAST(coalesce(content, '') AS TEXT) AS content FROM documents WHERE rowid = ?", (document,)
    ).fetchone()
    return Hit(row["id"], row["title"], row["category"], passage(row["content"], terms))


def passage(text: str, terms: Iterable[str]) -> str:
    """The part of the text around the first of the terms that it holds, cut between words where there are any."""
    places = (re.search(re.escape(term), text, re.IGNORECASE) for term in terms)
    place = next((match.start() for match in places if match), 0)
    if len(text) <= PASSAGE:
        return text.strip()
    begin = min(max(0, place - PASSAGE // 3), len(text) - PASSAGE)
    end = begin + PASSAGE
    if begin:
        begin = _after_space(text, begin, place)
    if end < len(text):
        end = _before_space(text, max(place, end - _LONGEST_WORD), end)
    return f"{'… ' if begin else ''}{text[begin:end].strip()}{' …' if end < len(text) else ''}"


def _after_space(text: str, begin: int, place: int) -> int:
    space = _SPACE.search(text, begin, min(place, begin + _LONGEST_WORD))
    return space.end() if space else begin


def _before_space(text: str, begin: int, end: int) -> int:
    spaces = [space.start() for space in _SPACE.finditer(text, begin, end)]
    return spaces[-1] if spaces else end
