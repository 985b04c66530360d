"""A search costs what it finds, however many documents there are; and what is common is found well enough."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from db import documents
from db.database import Database
from db.documents import search
from db.index import MAX_HITS

SIZES = (2 * MAX_HITS, 10 * MAX_HITS)
IO = Path("/proc/self/io")


@pytest.fixture(scope="module")
def shelves(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, Database]]:
    """Two tables. The rare words are in as many documents of the one as of the other, the common ones in all."""
    small, large = (filled(tmp_path_factory.mktemp("shelf") / "mcp_data.db", size) for size in SIZES)
    yield small, large
    small.close()
    large.close()


def filled(path: Path, size: int) -> Database:
    database = Database(str(path))
    with database.writing() as connection:
        connection.execute("DELETE FROM documents")
        connection.executemany(
            "INSERT INTO documents (title, content, category) VALUES (?, ?, ?)", map(document, range(size))
        )
    return database


def document(number: int) -> tuple[str, str, str]:
    """Every fifth word is rare until there are twenty of it; the last title of a thousand holds the common words."""
    title = f"휴가 regular {number}" if number % MAX_HITS == MAX_HITS - 1 else f"제목 {number}"
    rare = "뷁쀍 qzx" if number % 5 == 0 and number < 100 else "그 외"
    return title, f"휴가 안내 regular text {rare} 번호 {number}", f"분류 {number % 7}"


def steps(database: Database, work: Callable[[Database], object]) -> int:
    """The steps that SQLite's machine takes for it."""
    taken = 0

    def step() -> int:
        nonlocal taken
        taken += 1
        return 0

    with database.reading() as connection:
        connection.set_progress_handler(step, 1)
    work(database)
    with database.reading() as connection:
        connection.set_progress_handler(None, 0)
    return taken


def bytes_read(database: Database, query: str) -> int:
    """What is read of the file by a process that has nothing of it in memory; the index does not count as steps."""
    fresh = Database(database.path)
    with fresh.reading():
        before = read_so_far()
    search(fresh, query, 10)
    after = read_so_far()
    fresh.close()
    return after - before


def read_so_far() -> int:
    return int(IO.read_text("ascii").split()[1])


QUERIES = {
    "two Korean characters, rare": "뷁쀍",
    "two Korean characters, common": "휴가",
    "one character, common": "휴",
    "three English characters, rare": "qzx",
    "three English characters, common": "reg",
    "a word, common": "regular",
    "rare and common": "뷁쀍 regular 휴가",
    "nowhere": "훌랄라",
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_the_work_does_not_grow_with_the_table(shelves: tuple[Database, Database], query: str) -> None:
    few, many = (steps(one, lambda shelf: search(shelf, query, 10)) for one in shelves)
    assert many <= 1.5 * few


@pytest.mark.skipif(sys.platform != "linux", reason="Linux counts what is read")
@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_what_is_read_does_not_grow_with_the_table(shelves: tuple[Database, Database], query: str) -> None:
    small, large = shelves
    assert bytes_read(large, query) <= 1.5 * bytes_read(small, query)


def test_the_categories_are_found_without_reading_the_documents(shelves: tuple[Database, Database]) -> None:
    for shelf in shelves:  # the first question of a connection also reads what tables there are
        assert documents.categories(shelf) == [f"분류 {number}" for number in range(7)]
    few, many = (steps(one, documents.categories) for one in shelves)
    assert many == few


@pytest.mark.parametrize("query", ["휴", "휴가", "reg", "regular"])
def test_of_a_common_term_the_titles_come_first(shelves: tuple[Database, Database], query: str) -> None:
    hits = search(shelves[1], query, 10).hits
    assert [hit.title for hit in hits] == [f"휴가 regular {1000 * number - 1}" for number in range(1, 11)]


@pytest.mark.parametrize("common", ["휴가", "regular"])
def test_who_holds_a_rare_term_gets_credit_for_a_common_one(tmp_path: Path, common: str) -> None:
    """Also the last of many, whom the index does not name for the common term."""
    database = filled(tmp_path / "mcp_data.db", 2 * MAX_HITS)
    with database.writing() as connection:
        connection.execute("INSERT INTO documents (title, content) VALUES ('a', '등대'), ('b', '등대 휴가 regular')")
    assert [hit.title for hit in search(database, f"{common} 등대", 2).hits] == ["b", "a"]
    database.close()


def test_a_character_that_is_everywhere_in_long_texts_is_not_counted_to_the_end(tmp_path: Path) -> None:
    database = filled(tmp_path / "mcp_data.db", 10)
    with database.writing() as connection:
        connection.execute("INSERT INTO documents (title, content) VALUES ('book', ?)", ("글" * 400_000,))
    assert search(database, "글", 5).hits[0].title == "book"
    assert steps(database, lambda shelf: search(shelf, "글", 5)) < 1_500_000
    database.close()
