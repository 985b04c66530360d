"""Documents are found by any piece of their text, whatever it is made of."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from db import documents
from db.database import Database
from db.documents import passage, search


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    opened = Database(str(tmp_path_factory.mktemp("samples") / "mcp_data.db"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    opened = Database(str(tmp_path_factory.mktemp("shelf") / "mcp_data.db"))
    yield opened
    opened.close()


def titles(database: Database, query: str) -> list[str]:
    return [hit.title for hit in search(database, query, 20).hits]


def put(database: Database, *texts: tuple[str, str]) -> None:
    with database.writing() as connection:
        connection.execute("DELETE FROM documents")
        connection.executemany("INSERT INTO documents (title, content) VALUES (?, ?)", texts)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("연차", "연차 휴가 규정"),
        ("차 휴", "연차 휴가 규정"),
        ("재택근무", "재택근무 안내"),
        ("재택", "재택근무 안내"),
        ("법인카드", "출장비 및 경비 처리 규정"),
        ("vacation", "Vacation Policy (English summary)"),
        ("VACATION policy", "Vacation Policy (English summary)"),
        ("blameless", "Incident Response Handbook"),
        ("snake_case", "개발 환경 설정 가이드"),
        ("회의실", "회의실 이용 안내"),
        ("장애 대응", "장애 대응 절차"),
        ("연차는 어떻게 계산하나요?", "연차 휴가 규정"),
        ("멘토링은", "신입사원 온보딩 안내"),
        ("경조금이 얼마예요?", "경조사 지원 규정"),
        (normalize("NFD", "법인카드"), "출장비 및 경비 처리 규정"),
    ],
)
def test_the_best_document_comes_first(samples: Database, query: str, first: str) -> None:
    assert titles(samples, query)[0] == first


@pytest.mark.parametrize("query", ["", " ", "\0", "xyzzy", "훌랄라쿵", "§", "§§", "ab§ cd§"])
def test_what_is_nowhere_is_not_found(samples: Database, query: str) -> None:
    assert titles(samples, query) == []


HOSTILE = [
    "%", "_", "'", '"', "''", '"""', "\\", "*", "-", "--", "^", "(", ")", ":", "{", "}", "AND", "OR", "NOT", "NEAR",
    "title:연차", "연차*", '"연차', "연차 AND", "NEAR(a b, 3)", "a OR b", "-연차", "연차 NOT 휴가", "^연차",
    "'; DROP TABLE documents; --", "100%", "50%_", "\x00", "a\x00b", "\x00\x00\x00", "\n\n", "\u200b", "é", "İ", "ß",
    "\U0010ffff", "\U0010ffff" * 2, "🦊", "👩‍👩‍👧", "?" * 1000, "가 " * 500, "?", "\ufeff", "ﷺ",
]  # fmt: skip


@pytest.mark.parametrize("query", HOSTILE)
def test_no_query_is_a_command(samples: Database, query: str) -> None:
    found = search(samples, query, 20)
    assert found.total >= len(found.hits)
    assert titles(samples, "연차")[0] == "연차 휴가 규정"


@pytest.mark.parametrize(
    ("query", "where"), [("%", "80% of"), ("_", "snake_case"), ("0%", "80% of"), ("e_c", "snake_case"), ("'", "don't")]
)
def test_signs_are_found_as_they_are(shelf: Database, query: str, where: str) -> None:
    put(shelf, ("80% of it", "x"), ("snake_case", "x"), ("don't", "x"), ("none", "plain"))
    assert all(where.startswith(title) or title.startswith(where) for title in titles(shelf, query))
    assert len(titles(shelf, query)) == 1


def test_more_of_the_words_and_then_the_title_decide(shelf: Database) -> None:
    put(
        shelf,
        ("one word", "the ferry is late"),
        ("both words, apart", "the harbour is shut, so the ferry is late"),
        ("both words, as asked", "see the ferry harbour"),
        ("harbour", "nothing else"),
    )
    assert titles(shelf, "ferry harbour")[:2] == ["both words, as asked", "both words, apart"]
    assert titles(shelf, "harbour")[0] == "harbour"
    assert titles(shelf, "ha")[0] == "harbour"


def test_the_index_follows_every_change(shelf: Database) -> None:
    put(shelf, ("old title", "old text"))
    with shelf.writing() as connection:
        connection.execute("UPDATE documents SET content = '새 글'")
    assert titles(shelf, "새 글") == ["old title"]
    assert titles(shelf, "글") == ["old title"]
    assert search(shelf, "text", 5).terms == []
    put(shelf)
    assert titles(shelf, "old") == []
    with shelf.writing() as connection:
        connection.execute("INSERT INTO documents_search (documents_search) VALUES ('integrity-check')")


TEXT = st.text(alphabet="abA연차휴가%_'\"*-", max_size=12)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(TEXT.filter(bool), TEXT), min_size=1, max_size=4), TEXT.filter(bool))
def test_what_is_found_is_what_holds_the_query(shelf: Database, texts: list[tuple[str, str]], query: str) -> None:
    put(shelf, *texts)
    holding = sorted(title for title, text in texts if query.lower() in title.lower() or query.lower() in text.lower())
    found = search(shelf, query, 20)
    if holding:
        assert sorted(hit.title for hit in found.hits) == holding
    else:
        assert query not in found.terms


@pytest.mark.parametrize("query", ["가", "가나", "가나다"])
def test_no_query_reads_all_documents(shelf: Database, query: str) -> None:
    """Documents are read by their key alone, and the index by a range or a match."""
    put(shelf, ("제목", "가나다라"))
    plans: list[str] = []

    def plan(sql: str) -> None:
        if sql.startswith("SELECT"):
            explain = sqlite3.connect(shelf.path)
            plans.extend(row[3] for row in explain.execute(f"EXPLAIN QUERY PLAN {sql}"))
            explain.close()

    with shelf.reading() as connection:
        connection.set_trace_callback(plan)
    search(shelf, query, 5)
    with shelf.reading() as connection:
        connection.set_trace_callback(None)
    assert plans
    scans = [one for one in plans if one.startswith("SCAN") and "VIRTUAL TABLE INDEX" not in one]
    assert not [one for one in scans if not one.endswith("_config")], "FTS5 reads the few rows of its own settings"
    assert not [one for one in plans if one.endswith("VIRTUAL TABLE INDEX 0:")], "a full scan of the index"


def test_the_passage_is_around_the_word_and_cut_between_words() -> None:
    text = "앞의 글. " * 200 + "여기에 등대가 있다. " + "뒤의 글. " * 200
    found = passage(text, ["등대"])
    assert "여기에 등대가 있다" in found
    assert found.startswith(("… 앞의", "… 글."))
    assert found.endswith(("글. …", "뒤의 …"))
    assert len(found) <= documents.PASSAGE + 4


@pytest.mark.parametrize("text", ["", "짧은 글", "가" * 5000, " " * 5000, "a b " * 2000])
@pytest.mark.parametrize("terms", [[], ["없음"], ["가"], ["b", "a"], ["("]])
def test_there_is_always_a_passage_of_bounded_length(text: str, terms: list[str]) -> None:
    assert len(passage(text, terms)) <= documents.PASSAGE + 4


def test_the_end_of_a_text_is_found_and_shown(shelf: Database) -> None:
    put(shelf, ("t", "x " * 1000 + "끝말"))
    hit = search(shelf, "말", 5).hits[0]
    assert hit.passage.endswith("끝말")
    assert Path(shelf.path).exists()


# ---- one after another


def test_documents_come_page_by_page(shelf: Database) -> None:
    put(shelf, *((f"title {number}", "text") for number in range(5)))
    assert len(documents.page(shelf, 0, 10)) == 5
    seen: list[str] = []
    after = 0
    while page := documents.page(shelf, after, 2):
        seen += [one.title for one in page]
        after = page[-1].row
    assert seen == [f"title {number}" for number in range(5)]


def test_a_document_is_found_by_its_id(samples: Database) -> None:
    first = documents.page(samples, 0, 1)[0]
    found = documents.with_id(samples, first.id)
    assert found
    assert (found.title, found.category) == (first.title, first.category)
    assert found.content
    assert documents.with_id(samples, str(first.id)) == found
    for wrong in ("D7", "", "9" * 30, -1, "\0", "²"):
        assert documents.with_id(samples, wrong) is None


@pytest.mark.parametrize("declared", ["id", "id TEXT", "id REAL", "id TEXT PRIMARY KEY", "id INTEGER PRIMARY KEY"])
def test_every_document_in_a_list_can_be_opened_whatever_its_id_is(tmp_path: Path, declared: str) -> None:
    path = tmp_path / "own.db"
    own = sqlite3.connect(path)
    own.execute(f"CREATE TABLE documents ({declared}, title TEXT, content TEXT, category TEXT)")
    for value in [3, None] if "INTEGER" in declared else ["D7", "007", 12, None, "한글 id"]:
        own.execute("INSERT INTO documents (id, content) VALUES (?, ?)", (value, f"of {value}"))
    own.commit()
    own.close()
    database = Database(str(path))
    listed = documents.page(database, 0, 10)
    opened = [documents.with_id(database, str(one.id)) for one in listed]
    assert [one and one.id for one in opened] == [one.id for one in listed]
    assert len({one.content for one in opened if one}) == len(listed)
    database.close()


def test_a_word_without_end_is_looked_for_only_so_often(samples: Database) -> None:
    asked: list[str] = []
    with samples.reading() as connection:
        connection.set_trace_callback(asked.append)
    assert not search(samples, "연차" + "ㅁ나" * 10_000, 20).hits
    with samples.reading() as connection:
        connection.set_trace_callback(None)
    assert 10 < len(asked) < 1_000
