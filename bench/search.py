"""What a search costs as the documents become more, against a LIKE scan that finds and ranks the same.

Both look in the same table, in turns, and the best of several rounds counts, so the ratios hold on a noisy machine. The
rare words are in as many documents of every table, the common ones in half of them.

    python -m bench.search [--json]
"""

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.core import table
from db.database import Database
from db.documents import search

SIZES = (1_000, 10_000, 100_000)
ROUNDS = 5
BEST = 10
HOLDERS = 20
"""Documents that hold the rare words."""
QUERIES = {
    "Korean, 2 characters, rare": "뷁쀍",
    "Korean, 2 characters, common": "연차",
    "English, 3 characters, rare": "qzx",
    "English, 3 characters, common": "hol",
    "one character, common": "연",
    "a rare word and a common one": "뷁쀍 holiday",
    "nowhere": "훌랄라",
}
LIKE = (
    "SELECT id, title, category, content FROM documents WHERE title LIKE :part OR content LIKE :part"
    " ORDER BY title LIKE :part DESC LIMIT :best"
)
_SYLLABLES = "가거고구그기나너노누느니다더도두드디라러로루르리마머모무므미바버보부브비사서소수스시아어오우으이자저조주"
_LETTERS = "aabcdeeefghiiklmnooprsttuvwy"


def words(letters: str, lengths: tuple[int, int], count: int = 3_000) -> list[str]:
    chance = random.Random(letters)  # noqa: S311 - the same words in every run
    return ["".join(chance.choices(letters, k=chance.randint(*lengths))) for _ in range(count)]


def documents(size: int) -> Iterator[tuple[str, str]]:
    chance = random.Random(size)  # noqa: S311 - the same texts in every run
    vocabulary = words(_SYLLABLES, (2, 4)) + words(_LETTERS, (3, 9))
    for number in range(size):
        text = chance.choices(vocabulary, k=60)
        title = " ".join(text[:4])
        if number % 2:
            text[10], text[20] = "연차", "holiday"
        if number < HOLDERS:
            text[30], text[40] = "뷁쀍", "qzx"
        yield title, " ".join(text)


def filled(path: Path, size: int) -> Database:
    database = Database(str(path))
    with database.writing() as connection:
        connection.execute("DELETE FROM documents")
        connection.executemany("INSERT INTO documents (title, content) VALUES (?, ?)", documents(size))
    return database


def scanned(database: Database, query: str) -> None:
    with database.reading() as connection:
        connection.execute(LIKE, {"part": f"%{query}%", "best": BEST}).fetchall()


def milliseconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter_ns()
    work()
    return (time.perf_counter_ns() - begin) / 1e6


def measured(database: Database, query: str) -> tuple[float, float]:
    """Milliseconds of a search and of a scan."""
    searches, scans = [], []
    for _ in range(ROUNDS):
        searches.append(milliseconds(lambda: search(database, query, BEST)))
        scans.append(milliseconds(lambda: scanned(database, query)))
    return min(searches), min(scans)


def costs() -> dict[str, list[tuple[float, float]]]:
    """Milliseconds of a search and of a scan, for each query and each size."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in QUERIES}
    with tempfile.TemporaryDirectory(prefix="strictcall-") as folder:
        for size in SIZES:
            database = filled(Path(folder) / f"{size}.db", size)
            for name, query in QUERIES.items():
                found[name].append(measured(database, query))
            database.close()
    return found


def main() -> None:
    found = costs()
    if "--json" in sys.argv:
        print(json.dumps({"sizes": SIZES, "milliseconds": found}))
        return
    heads = [f"{size:,}" for size in SIZES]
    print("A search: milliseconds by number of documents, and the last against the first\n")
    table([("", *heads, "growth")])
    table((name, *(f"{ours:.2f}" for ours, _ in row), f"{row[-1][0] / row[0][0]:.1f}") for name, row in found.items())
    print("\nA LIKE scan of the same table: how many times what the search takes\n")
    table([("", *heads)])
    table((name, *(f"{theirs / ours:.1f}" for ours, theirs in row)) for name, row in found.items())


if __name__ == "__main__":
    main()
