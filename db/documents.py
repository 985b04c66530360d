"""Documents: one after another, by id, or found by any piece of their text.

How a query is read:
1. All of it is looked for as it stands, and each of its words.
2. Of a term that very many hold, the index names only some (db/index.py). Who was found by another term is read for it.
3. Who holds more of these terms comes first; among equals who holds them more often, the title counting most.
4. If nothing was found, the words lose their last characters until something is: "연차는" is "연차" with a particle.
"""

import re
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from db.database import Database
from db.index import MAX_HITS, Holders, holders

MAX_TERMS: Final = 16
"""Words that are looked for; a longer query is a text, and its first words say what it is about."""
PASSAGE: Final = 320
"""Characters of a passage: a small model's attention is short."""
_MAX_DIGITS: Final = 18
"""Digits of a number that fits SQLite's integers."""
_MAX_WORD: Final = 60
"""Characters of a word of which it may lose the last: each time is another look, and some languages have no spaces."""
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
    """What was found: how many, the best of them, the terms that they hold.

    `shortened` says that these had to be; `complete`, that there are no others.
    """

    total: int
    hits: list[Hit]
    terms: list[str]
    shortened: bool
    complete: bool


def page(database: Database, after: int, limit: int) -> list[Listed]:
    """The next documents after this row, in the order in which they were added; the first are after row 0."""
    rows = database.rows(f"{_SELECT}, rowid FROM documents WHERE rowid > ? ORDER BY rowid LIMIT ?", (after, limit))
    return [Listed(*row) for row in rows]


def with_id(database: Database, document: int | str) -> Document | None:
    """The document with this id; who has it from an address has it as text."""
    text = str(document)
    number = int(text) if text.isdecimal() and len(text) <= _MAX_DIGITS else None
    rows = database.rows(
        f"{_SELECT}, CAST(coalesce(content, '') AS TEXT) FROM documents"
        " WHERE id IN (?1, ?2) OR (id IS NULL AND rowid = ?2) LIMIT 1",
        (text, number),
    )
    return Document(*rows[0]) if rows else None


def search(database: Database, query: str, limit: int) -> Found:
    """The `limit` best documents for the query."""
    written = _written(query)
    words = list(dict.fromkeys(written))[:MAX_TERMS]
    terms = list(dict.fromkeys([" ".join(written), *words])) if words else []
    with database.reading() as connection:
        found = {term: one for term in terms if (one := holders(connection, term)).scores}
        shortened = not found
        if shortened:
            found = dict(_shortened(connection, words))
        _look_closer(connection, found)
        best = _ranked(one.scores for one in found.values())
        hits = [_hit(connection, document, found) for document in best[:limit]]
    return Found(len(best), hits, list(found), shortened, all(one.complete for one in found.values()))


def categories(database: Database) -> list[str]:
    """The categories that documents are in, if they have any."""
    # From each to the next by the index: DISTINCT would read all documents.
    rows = database.rows(
        "WITH RECURSIVE one (category) AS (SELECT min(category) FROM documents WHERE category > ''"
        " UNION ALL SELECT (SELECT min(category) FROM documents WHERE category > one.category) FROM one"
        " WHERE one.category IS NOT NULL LIMIT 50) SELECT category FROM one WHERE category IS NOT NULL"
    )
    return [row["category"] for row in rows]


def _written(query: str) -> list[str]:
    """The words of a query, in the characters that documents are written in: no NUL, and 한 as one character."""
    if not query.isascii():
        from unicodedata import normalize  # noqa: PLC0415 - only needed here

        query = normalize("NFC", query)
    return query.replace("\0", " ").split()


def _shortened(connection: sqlite3.Connection, words: Iterable[str]) -> Iterator[tuple[str, Holders]]:
    for word in (word.strip(_PUNCTUATION)[:_MAX_WORD] for word in words):
        # Less than half a word is another word.
        for length in range(len(word), max(1, (len(word) - 1) // 2), -1):
            found = holders(connection, word[:length])
            if found.scores:
                yield word[:length], found
                break


def _look_closer(connection: sqlite3.Connection, found: dict[str, Holders]) -> None:
    """Note who else holds the common terms: who was found by a rare one is likely to be the best."""
    rare = [one.scores for one in found.values() if one.complete]
    common = {term.lower(): one.scores for term, one in found.items() if not one.complete}
    if not common or len(found) == 1:
        return
    for document in _ranked(rare or common.values())[:MAX_HITS]:
        row = connection.execute("SELECT title, content FROM documents WHERE rowid = ?", (document,)).fetchone()
        text = f"{row['title'] or ''}\n{row['content'] or ''}".lower()
        for term, scores in common.items():
            if document not in scores and term in text:
                scores[document] = 0.0


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
