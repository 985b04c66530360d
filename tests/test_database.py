"""The database file: made on first use, never overwritten, shared by threads and processes."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from db import calls, documents, employees, vacations
from db.calls import Call
from db.database import Database, Unusable
from db.location import database_path, user_data

ROOT = Path(__file__).parent.parent


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(str(tmp_path / "new" / "mcp_data.db"))
    yield opened
    opened.close()


def rows(path: str | Path, sql: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def a_call(number: int = 0, text: str = "") -> Call:
    return Call("tool", "test", text or f'{{"number": {number}}}', "ok", text, 1.5)


# ---- made on first use


def test_a_new_database_has_samples_and_is_in_wal(database: Database) -> None:
    assert employees.with_id(database, "EMP001") == ("EMP001", "김민준", "개발팀", "2019-03-04")
    assert vacations.years(database, "EMP001") == [2024, 2025, 2026]
    assert rows(database.path, "PRAGMA journal_mode") == [("wal",)]


def test_what_a_user_has_changed_stays(database: Database) -> None:
    with database.writing() as connection:
        connection.execute("DELETE FROM employees WHERE id <> 'EMP001'")
        connection.execute("UPDATE employees SET name = '바뀐 이름'")
    again = Database(database.path)
    assert [one.name for one in employees.everyone(again)] == ["바뀐 이름"]
    again.close()


def test_a_database_from_elsewhere_is_taken_as_it_is(tmp_path: Path) -> None:
    """One with the tables of the specification but none of our constraints, and no samples."""
    path = tmp_path / "mcp_data.db"
    old = sqlite3.connect(path)
    old.executescript(
        "CREATE TABLE documents (id TEXT, title TEXT, content TEXT, category TEXT);"
        "CREATE TABLE employees (id TEXT PRIMARY KEY, name TEXT, department TEXT, hire_date TEXT);"
        "CREATE TABLE vacations (employee_id TEXT, year INTEGER, total INTEGER, used INTEGER);"
        "INSERT INTO documents VALUES ('D7', '사내 규정', '점심 시간은 한 시간', NULL), ('D8', NULL, NULL, NULL);"
        "INSERT INTO employees VALUES ('EMP900', '홍길동', '총무팀', '2020-01-01');"
    )
    old.close()
    database = Database(str(path))
    assert [one.id for one in employees.everyone(database)] == ["EMP900"]
    assert [hit.id for hit in documents.search(database, "점심", 5).hits] == ["D7"]
    database.close()


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO employees VALUES ('7', 'a', 'b', '2020-01-01')",
        "INSERT INTO employees VALUES ('EMP1x1', 'a', 'b', '2020-01-01')",
        "INSERT INTO employees VALUES ('EMP100', 'a', 'b', '2020-02-31')",
        "INSERT INTO vacations VALUES ('EMP001', 2027, 10, 11)",
        "INSERT INTO vacations VALUES ('EMP001', 2025, 10, 1)",
        "INSERT INTO vacations VALUES ('EMP555', 2025, 10, 1)",
        "INSERT INTO vacations VALUES ('EMP001', 2027, 'ten', 0)",
        "INSERT INTO documents (title, content) VALUES ('', 'x')",
    ],
)
def test_what_makes_no_sense_cannot_be_written(database: Database, sql: str) -> None:
    with pytest.raises(sqlite3.IntegrityError), database.writing() as connection:
        connection.execute(sql)
    assert len(employees.everyone(database)) == 12


def test_an_error_leaves_nothing_half_written(database: Database) -> None:
    def fail() -> None:
        with database.writing() as connection:
            connection.execute("DELETE FROM vacations")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert vacations.years(database, "EMP001")


# ---- what cannot be used


def test_a_file_that_is_no_database_is_named_with_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_text("these are my notes, not a database; " * 100)
    with pytest.raises(Unusable, match=r"notes\.db: .*set STRICTCALL_DB"):
        employees.everyone(Database(str(path)))
    assert path.read_text().startswith("these are my notes")


def test_a_database_of_a_later_version_is_left_alone(database: Database) -> None:
    employees.everyone(database)
    with database.writing() as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(Unusable, match="upgrade strictcall"):
        employees.everyone(Database(database.path))
    assert rows(database.path, "PRAGMA user_version") == [(99,)]


# ---- where it is


def test_the_environment_says_where_the_database_is(tmp_path: Path) -> None:
    assert database_path({"STRICTCALL_DB": str(tmp_path / "a.db")}) == str(tmp_path / "a.db")
    assert database_path({"STRICTCALL_DB": "~/a.db"}) == str(Path("~/a.db").expanduser())


def test_a_checkout_has_its_own_and_a_package_uses_the_users(tmp_path: Path) -> None:
    (tmp_path / "db").mkdir()
    home = {"XDG_DATA_HOME": str(tmp_path / "data"), "LOCALAPPDATA": str(tmp_path / "data")}
    assert str(tmp_path / "db") not in database_path(home, str(tmp_path))
    (tmp_path / "pyproject.toml").touch()
    assert database_path(home, str(tmp_path)) == str(tmp_path / "db" / "mcp_data.db")


@pytest.mark.parametrize(
    ("platform", "environ", "end"),
    [
        ("linux", {"XDG_DATA_HOME": "relative"}, "/.local/share"),
        ("linux", {"XDG_DATA_HOME": "/srv/data"}, "/srv/data"),
        ("darwin", {}, "/Library/Application Support"),
        ("win32", {"LOCALAPPDATA": "C:/Users/me/AppData/Local"}, "C:/Users/me/AppData/Local"),
        ("win32", {}, "/AppData/Local"),
    ],
)
def test_each_system_has_its_place_for_the_data_of_a_user(platform: str, environ: dict[str, str], end: str) -> None:
    assert user_data(environ, platform).replace("\\", "/").endswith(end)


# ---- the record of calls


def test_the_record_is_cut_to_size(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "MAX_CALLS", 5)
    for number in range(9):
        calls.record(database, a_call(number))
    calls.record(database, a_call(text="한" * 100_000 + "\ud800"))
    kept = calls.latest(database, 100)
    assert len(kept) == 5
    assert len(kept[0].arguments) == calls.MAX_TEXT
    assert kept[1].arguments == '{"number": 8}'


def test_the_record_can_be_pruned(database: Database) -> None:
    for number in range(4):
        calls.record(database, a_call(number))
    assert calls.prune(database, keep=1) == 3
    assert [one.arguments for one in calls.latest(database)] == ['{"number": 3}']
    assert calls.prune(database) == 1


# ---- many at once

WRITER = """
import sys
from db.calls import Call, record
from db.database import Database
database = Database(sys.argv[1])
sys.stdin.readline()
for number in range(int(sys.argv[2])):
    record(database, Call("tool", "test", str(number), "ok", "", 1.0))
database.close()
"""


def start_writers(path: Path, processes: int, count: int) -> list[subprocess.CompletedProcess[str]]:
    """Processes that all wait for one word, get it, and write."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(count)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        for _ in range(processes)
    ]
    for one in started:
        assert one.stdin
        one.stdin.write("go\n")
        one.stdin.flush()
    ends = [(*one.communicate(timeout=60), one.returncode) for one in started]
    return [subprocess.CompletedProcess("", code, out, err) for out, err, code in ends]


def test_processes_that_write_at_once_wait_for_one_another(tmp_path: Path) -> None:
    path = tmp_path / "mcp_data.db"
    ends = start_writers(path, 2, 200)
    assert [(end.returncode, end.stderr) for end in ends] == [(0, "")] * 2
    assert rows(path, "SELECT count(*) FROM tool_calls") == [(400,)]


def test_processes_that_all_come_first_make_one_database(tmp_path: Path) -> None:
    for attempt in range(3):
        path = tmp_path / f"{attempt}.db"
        ends = start_writers(path, 6, 1)
        assert [(end.returncode, end.stderr) for end in ends] == [(0, "")] * 6
        assert rows(path, "SELECT count(*) FROM employees") == [(12,)]
        assert rows(path, "SELECT count(*) FROM tool_calls") == [(6,)]
        assert rows(path, "PRAGMA integrity_check") == [("ok",)]


def test_threads_share_a_database(database: Database) -> None:
    def use(number: int) -> int:
        calls.record(database, a_call(number))
        with database.writing() as connection:
            (days,) = connection.execute("SELECT total FROM vacations WHERE employee_id = 'EMP001'").fetchone()
            connection.execute("UPDATE vacations SET total = ? WHERE employee_id = 'EMP001'", (days + 1,))
        return len(employees.everyone(database))

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(use, range(80))) == {12}
    assert len(calls.latest(database, 1000)) == 80
    assert vacations.of_year(database, "EMP001", 2024) == (17 + 80, 12)
