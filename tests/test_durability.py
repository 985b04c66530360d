"""What was committed is there, whatever happens to the process; and those who write at once wait for one another."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from db import calls, employees
from db.database import Database
from db.documents import search
from db.migrations import HERE, statements

ROOT = Path(__file__).parent.parent
STEPS = sorted(Path(HERE).glob("*.sql"))

# Each waits for a word before it writes; some wait for another in the middle, which does not come.
RECORD = """
import sys
from db.calls import Call, record
from db.database import Database
database = Database()
sys.stdin.readline()
for number in range(int(sys.argv[1]), int(sys.argv[2])):
    record(database, Call("tool", "test", str(number), "ok", "x" * 3000, 1.0))
    print(number, flush=True)
"""
IMPORT = """
import sys
from contextlib import contextmanager
from db.database import Database
from db.exchange.incoming import load
from db.exchange.sheet import read
database = Database()
sys.stdin.readline()
text = "title,content\\n" + "새 제목,새 내용\\n" * 1000
@contextmanager
def watch(rows):
    def watched():
        for number, row in enumerate(rows):
            yield row
            if sys.argv[2:] == [str(number)]:
                print("in the middle", flush=True)
                sys.stdin.readline()
    yield watched()
for _ in range(int(sys.argv[1])):
    load(database, read(text.encode(), "a.csv", "csv"), "documents", replace=True, watch=watch)
"""
MIGRATE = """
import sqlite3, sys
from db.location import database_path
from db.migrations import migrate
connection = sqlite3.connect(database_path(), isolation_level=None)
def wait(sql):
    if "CREATE TRIGGER" in sql:
        print("in the middle", flush=True)
        sys.stdin.readline()
connection.set_trace_callback(wait)
migrate(connection)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "mcp_data.db"


def start(path: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "STRICTCALL_DB": str(path)},
    )


def killed_after(lines: int, process: subprocess.Popen[str]) -> list[str]:
    """Let it say so many lines, and kill it; returns all that it said."""
    with process:
        assert process.stdin
        assert process.stdout
        process.stdin.write("go\n")
        process.stdin.flush()
        said = [process.stdout.readline() for _ in range(lines)]
        process.kill()
        said += process.stdout.readlines()
    return said


def ended(*processes: subprocess.Popen[str]) -> None:
    """Let all go at once, and see all of them succeed in silence."""
    for one in processes:
        assert one.stdin
        one.stdin.write("go\n")
        one.stdin.flush()
    for one in processes:
        _, errors = one.communicate(timeout=60)
        assert (one.returncode, errors) == (0, "")


def check(path: Path) -> None:
    """The file is whole, and so are its indexes."""
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA user_version").fetchone() == (len(STEPS),)
    for index in ("documents_search", "documents_titles"):
        connection.execute(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")  # noqa: S608 - ours
    connection.close()


def recorded(path: Path) -> list[str]:
    connection = sqlite3.connect(path)
    numbers = [number for (number,) in connection.execute("SELECT arguments FROM tool_calls ORDER BY id")]
    connection.close()
    return numbers


# ---- killed


def test_a_process_that_is_killed_loses_nothing_that_it_has_written(path: Path) -> None:
    said: list[str] = []
    for begin in range(0, 4000, 1000):
        process = start(path, "-c", RECORD, str(begin), str(begin + 1000))
        said += [line.strip() for line in killed_after(40, process) if line.endswith("\n")]
        check(path)
        assert set(said) <= set(recorded(path))
    assert len(recorded(path)) <= len(said) + 4, "at most the one that it was about to say"


def test_an_import_that_is_killed_leaves_all_as_it_was(path: Path) -> None:
    assert killed_after(1, start(path, "-c", IMPORT, "1", "500")) == ["in the middle\n"]
    check(path)
    database = Database(str(path))
    assert search(database, "연차", 5).hits[0].title == "연차 휴가 규정"
    assert not search(database, "새 제목", 5).hits
    database.close()
    ended(start(path, "-c", IMPORT, "1"))


def test_a_first_use_that_is_killed_is_begun_again_by_the_next(path: Path) -> None:
    process = start(path, "-c", MIGRATE)
    assert killed_after(2, process) == ["in the middle\n"] * 2
    database = Database(str(path))
    assert len(employees.everyone(database)) == 12
    database.close()
    check(path)


# ---- at once


def test_calls_and_imports_at_once_wait_for_one_another_and_lose_nothing(path: Path) -> None:
    ended(
        start(path, "-c", RECORD, "0", "300"),
        start(path, "-c", IMPORT, "3"),
        start(path, "-c", RECORD, "300", "600"),
    )
    check(path)
    assert sorted(map(int, recorded(path))) == list(range(600))
    database = Database(str(path))
    assert search(database, "새 제목", 5).total == 1000
    assert not search(database, "연차", 5).hits
    database.close()


def test_commands_that_all_come_first_make_one_database(path: Path) -> None:
    runner = ("runner/mcp_tools_runner.py", "get_employee_info", "employee_id=EMP001")
    command = ("-m", "runner.cli", "db")
    people = path.with_name("people.csv")
    people.write_text("사번,성명,부서,입사일\nEMP020,홍길동,총무팀,2024.3.4\n", "utf-8")
    ended(
        start(path, *runner),
        start(path, *command, "init"),
        start(path, *command, "import", str(people), "employees"),
        start(path, *runner),
        start(path, *command, "export"),
    )
    check(path)
    database = Database(str(path))
    assert len(employees.everyone(database)) == 13
    assert [one.outcome for one in calls.latest(database)] == ["ok", "ok"]
    database.close()


def test_an_old_database_is_brought_up_to_date_once_by_whoever_comes(path: Path) -> None:
    old = sqlite3.connect(path, isolation_level=None)
    for step in STEPS[:3]:
        with step.open(encoding="utf-8") as script:
            for statement in statements(script):
                old.execute(statement)
    old.execute("PRAGMA user_version = 3")
    old.execute("INSERT INTO documents (title, content) VALUES ('오래된 글', '내용')")
    old.close()
    ended(*(start(path, "-c", RECORD, str(number), str(number + 1)) for number in range(5)))
    check(path)
    assert sorted(recorded(path)) == ["0", "1", "2", "3", "4"]
    database = Database(str(path))
    assert [hit.title for hit in search(database, "오래", 5).hits] == ["오래된 글"]
    assert not employees.everyone(database), "samples are for new databases"
    database.close()
