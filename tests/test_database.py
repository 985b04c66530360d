"""The database file: made on first use, never overwritten, shared by threads and processes."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from db import calls, documents, employees, vacations
from db.calls import Call
from db.changes import changes
from db.connections import KEPT
from db.database import Database, ReadOnly, Unusable
from db.location import database_path, uri, user_data

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


# ---- reading and writing


def test_who_reads_can_change_nothing(database: Database) -> None:
    with pytest.raises(sqlite3.OperationalError, match="readonly"), database.reading() as connection:
        connection.execute("DELETE FROM vacations")
    with pytest.raises(PermissionError, match="read_only=False"):
        ReadOnly(database).writing()
    assert len(employees.everyone(ReadOnly(database))) == 12


def test_rows_have_their_form_whatever_who_came_before_wanted(database: Database) -> None:
    with database.reading() as connection:
        connection.row_factory = lambda _, row: dict(enumerate(row))
        connection.text_factory = bytes
    assert employees.with_id(database, "EMP001") == ("EMP001", "김민준", "개발팀", "2019-03-04")


def test_after_a_burst_few_connections_are_kept(database: Database) -> None:
    with ExitStack() as many:
        held = [many.enter_context(database.reading()) for _ in range(2 * KEPT)]
    assert held[-1].execute("SELECT 1").fetchone()[0] == 1
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        held[0].execute("SELECT 1")  # the first that was taken is the last that was given back


def test_a_file_that_was_taken_away_is_made_anew(database: Database) -> None:
    calls.record(database, a_call(1))
    for path in Path(database.path).parent.iterdir():
        path.unlink()
    database.look()
    assert len(employees.everyone(ReadOnly(database))) == 12
    calls.record(database, a_call(2))
    assert [call.arguments for call in calls.latest(database)] == ['{"number": 2}']
    database.close()
    assert rows(database.path, "SELECT count(*) FROM tool_calls") == [(1,)]


def test_a_file_that_was_put_in_its_place_is_the_one_that_is_read(database: Database, tmp_path: Path) -> None:
    calls.record(database, a_call(1))
    other = Database(str(tmp_path / "other.db"))
    with other.writing() as connection:
        connection.execute("UPDATE employees SET name = '새 사람'")
    other.close()
    for path in Path(database.path).parent.iterdir():
        path.unlink()
    Path(other.path).replace(database.path)
    changes(database)  # what a server asks once a second
    assert {one.name for one in employees.everyone(database)} == {"새 사람"}
    calls.record(database, a_call(2))
    assert [call.arguments for call in calls.latest(database)] == ['{"number": 2}']
    assert rows(database.path, "PRAGMA integrity_check") == [("ok",)]


@pytest.mark.parametrize("name", ["100% 사내 자료.db", "a%20b.db", "what?mode=memory.db", "c#.db", "it's & more;.db"])
def test_a_file_may_have_any_name(tmp_path: Path, name: str) -> None:
    if os.name == "nt" and "?" in name:
        pytest.skip("not on Windows")
    database = Database(str(tmp_path / name))
    calls.record(database, a_call())
    assert len(calls.latest(database)) == 1
    database.close()
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("path", "windows", "address"),
    [
        ("/srv/50% ?#.db", False, "file:///srv/50%25 %3f%23.db"),
        ("/srv/a\\b.db", False, "file:///srv/a\\b.db"),
        ("C:\\Users\\김 민준\\a#.db", True, "file:///C:/Users/김 민준/a%23.db"),
        ("\\\\server\\share\\a.db", True, "file:////server/share/a.db"),
    ],
)
def test_a_path_is_an_address_for_sqlite(path: str, windows: bool, address: str) -> None:
    assert uri(path, windows=windows) == address


# ---- what has changed


@pytest.mark.parametrize(
    ("sql", "tools", "documents"),
    [
        ("INSERT INTO tool_switches VALUES ('b', 0)", 1, 0),
        ("UPDATE tool_switches SET enabled = 0", 1, 0),
        ("UPDATE tool_switches SET enabled = 1", 0, 0),
        ("DELETE FROM tool_switches", 1, 0),
        ("INSERT INTO documents (title, content) VALUES ('a', 'b')", 0, 1),
        ("DELETE FROM documents WHERE id = 1", 0, 1),
        ("UPDATE documents SET title = '바뀐 제목' WHERE id = 1", 0, 1),
        ("UPDATE documents SET category = 'other' WHERE id = 1", 0, 1),
        ("UPDATE documents SET id = 777 WHERE id = 1", 0, 1),
        ("UPDATE documents SET content = 'longer' WHERE id = 1", 0, 0),
    ],
)
def test_who_looks_now_and_then_sees_that_a_list_has_changed(
    database: Database, sql: str, tools: int, documents: int
) -> None:
    with database.writing() as connection:
        connection.execute("INSERT INTO tool_switches VALUES ('a', 1)")
    before = changes(database)
    with database.writing() as connection:
        connection.execute(sql)
    assert changes(database) == (before.tools + tools, before.documents + documents)


# ---- what cannot be used


def test_a_table_of_changes_that_was_emptied_does_no_harm(database: Database) -> None:
    with database.writing() as connection:
        connection.execute("DELETE FROM changes")
    assert changes(database) == (0, 0)


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


READER = """
import json, logging, os, sys
from mcp_server.registry import default_registry
for path in sys.argv[1:]:
    with default_registry(path) as registry:
        result = registry.call("get_employee_info", {"employee_id": "EMP001"}, "test")
    if os.getuid() == 0:
        os.seteuid(65534)  # Nothing is forbidden to root. The first path was for all that is read but once.
print(result.text)
"""


@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")
@pytest.mark.parametrize(
    ("sql", "answer"),
    [
        ("SELECT 1", "김민준"),
        ("PRAGMA journal_mode = DELETE", "김민준"),
        ("PRAGMA user_version = 3", "set STRICTCALL_DB to another file"),
    ],
)
def test_a_database_that_cannot_be_written_is_read_if_it_is_up_to_date(tmp_path: Path, sql: str, answer: str) -> None:
    with TemporaryDirectory() as folder:  # not in tmp_path, which nobody else may enter
        database = Database(f"{folder}/mcp_data.db")
        employees.everyone(database)
        database.close()
        rows(database.path, sql)
        Path(folder).chmod(0o555)
        ended = subprocess.run(
            [sys.executable, "-c", READER, str(tmp_path / "first.db"), database.path],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            encoding="utf-8",
            check=True,
            timeout=60,
        )
        Path(folder).chmod(0o755)
    assert answer in ended.stdout
    assert ended.stderr == ""


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


WHERE = """
import os, sys
from db.location import database_path
if os.getuid() == 0:
    os.setuid(65534)  # nothing is forbidden to root
print(database_path({"XDG_DATA_HOME": "/home/other"}, sys.argv[1]))
"""


@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")
@pytest.mark.parametrize(
    ("there", "where"), [(True, "{}/db/mcp_data.db"), (False, "/home/other/strictcall/mcp_data.db")]
)
def test_who_may_only_read_a_checkout_uses_its_database_if_it_has_one(there: bool, where: str) -> None:
    with TemporaryDirectory() as folder:  # not in tmp_path, which nobody else may enter
        Path(folder).chmod(0o755)
        Path(folder, "pyproject.toml").touch()
        Path(folder, "db").mkdir()
        if there:
            Path(folder, "db", "mcp_data.db").touch()
        Path(folder, "db").chmod(0o555)
        ended = subprocess.run(
            [sys.executable, "-c", WHERE, folder],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            encoding="utf-8",
            check=True,
            timeout=60,
        )
        Path(folder, "db").chmod(0o755)
        assert ended.stdout.strip() == where.format(folder)


def test_of_a_path_that_the_environment_names_only_the_last_folder_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRICTCALL_DB", str(tmp_path / "no" / "where" / "a.db"))
    with pytest.raises(Unusable, match=r"there is no folder .*no; .*set STRICTCALL_DB"):
        employees.everyone(Database())
    assert not (tmp_path / "no").exists()
    monkeypatch.setenv("STRICTCALL_DB", str(tmp_path / "new" / "a.db"))
    database = Database()
    assert len(employees.everyone(database)) == 12
    database.close()


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
    for number in range(99):
        calls.record(database, a_call(number))
    assert len(calls.latest(database, 1000)) == 99
    calls.record(database, a_call(text="한" * 100_000 + "\ud800"))
    kept = calls.latest(database, 1000)
    assert len(kept) == 5
    assert len(kept[0].arguments) == calls.MAX_TEXT
    assert kept[1].arguments == '{"number": 98}'


def test_the_record_says_when_and_can_be_asked_of_one_tool(database: Database) -> None:
    for tool in ("a", "b", "a"):
        calls.record(database, a_call()._replace(tool=tool))
    assert [one.id for one in calls.latest(database, tool="a")] == [3, 1]
    written = datetime.fromisoformat(calls.latest(database, 1)[0].called_at)
    assert abs(datetime.now(UTC) - written) < timedelta(days=1)


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
