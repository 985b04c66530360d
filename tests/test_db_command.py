"""`strictcall db`, as a real process: where the database is, people's own data into it and out of it."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
Run = Callable[..., subprocess.CompletedProcess[bytes]]
PEOPLE = "사번,성명,부서,입사일\nEMP020,홍길동,총무팀,2024.3.4\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "내 자료" / "mcp data.db"


@pytest.fixture
def db(path: Path) -> Run:
    def run(*arguments: str | Path, given: bytes = b"", at: Path = path) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "runner.cli", "db", *map(str, arguments)],
            input=given,
            capture_output=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "STRICTCALL_DB": str(at)},
            check=False,
            timeout=60,
        )

    return run


def refused(ran: subprocess.CompletedProcess[bytes]) -> str:
    assert ran.returncode == 2
    assert not ran.stdout
    (line,) = ran.stderr.decode().splitlines()
    assert ";" in line, "what is wrong; what to do"
    return line


def test_the_path_is_said_and_nothing_is_made(db: Run, path: Path) -> None:
    assert db("path").stdout.decode().strip() == str(path)
    assert json.loads(db("path", "--json").stdout) == {"path": str(path)}
    assert not path.exists()


def test_init_makes_a_database_with_samples_and_leaves_it_alone_then(db: Run, path: Path) -> None:
    rows = {"employees": 12, "vacations": 36, "documents": 14}
    assert json.loads(db("init", "--json").stdout) == {"path": str(path), "made": True, "rows": rows}
    assert json.loads(db("init", "--json").stdout) == {"path": str(path), "made": False, "rows": rows}
    again = db("init")
    assert again.returncode == 0
    assert again.stdout.decode() == f"there already: {path}\nemployees 12, vacations 36, documents 14\n"


def test_an_empty_database_is_made_but_none_is_emptied(db: Run, path: Path) -> None:
    assert json.loads(db("init", "--empty", "--json").stdout)["rows"] == {
        "employees": 0,
        "vacations": 0,
        "documents": 0,
    }
    assert db("init", "--empty").returncode == 0
    assert db("import", "-", "employees", "--format", "csv", given=PEOPLE.encode()).returncode == 0
    line = refused(db("init", "--empty"))
    assert str(path) in line
    assert "--replace" in line


def test_a_file_of_korean_excel_is_imported_and_said_to_be_one(db: Run, tmp_path: Path) -> None:
    file = tmp_path / "인사 자료.csv"
    file.write_bytes(PEOPLE.encode("cp949"))
    ran = db("import", file, "employees", "--replace")
    assert ran.stdout.decode() == (
        "employees: 1 added, 0 updated, 12 removed\nvacations: 0 added, 0 updated, 36 removed\n"
    )
    assert "read as CP949" in ran.stderr.decode()
    ran = db("import", file, "employees", "--json")
    assert json.loads(ran.stdout)["tables"] == {"employees": {"added": 0, "updated": 1, "removed": 0}}


def test_all_that_was_exported_is_taken_back(db: Run, tmp_path: Path, path: Path) -> None:
    exported = db("export").stdout
    assert [*json.loads(exported)] == ["employees", "vacations", "documents"]
    file = tmp_path / "backup.json"
    assert json.loads(db("export", "-o", file, "--json").stdout) == {
        "file": str(file),
        "format": "json",
        "tables": ["employees", "vacations", "documents"],
    }
    assert file.read_bytes() == exported
    assert db("export", "-o", "-").stdout == exported
    path.unlink()
    db("init", "--empty")
    assert db("import", file).returncode == 0
    assert db("export").stdout == exported


def test_a_csv_file_opens_in_korean_excel_and_is_taken_back(db: Run, tmp_path: Path) -> None:
    file = tmp_path / "people.CSV"
    ran = db("export", "employees", "-o", file)
    assert not ran.stdout
    assert ran.stderr.decode() == f"wrote employees to {file}\n"
    assert file.read_bytes().startswith(b"\xef\xbb\xbfid,name,department,hire_date\r\nEMP001,")
    assert file.read_bytes()[3:] == db("export", "employees", "--format", "csv").stdout
    ran = db("import", file, "employees", "--replace")
    assert ran.stdout == b"employees: 12 added, 0 updated, 12 removed\n"
    assert not ran.stderr


def test_headings_are_renamed_and_tables_made_on_request(db: Run) -> None:
    given = "사번,성함,부서,입사일,직급\nEMP020,홍길동,총무팀,2024.3.4,과장\n".encode()
    command = ("import", "-", "employees", "--format", "csv")
    assert "--rename 성함=COLUMN" in refused(db(*command, given=given))
    assert db(*command, "--rename", "성함=name", "--rename", "직급=", given=given).returncode == 0
    assert db("import", "-", "직원", "--create", "--format", "csv", given=given).returncode == 0
    assert json.loads(db("export", "직원").stdout)[0]["직급"] == "과장"


def test_the_tables_are_listed_and_those_of_ones_own_can_be_dropped(db: Run, path: Path) -> None:
    db("import", "-", "직원", "--create", "--format", "csv", given=PEOPLE.encode())
    built_in = [
        {"name": "employees", "rows": 12, "built_in": True},
        {"name": "vacations", "rows": 36, "built_in": True},
        {"name": "documents", "rows": 14, "built_in": True},
    ]
    own = {"name": "직원", "rows": 1, "built_in": False}
    assert json.loads(db("tables", "--json").stdout) == {"path": str(path), "tables": [*built_in, own]}
    assert db("tables").stdout.decode().splitlines()[2:] == [
        "documents       14  built in",
        "직원             1  yours",
    ]
    assert "add --yes" in refused(db("drop", "직원"))
    assert json.loads(db("tables", "--json").stdout)["tables"] == [*built_in, own]
    assert db("drop", "직원", "--yes").stdout.decode() == "dropped 직원\n"
    assert json.loads(db("tables", "--json").stdout)["tables"] == built_in


def test_who_adds_the_same_documents_twice_is_told_so(db: Run) -> None:
    ran = db("import", "-", "documents", "--format", "csv", "--json", given=b"title,content\na,b\n")
    assert json.loads(ran.stdout)["tables"]["documents"]["added"] == 1
    assert ran.stderr.decode() == (
        "strictcall: documents: no id column: rows were added, not updated; --replace empties the table first\n"
    )


WRONG = {
    "no file": (("import",), "FILE"),
    "a file that is not there": (("import", "nowhere.csv", "employees"), "nowhere.csv"),
    "a file that is not there and says nothing": (
        ("import", "nowhere", "employees"),
        "cannot read nowhere: No such file",
    ),
    "a directory": (("import", ".", "employees"), "cannot read ."),
    "a file of another kind": (("import", "README.md", "employees"), "name it .csv"),
    "no format": (("import", "-", "employees"), "standard input; add --format csv"),
    "no table": (("import", "-", "--format", "csv"), "employees, vacations, documents"),
    "a rename that says nothing": (
        ("import", "-", "employees", "--format", "csv", "--rename", "a"),
        "--rename a=COLUMN",
    ),
    "an internal table": (("import", "-", "tool_calls", "--format", "csv"), "strictcall's own"),
    "a built-in table to drop": (("drop", "Employees", "--yes"), "the tools need the table employees"),
    "an internal table to drop": (("drop", "tool_calls", "--yes"), "strictcall's own"),
    "a table that is not there": (("export", "nowhere"), "there are: employees"),
    "a file of no known kind": (("export", "employees", "-o", "people.tsv"), "--format"),
    "CSV of all": (("export", "--format", "csv"), "name it: employees"),
    "CSV and JSON": (("export", "employees", "--format", "csv", "--json"), "-o FILE"),
    "a place where nothing can be": (("export", "-o", "nowhere/at/all.json"), "nowhere/at/all.json"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_usage_is_one_line_with_the_fix_and_exit_2(db: Run, what: str) -> None:
    arguments, named = WRONG[what]
    assert named in refused(db(*arguments, given=PEOPLE.encode()))


@pytest.mark.parametrize("command", [("init",), ("init", "--empty"), ("export",)])
def test_a_place_where_no_database_can_be_is_named(db: Run, path: Path, command: tuple[str, ...]) -> None:
    path.parent.write_text("a file where the directory should be", "utf-8")
    assert "STRICTCALL_DB" in refused(db(*command))


def test_a_path_that_was_mistyped_is_not_made(tmp_path: Path, db: Run, path: Path) -> None:
    ran = db("init", "--empty", at=tmp_path / "no" / "where" / path.name)
    assert f"there is no folder {tmp_path / 'no'}; set STRICTCALL_DB" in refused(ran)
    assert not (tmp_path / "no").exists()


def test_a_file_that_is_no_database_is_left_alone(db: Run, path: Path) -> None:
    path.parent.mkdir()
    path.write_text("these are my notes; " * 100, "utf-8")
    assert "STRICTCALL_DB" in refused(db("init"))
    assert path.read_text("utf-8").startswith("these are my notes")


def test_what_reads_the_index_follows_an_import(db: Run, path: Path) -> None:
    given = json.dumps([{"제목": "주차 안내", "내용": "지하 2층", "분류": "총무"}]).encode()
    db("import", "-", "documents", "--replace", "--format", "json", given=given)
    connection = sqlite3.connect(path)
    for index in ("documents_search", "documents_titles"):
        connection.execute(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")  # noqa: S608 - ours
    connection.close()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_long_import_shows_how_far_it_is_to_who_waits_at_a_terminal(tmp_path: Path, path: Path) -> None:
    import pty  # noqa: PLC0415 - not on Windows

    file = tmp_path / "many.csv"
    file.write_text("title,content\n" + "a,b\n" * 3000, "utf-8")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "runner.cli", "db", "import", str(file), "documents"],
        stdout=subprocess.PIPE,
        stderr=theirs,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "STRICTCALL_DB": str(path), "TERM": "xterm"},
    ) as running:
        os.close(theirs)
        assert b"100%" in drained(ours)
        out, _ = running.communicate(timeout=60)
    assert out == b"documents: 3000 added, 0 updated, 0 removed\n"


def drained(terminal: int) -> bytes:
    said = b""
    try:
        while piece := os.read(terminal, 65_536):
            said += piece
    except OSError:  # the other end was closed
        pass
    os.close(terminal)
    return said
