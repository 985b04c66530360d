"""People's data, into the database and back: files as they are, all rows or none, and what is wrong in one line."""

import json
import sqlite3
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from db import employees, vacations
from db.database import Database
from db.documents import search
from db.exchange.incoming import load
from db.exchange.outgoing import dump
from db.exchange.readings import day
from db.exchange.sheet import BadData, format_of, read

THREE = ("employees", "vacations", "documents")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(str(tmp_path / "mcp_data.db"))
    yield opened
    opened.close()


def put(database: Database, table: str | None, text: str | bytes, form: str = "csv", **options: Any) -> dict[str, Any]:
    raw = text if isinstance(text, bytes) else text.encode()
    return load(database, read(raw, f"people.{form}", form), table, **options)


def refusal(database: Database, table: str | None, text: str | bytes, form: str = "csv", **options: Any) -> str:
    """What is said of a file that cannot be taken; nothing of it is in the database."""
    before = contents(database)
    with pytest.raises(BadData) as refused:
        put(database, table, text, form, **options)
    assert contents(database) == before
    return str(refused.value)


def contents(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    with database.reading() as connection:
        return {
            table: sorted(map(tuple, connection.execute(f"SELECT * FROM {table}").fetchall()))  # noqa: S608 - ours
            for table in THREE
        }


HONG = ("EMP020", "홍길동", "총무팀", "2024-03-04")
KOREAN = "사번,성명,부서,입사일\nEMP020,홍길동,총무팀,2024.3.4\n"


# ---- files as people have them


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp949"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_file_is_read_as_the_spreadsheet_saved_it(database: Database, encoding: str, delimiter: str) -> None:
    text = KOREAN.replace(",", delimiter).replace("\n", "\r\n")
    put(database, "employees", text.encode(encoding))
    assert employees.with_id(database, "EMP020") == HONG


@pytest.mark.parametrize(
    "heads",
    [
        "id,name,department,hire_date",
        " ID , Name,DEPARTMENT ,Hire Date",
        "사원번호,이름,부서명,입사일자",
        "employee_id,성명,소속,hireDate",
        normalize("NFD", "사번,이름,부서,입사일"),
    ],
)
def test_headings_are_understood(database: Database, heads: str) -> None:
    put(database, "employees", f"{heads}\nEMP020,홍길동,총무팀,2024-03-04\n")
    assert employees.with_id(database, "EMP020") == HONG


def test_the_headings_of_every_table_are_understood_in_korean(database: Database) -> None:
    put(database, "vacations", "사번,연도,총연차,사용\nEMP001,2030,15,2.5\nEMP002,2030,15,\n")
    put(database, "documents", "제목,내용,분류\n주차 안내,지하 2층입니다,총무\n")
    assert vacations.of_year(database, "EMP001", 2030) == (15, 2.5)
    assert vacations.of_year(database, "EMP002", 2030) == (15, 0)
    assert [(hit.title, hit.category) for hit in search(database, "지하 2층", 5).hits] == [("주차 안내", "총무")]


@pytest.mark.parametrize(
    "written",
    [
        "2024.3.4", "2024. 3. 4.", "2024/03/04", "2024년 3월 4일", "2024년3월4일", "20240304", "2024-3-4",
        "2024-03-04 00:00:00", "2024-03-04T00:00:00.000", " 2024-03-04 ", "24.3.4", "24. 03. 04.", "24-03-04",
        "24년 3월 4일", "45355", 45355, 45355.0,
    ],
)  # fmt: skip
def test_a_day_is_read_as_people_write_it(written: str | float) -> None:
    assert day(written) == "2024-03-04"


@pytest.mark.parametrize(
    "written",
    ["2024-02-30", "24.13.4", "24/3/4", "4.3.24", "March 4", "", "2024-03-04 09:30", "202403040", "240304", "45355.5"],
)
def test_what_is_no_day_is_left_as_it_is(written: str) -> None:
    assert day(written) == written


def test_json_is_taken_in_its_three_forms(database: Database) -> None:
    row = '{"사번": "EMP020", "name": "홍길동", "department": "총무팀", "hire_date": 20240304}'
    for table, text, form in (
        ("employees", f"[{row}]", "json"),
        (None, f'{{"employees": [{row}]}}', "json"),
        ("employees", f'{{"documents": [], "employees": [{row}]}}', "json"),
        ("employees", f"{row}\n\n", "jsonl"),
    ):
        put(database, table, text, form, replace=True)
        assert employees.everyone(database) == [HONG]


def test_lines_and_cells_that_are_empty_do_not_matter(database: Database) -> None:
    assert put(database, "documents", "\n\nid,title,content,,\n,,,,\n,a,b,,\n\n,c\n") == {
        "documents": {"added": 2, "updated": 0, "removed": 0}
    }


def test_a_text_may_be_long_and_hold_anything(database: Database) -> None:
    text = 'a "quoted", long\r\nstory; ' * 20_000
    put(database, "documents", 'title,content\nstory,"' + text.replace('"', '""') + '"\n', replace=True)
    assert [row[2] for row in contents(database)["documents"]] == [text]


@pytest.mark.parametrize("name", ["a.CSV", "내 자료/a b.tsv", "a.json", "a.b.jsonl"])
def test_the_name_of_a_file_says_what_it_is(name: str) -> None:
    assert format_of(name) == name.lower().rpartition(".")[2]


@pytest.mark.parametrize(("name", "hint"), [("a.xlsx", "save the sheet as CSV"), ("a", "--format"), ("a.txt", ".csv")])
def test_a_file_of_another_kind_is_refused_with_the_fix(name: str, hint: str) -> None:
    with pytest.raises(BadData, match=hint):
        format_of(name)


# ---- into the table


def test_who_is_known_is_updated_and_the_others_are_added(database: Database) -> None:
    assert put(database, "employees", f"{KOREAN}EMP001,김민준,기획팀,20190304\n") == {
        "employees": {"added": 1, "updated": 1, "removed": 0}
    }
    assert employees.with_id(database, "EMP001") == ("EMP001", "김민준", "기획팀", "2019-03-04")
    assert vacations.years(database, "EMP001") == [2024, 2025, 2026]
    assert len(employees.everyone(database)) == 13


def test_an_update_needs_only_the_columns_that_change(database: Database) -> None:
    put(database, "employees", "id,department\nEMP001,기획팀\n")
    put(database, "vacations", "employee_id,year,used\nEMP001,2024,13\n")
    assert employees.with_id(database, "EMP001") == ("EMP001", "김민준", "기획팀", "2019-03-04")
    assert vacations.of_year(database, "EMP001", 2024) == (17, 13)


def test_replace_gets_rid_of_the_samples(database: Database) -> None:
    counts = put(database, "documents", "제목,내용\n우리 규정,우리 글\n", replace=True)
    assert counts == {"documents": {"added": 1, "updated": 0, "removed": 14}}
    assert contents(database)["documents"] == [(1, "우리 규정", "우리 글", "")]
    assert not search(database, "연차", 5).hits


@pytest.mark.parametrize("replace", [True, False])
def test_the_index_follows_when_very_many_documents_change(database: Database, replace: bool) -> None:
    def schema() -> list[Any]:
        with database.reading() as connection:
            return sorted(map(tuple, connection.execute("SELECT name, sql FROM sqlite_master")))

    before = schema()
    put(database, "documents", "id,title,content\n1,처음,글\n" + ",제목,많은 글\n" * 1500, replace=replace)
    assert schema() == before
    put(database, "documents", "id,title\n1,등대지기\n")
    assert [hit.title for hit in search(database, "등대", 5).hits] == ["등대지기"]
    assert bool(search(database, "연차", 5).hits) is not replace
    with database.writing() as connection:
        connection.execute("INSERT INTO documents_search (documents_search) VALUES ('integrity-check')")
        connection.execute("INSERT INTO documents_titles (documents_titles) VALUES ('integrity-check')")


def test_replaced_employees_keep_their_vacations_and_those_of_others_go(database: Database) -> None:
    counts = put(database, "employees", f"{KOREAN}EMP001,김민준,기획팀,20190304\n", replace=True)
    assert counts == {
        "employees": {"added": 2, "updated": 0, "removed": 12},
        "vacations": {"added": 0, "updated": 0, "removed": 33},
    }
    assert [row[:2] for row in contents(database)["vacations"]] == [("EMP001", year) for year in (2024, 2025, 2026)]


def test_who_has_another_name_does_not_get_the_vacations_of_who_had_the_number(database: Database) -> None:
    counts = put(database, "employees", KOREAN.replace("EMP020", "EMP001"), replace=True)
    assert counts["vacations"] == {"added": 0, "updated": 0, "removed": 36}
    assert not vacations.years(database, "EMP001")


def test_days_and_years_may_have_their_unit(database: Database) -> None:
    put(database, "vacations", "사번,연도,총연차,사용\nEMP001,2030년,15일,1.5 일\nEMP002,2030년도,366,0\n")
    assert vacations.of_year(database, "EMP001", 2030) == (15, 1.5)
    assert vacations.of_year(database, "EMP002", 2030) == (366, 0)


@pytest.mark.parametrize(
    ("table", "text", "times", "note"),
    [
        ("documents", "title,content\na,b\n", 1, True),
        ("documents", "id,title,content\n,a,b\n77,c,d\n", 1, False),
        ("visitors", "name\na\n", 1, False),
        ("visitors", "name\na\n", 2, True),
        ("visitors", "id,name\n1,a\n", 2, False),
    ],
)
def test_who_adds_rows_without_a_key_to_others_is_told(
    database: Database, table: str, text: str, times: int, note: bool
) -> None:
    told: list[str] = []
    for _ in range(times):
        put(database, table, text, new=True, tell=told.append)
    assert told == [f"{table}: no id column: rows were added, not updated; --replace empties the table first"] * note
    told.clear()
    put(database, table, text, replace=True, tell=told.append)
    assert not told


def test_a_row_that_is_refused_undoes_the_replacing(database: Database) -> None:
    assert "line 3" in refusal(database, "employees", f"{KOREAN}7,a,b,2024-01-01\n", replace=True)


def test_a_database_from_elsewhere_is_filled_by_the_same_keys(tmp_path: Path) -> None:
    path = tmp_path / "mcp_data.db"
    old = sqlite3.connect(path)
    old.executescript(
        "CREATE TABLE documents (id TEXT, title TEXT, content TEXT, category TEXT);"
        "CREATE TABLE employees (id TEXT PRIMARY KEY, name TEXT, department TEXT, hire_date TEXT);"
        "CREATE TABLE vacations (employee_id TEXT, year INTEGER, total INTEGER, used INTEGER);"
        "INSERT INTO employees VALUES ('900', '홍길동', '총무팀', '2020-01-01'), ('901', 'a', 'b', NULL);"
        "INSERT INTO vacations VALUES ('900', 2025, 15, 1), ('901', 2025, 15, 1);"
    )
    old.close()
    database = Database(str(path))
    put(database, "vacations", "사번,연도,사용\n900,2025,2\n")
    put(database, "employees", "사번,성명,부서\n900,홍길동,영업팀\n", replace=True)
    assert contents(database)["vacations"] == [("900", 2025, 15, 2)]
    database.close()


# ---- what is wrong


WRONG_CELLS = {
    "a number of another kind": ("employees", "7,a,b,2024-01-01", "line 2, id: wanted EMP and three or more digits"),
    "a day that is none": ("employees", "EMP020,a,b,2024-02-30", "line 2, hire_date: wanted a day, such as 2024-03-04"),
    "no name": ("employees", "EMP020,,b,2024-01-01", "name: wanted a name, found ''"),
    "nobody's vacation": ("vacations", "EMP999,2025,15,0", "employee_id: wanted the number of somebody"),
    "a year that is none": ("vacations", "EMP001,205,15,0", "year: wanted a year, such as 2025, found 205"),
    "days in words": ("vacations", "EMP001,2025,열흘,0", "total: wanted days, from 0 to 366, found '열흘'"),
    "more days than a year has": (
        "vacations",
        "EMP001,2025,367일,0",
        "total: wanted days, from 0 to 366, found '367일'",
    ),
    "more days used than a year has": ("vacations", "EMP001,2025,15,1e9", "used: wanted days"),
    "a number without an end": ("vacations", "EMP001,2025,1e400,0", "total: wanted days, from 0 to 366, found '1e400'"),
    "a year without an end": ("vacations", "EMP001,+1e400,1,0", "year: wanted a year, such as 2025, found '+1e400'"),
    "a day far ahead": ("employees", "EMP020,a,b,2990.1.1", "a day, such as 2024-03-04, not over a year from now"),
    "a day of the last century in two digits": ("employees", "EMP020,a,b,99.1.1", "found '99.1.1'"),
    "more than there is": ("vacations", "EMP001,2025,15,16", "used: wanted days, from 0 to the total, found 16"),
    "infinitely many days": ("vacations", "EMP001,2025,inf,0", "total: wanted days"),
    "no title": ("documents", "77,,text,", "title: wanted a title, found ''"),
    "a document's number in words": ("documents", "one,a,b,", "id: wanted a whole number, or nothing, found 'one'"),
}
HEADS = {
    "employees": "id,name,department,hire_date",
    "vacations": "employee_id,year,total,used",
    "documents": "id,title,content,category",
}


@pytest.mark.parametrize("what", WRONG_CELLS)
def test_a_wrong_cell_is_named_with_its_place_and_what_is_wanted(database: Database, what: str) -> None:
    table, row, said = WRONG_CELLS[what]
    message = refusal(database, table, f"{HEADS[table]}\n{row}\n")
    assert message.startswith("people.csv, line 2, ")
    assert said in message
    assert message.endswith("; mend the file, nothing was imported")


@pytest.mark.parametrize(
    ("table", "rows", "said"),
    [
        ("employees", "EMP001,a,b,20240101\nEMP001,c,d,20240101", "line 3: id EMP001 is in people.csv, line 2, too"),
        ("vacations", "EMP001,2024,1,0\nEMP002,2024,1,0\nEMP001,2024년,2,0", "line 4: employee_id EMP001 and year 20"),
        ("documents", "1,a,b,\n,a,b,\n,a,b,\n1.0,c,d,", "line 5: id 1.0 is in people.csv, line 2, too"),
    ],
)  # fmt: skip
def test_a_key_that_stands_twice_is_refused_with_both_places(
    database: Database, table: str, rows: str, said: str
) -> None:
    assert said in refusal(database, table, f"{HEADS[table]}\n{rows}\n")


def test_up_to_ten_wrong_rows_are_named_at_once(database: Database) -> None:
    rows = ["EMP020,a,b,2024-01-01", "7,a,b,2024-01-01", *[f"{number},a,b,20240101" for number in range(10, 30)]]
    lines = refusal(database, "employees", "\n".join([HEADS["employees"], *rows])).splitlines()
    assert [line.partition(", id:")[0] for line in lines] == [f"people.csv, line {number}" for number in range(3, 13)]


@pytest.mark.parametrize("number", ["1e400", "-1e400", "Infinity", "NaN"])
def test_no_number_without_an_end_comes_from_json(database: Database, number: str) -> None:
    assert "total: wanted days" in refusal(
        database, "vacations", f'[{{"employee_id": "EMP001", "year": 2024, "total": {number}}}]', "json"
    )
    for column in ("title", "id"):
        assert f"row 1, {column}: wanted" in refusal(database, "documents", f'[{{"{column}": {number}}}]', "json")
    assert "wanted a number that has an end" in refusal(database, "own", f'[{{"n": {number}}}]', "json", new=True)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ('{"id": "EMP020", "name": "a", "hire_date": "20240101"}', "department: wanted a department, found nothing"),
        ('{"id": "EMP001", "name": ["a"]}', "row 1, name: wanted a text or a number, found ['a']"),
        ('{"id": "EMP001", "name": null}', "row 1, name: wanted a name, found None"),
        ('{"id": "EMP001", "name": "\\ud800"}', "row 1, name: wanted a name, found '\\ud800'"),
        ('{"id": "EMP001", "name": 99999999999999999999}', "row 1, name: wanted a name, found 99999999999999999999"),
        ("{}", "row 1: there is nothing in this row"),
        ("7", "row 1: wanted an object with the cells of a row; found 7"),
    ],
)  # fmt: skip
def test_a_wrong_row_of_json_is_named(database: Database, row: str, said: str) -> None:
    assert said in refusal(database, "employees", f"[{row}]", "json")


WRONG_FILES: dict[str, tuple[str, str | bytes, str]] = {
    "a heading that is unknown": (
        "csv",
        "id,직급\nEMP001,과장",
        "no column '직급'; employees has id, name, department",
    ),
    "two headings for one column": ("csv", "id,이름,성명\nEMP001,a,b", "two headings mean name"),
    "one heading twice": ("csv", "id,name,name\nEMP001,a,b", "two columns 'name'"),
    "a cell too many": ("csv", "id,name\nEMP001,a,b", "line 2: 'b' stands under no heading"),
    "nothing": ("csv", "", "is empty"),
    "headings alone": ("csv", "id,name,department,hire_date\n", "no rows; is the first line the headings?"),
    "one row without headings": ("csv", "EMP020,a,b,2024-03-04", "no rows; is the first line the headings?"),
    "no rows of JSON": ("json", "[]", "no rows; add one"),
    "no lines of JSON": ("jsonl", "\n", "no rows; add one"),
    "a quote without an end": ("csv", 'id,name\nEMP001,"a\n', "line 2: this is no CSV"),
    "neither this nor that": ("csv", b"\xff\x00\xff", "neither UTF-8 nor"),
    "JSON that is broken": ("json", '[{"id": }]', "not JSON: Expecting value: line 1"),
    "JSON that goes too deep": ("json", "[" * 100_000, "not JSON"),
    "JSON without rows": ("json", '{"id": "EMP001"}', "wanted a list of objects"),
    "a line that is broken": ("jsonl", '{"id": "EMP001"}\n{', "line 2 is not JSON"),
}


@pytest.mark.parametrize("what", WRONG_FILES)
def test_a_wrong_file_is_refused_with_the_fix(database: Database, what: str) -> None:
    form, text, said = WRONG_FILES[what]
    message = refusal(database, "employees", text, form, replace=True)
    assert said in message
    assert ";" in message, "what is wrong; what to do"


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("employes", "did you mean employees?"),
        ("방문객", "there are: employees, vacations, documents; to make it, import with --create"),
        ("tool_calls", "strictcall's own"),
        ("TOOL_SWITCHES", "strictcall's own"),
        ("documents_search", "strictcall's own"),
        ("documents_titles_data", "strictcall's own"),
        ("sqlite_master", "strictcall's own"),
        (None, "add one of employees, vacations, documents"),
    ],
)
def test_a_table_that_cannot_be_filled_is_refused(database: Database, table: str | None, said: str) -> None:
    assert said in refusal(database, table, "id,name\n1,a\n")
    if table not in {"방문객", "employes", None}:
        assert said in refusal(database, table, "id,name\n1,a\n", new=True)


def test_an_object_without_rows_for_the_table_says_what_it_has(database: Database) -> None:
    assert "it has documents" in refusal(database, "employees", '{"documents": []}', "json")


# ---- other names, other tables


def test_headings_can_be_renamed_or_left_out(database: Database) -> None:
    text = "사번,성함,부서,입사일,직급\nEMP020,홍길동,총무팀,2024.3.4,과장\n"
    put(database, "employees", text, rename={"성함": "name", "직급": ""})
    assert employees.with_id(database, "EMP020") == HONG
    assert "it has 사번, 성함" in refusal(database, "employees", text, rename={"없음": "name"})
    assert "there is no column 'rank'" in refusal(database, "employees", text, rename={"직급": "rank"})


def test_a_table_of_ones_own_is_made_with_the_types_that_the_file_shows(database: Database) -> None:
    text = "id,방문객,인원,요금,전화,메모\n1,김,3,1.5,01012345678,\n2,이,,2,0212345678,x\n"
    put(database, "visitors", text, new=True, rename={"메모": ""})
    with database.reading() as connection:
        types = connection.execute("SELECT name, type FROM pragma_table_info('visitors')").fetchall()
        rows = connection.execute("SELECT * FROM visitors ORDER BY id").fetchall()
    assert dict(map(tuple, types)) == {
        "id": "INTEGER", "방문객": "TEXT", "인원": "INTEGER", "요금": "REAL", "전화": "TEXT"
    }  # fmt: skip
    assert [tuple(row) for row in rows] == [(1, "김", 3, 1.5, "01012345678"), (2, "이", None, 2.0, "0212345678")]
    assert put(database, "Visitors", "id,인원\n2,5\n3,1\n", new=True) == {
        "visitors": {"added": 1, "updated": 1, "removed": 0}
    }
    assert "visitors" in refusal(database, "방문", "id\n1\n")


def test_what_is_text_in_json_stays_text_in_a_new_table(database: Database) -> None:
    put(database, 'my "table"', '[{"code": "12", "n": 1, "x": null}, {"code": "13", "n": 2.5}]', "json", new=True)
    with database.reading() as connection:
        rows = connection.execute('SELECT * FROM "my ""table"""').fetchall()
    assert [tuple(row) for row in rows] == [("12", 1.0, None), ("13", 2.5, None)]


def test_a_constraint_of_a_table_of_ones_own_is_shown(database: Database) -> None:
    with database.writing() as connection:
        connection.execute("CREATE TABLE rooms (name TEXT UNIQUE, seats INTEGER CHECK (seats > 0))")
    assert "line 2, seats: wanted what the table allows" in refusal(database, "rooms", "name,seats\na,0\n")
    assert "line 3, name: wanted what the table allows" in refusal(database, "rooms", "name,seats\na,1\na,2\n")


@pytest.mark.parametrize("text", ['[{"a": 1, "A": 2}]', "[{}]", '{"new": []}'])
def test_a_table_that_cannot_be_made_is_refused(database: Database, text: str) -> None:
    assert "table new" in refusal(database, "new", text, "json", new=True)


# ---- and back

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
DAYS = st.dates(max_value=date(2026, 1, 1)).map(str)
COUNTS = st.integers(0, 366) | st.floats(0, 366)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, list[tuple[Any, ...]]]:
    numbers = draw(st.lists(st.integers(0, 10**9).map("EMP{:03}".format), max_size=4, unique=True))
    people = [(number, draw(TEXT.filter(bool)), draw(TEXT), draw(DAYS)) for number in numbers]
    years = (
        draw(st.lists(st.tuples(st.sampled_from(numbers), st.integers(1900, 2999)), max_size=4, unique=True))
        if numbers
        else []
    )
    days = [sorted((draw(COUNTS), draw(COUNTS)), reverse=True) for _ in years]
    ids = draw(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=4, unique=True))
    return {
        "employees": people,
        "vacations": [(*year, *day) for year, day in zip(years, days, strict=True)],
        "documents": [(one, draw(TEXT.filter(bool)), draw(TEXT), draw(TEXT)) for one in ids],
    }


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, Database]]:
    first, second = (Database(str(tmp_path_factory.mktemp("both") / "mcp_data.db")) for _ in range(2))
    yield first, second
    first.close()
    second.close()


def fill(database: Database, data: dict[str, list[tuple[Any, ...]]]) -> None:
    with database.writing() as connection:
        for table in reversed(THREE):
            connection.execute(f"DELETE FROM {table}")  # noqa: S608 - ours
        for table in THREE:
            connection.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?)", data[table])  # noqa: S608 - ours


def exported(database: Database, table: str | None, form: str) -> bytes:
    with database.reading() as connection:
        return "".join(dump(connection, table, form)).encode()


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables())
def test_what_was_exported_comes_back_as_it_was(
    both: tuple[Database, Database], data: dict[str, list[tuple[Any, ...]]]
) -> None:
    first, second = both
    fill(first, data)
    put(second, None, exported(first, None, "json"), "json", replace=True)
    assert repr(contents(second)) == repr(contents(first))
    for form in ("csv", "json"):
        put(second, None, '{"employees": [], "documents": []}', "json", replace=True)
        for table in THREE:
            if data[table]:
                put(second, table, exported(first, table, form), form)
        assert repr(contents(second)) == repr(contents(first))


def test_a_table_of_ones_own_is_exported_too(database: Database) -> None:
    with database.writing() as connection:
        connection.execute("CREATE TABLE rooms (name TEXT, picture BLOB)")
        connection.execute("INSERT INTO rooms VALUES ('방', x'00ff'), (NULL, NULL)")
    assert exported(database, "rooms", "csv").decode() == "name,picture\r\n방,00ff\r\n,\r\n"
    assert exported(database, "Rooms", "json").decode() == (
        '[\n{"name": "방", "picture": "00ff"},\n{"name": null, "picture": null}\n]\n'
    )
    with pytest.raises(BadData, match="strictcall's own"):
        exported(database, "tool_calls", "csv")


def test_all_that_is_exported_has_the_tables_of_ones_own_and_makes_them_elsewhere(
    database: Database, tmp_path: Path
) -> None:
    put(database, "방문", "id,인원\n1,3\n2,\n", new=True)
    with database.writing() as connection:
        connection.execute("CREATE TABLE empty (name TEXT)")
        connection.execute("CREATE VIRTUAL TABLE own_index USING fts5 (name)")
    everything = exported(database, None, "json")
    assert [*json.loads(everything)] == [*THREE, "empty", "방문"]
    other = Database(str(tmp_path / "other.db"))
    for _ in range(2):
        put(other, None, everything, "json", replace=True)
    assert exported(other, "방문", "json") == exported(database, "방문", "json")
    assert "there is no table 'empty'" in refusal(other, "empty", "name\na\n")
    other.close()


def test_a_file_that_was_not_exported_makes_no_table(database: Database) -> None:
    assert "did you mean employees?" in refusal(database, None, '{"employes": [{"id": "EMP020"}]}', "json")


def test_what_is_exported_is_json_whatever_is_in_the_table(database: Database) -> None:
    def fail(constant: str) -> None:
        raise AssertionError(constant)

    with database.writing() as connection:
        connection.execute("UPDATE vacations SET total = 9e999")
    assert json.loads(exported(database, None, "json"), parse_constant=fail)["vacations"][0]["total"] == "inf"
