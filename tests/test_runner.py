"""The runner, as a shell runs it: another process, another directory, nothing installed."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from command import on_a_terminal

ROOT = Path(__file__).parent.parent
RUNNER = ROOT / "runner" / "mcp_tools_runner.py"
POSIX = pytest.mark.skipif(os.name != "posix", reason="a POSIX shell")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runner") / "사내 자료.db"


@pytest.fixture
def environ(database: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return kept | {"STRICTCALL_DB": str(database)}


def run(
    environ: dict[str, str], cwd: Path, *words: str, stdin: bytes = b"", python: tuple[str, ...] = ("-S",)
) -> tuple[int, str, str]:
    """`-S` leaves out what is installed: the runner must do without."""
    ended = subprocess.run(
        [sys.executable, *python, str(RUNNER), *words],
        cwd=cwd,
        env=environ,
        input=stdin,
        capture_output=True,
        check=False,
        timeout=60,
    )
    return ended.returncode, ended.stdout.decode("utf-8"), ended.stderr.decode("utf-8")


def test_the_example_of_the_specification(environ: dict[str, str], tmp_path: Path) -> None:
    code, out, err = run(environ, tmp_path, "get_employee_info", '{"employee_id": "EMP001"}')
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert answer["success"] is True
    assert answer["result"]["name"] == "김민준"
    assert "김민준" in out
    assert out.count("\n") == 1


@POSIX
def test_a_block_works_when_pasted(environ: dict[str, str], tmp_path: Path) -> None:
    arguments = json.dumps({"query": 'it\'s "연차" $HOME `x` \\ 휴가'}, ensure_ascii=False)
    block = f"{shlex.quote(sys.executable)} {shlex.quote(str(RUNNER))} search_docs {shlex.quote(arguments)}"
    ended = subprocess.run(
        ["/bin/sh", "-c", block], cwd=tmp_path, env=environ, capture_output=True, check=False, timeout=60
    )
    assert ended.returncode == 0, ended.stderr
    assert "연차 휴가 규정" in ended.stdout.decode("utf-8")


@pytest.mark.parametrize(
    "words",
    [
        ["employee_id=EMP001", "year=2025"],
        ['{"employee_id": "EMP001", "year": "2025"}'],
        ["--json", '{"employeeId": "EMP001", "year": 2025}'],
        ["--", '{"employee_id": "EMP001", "year": 2025}'],
        ['"{\\"employee_id\\": \\"EMP001\\", \\"year\\": 2025}"'],
    ],
)
def test_arguments_may_be_given_in_several_ways(environ: dict[str, str], tmp_path: Path, words: list[str]) -> None:
    code, out, err = run(environ, tmp_path, "calculate_vacation_days", *words)
    assert (code, err) == (0, "")
    assert json.loads(out)["result"]["remaining"] == 8.5


def test_arguments_may_come_from_a_file_or_from_standard_input(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "인자.json").write_text('{"query": "재택근무"}', "utf-8-sig")
    from_file = run(environ, tmp_path, "search_docs", "@인자.json")
    from_stdin = run(environ, tmp_path, "search_docs", "-", stdin='{"query": "재택근무"}'.encode())
    assert from_file == from_stdin
    assert json.loads(from_file[1])["result"]["documents"][0]["title"] == "재택근무 안내"


@pytest.mark.parametrize(
    "words",
    [
        ["{query: 연차 휴가}"],  # what Windows PowerShell 5 leaves of '{"query": "연차 휴가"}'
        ["'{query:", "연차", "휴가}'"],  # and what cmd.exe leaves
        ["{'query': '연차 휴가'}"],
    ],
)
def test_quotes_that_a_shell_took_away_are_put_back(environ: dict[str, str], tmp_path: Path, words: list[str]) -> None:
    code, out, err = run(environ, tmp_path, "search_docs", *words)
    assert code == 0
    assert json.loads(out)["result"]["documents"][0]["title"] == "연차 휴가 규정"
    assert 'read as {"query": "연차 휴가"}' in err


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["get_employe_info", "{}"], 2, "did you mean get_employee_info"),
        (["get_employee_info"], 2, "employee_id is missing"),
        (["get_employee_info", "{}"], 2, "It takes: employee_id (string"),
        (["get_employee_info", "EMP001"], 2, "write employee_id=EMP001"),
        (["calculate_vacation_days", "EMP001"], 2, "write KEY=VALUE"),
        (["get_employee_info", "-"], 2, "standard input is empty"),
        (["get_employee_info", "employee_id=EMP001", "EMP002"], 2, "wanted KEY=VALUE, found 'EMP002'"),
        (["get_employee_info", "employee_id=EMP001", "employee_id=EMP002"], 2, "given twice"),
        (["get_employee_info", "@nothing.json"], 2, "cannot read nothing.json"),
        (["get_employee_info", "[" * 50_000], 2, "not JSON"),
        (["get_employee_info", "[]"], 2, "must be a JSON object"),
        (["calculate_vacation_days", "employee_id=EMP001", "year=soon"], 2, "wanted integer"),
        (["get_employee_info", "employee_id=EMP999"], 5, "call get_all_employees"),
        (["calculate_vacation_days", "employee_id=EMP001", "year=1999"], 5, "2024, 2025, 2026"),
    ],
)
def test_what_is_wrong_is_said_as_json_with_the_way_out(
    environ: dict[str, str], tmp_path: Path, words: list[str], code: int, says: str
) -> None:
    ended, out, err = run(environ, tmp_path, *words)
    assert (ended, err) == (code, "")
    answer = json.loads(out)
    assert answer["success"] is False
    assert says in answer["error"]


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ([], 2, "--list"),
        (["--jsn"], 2, "there is no option --jsn"),
        (["--describe"], 2, "needs the name of a tool"),
        (["--list", "extra"], 2, "do not go together"),
        (["--list", "--describe", "search_docs"], 2, "do not go together"),
        (["--describe", "search_doc"], 2, "did you mean search_docs"),
        (["--raw", "get_employee_info", "employee_id=EMP999"], 5, "there is no employee 'EMP999'"),
    ],
)
def test_what_is_wrong_with_the_command_is_said_on_standard_error(
    environ: dict[str, str], tmp_path: Path, words: list[str], code: int, says: str
) -> None:
    ended, out, err = run(environ, tmp_path, *words)
    assert (ended, out) == (code, "")
    assert says in err
    assert err.startswith("mcp_tools_runner.py: ")
    assert err.count("\n") == 1


def test_a_database_that_cannot_be_used_is_said(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("no database " * 1000)
    broken = environ | {"STRICTCALL_DB": "notes"}
    code, out, _ = run(broken, tmp_path, "get_all_employees")
    assert code == 5
    assert "STRICTCALL_DB" in json.loads(out)["error"]
    code, out, err = run(broken, tmp_path, "--list")
    assert (code, out) == (5, "")
    assert "STRICTCALL_DB" in err


def test_the_tools_can_be_listed_and_described(environ: dict[str, str], tmp_path: Path) -> None:
    listed = json.loads(run(environ, tmp_path, "--list")[1])
    assert "search_docs" in [one["name"] for one in listed]
    described = json.loads(run(environ, tmp_path, "--describe", "search_docs")[1])
    assert described["inputSchema"]["required"] == ["query"]
    assert described["hints"]["read_only"] is True
    code, out, _ = run(environ, tmp_path, "--help")
    assert code == 0
    assert "exit codes" in out


def test_raw_is_the_result_alone(environ: dict[str, str], tmp_path: Path) -> None:
    _, out, _ = run(environ, tmp_path, "get_all_employees", "--raw")
    assert json.loads(out)[0] == {"id": "EMP001", "name": "김민준"}


@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}])
@POSIX
def test_korean_goes_in_and_out_whatever_the_locale(
    environ: dict[str, str], tmp_path: Path, locale: dict[str, str]
) -> None:
    code, out, _ = run(environ | locale, tmp_path, "search_docs", '{"query": "연차"}')
    assert code == 0
    assert json.loads(out)["result"]["documents"][0]["title"] == "연차 휴가 규정"


@pytest.mark.parametrize("python", [("-S",), ("-I", "-S"), ("-S", "-W", "error")])
def test_it_needs_no_installation(environ: dict[str, str], tmp_path: Path, python: tuple[str, ...]) -> None:
    code, _, err = run(environ, tmp_path, "get_all_employees", python=python)
    assert (code, err) == (0, "")


def test_it_also_runs_as_a_module(environ: dict[str, str]) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "runner.mcp_tools_runner", "get_all_employees"],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == 0, ended.stderr


SLOW = {
    "dataclasses",
    "inspect",
    "argparse",
    "pathlib",
    "logging",
    "asyncio",
    "difflib",
    "subprocess",
    "urllib",
    "email",
    "tomllib",
    "zipfile",
}


def test_it_imports_little_because_it_starts_for_every_call(environ: dict[str, str], tmp_path: Path) -> None:
    words = ["get_employee_info", '{"employee_id": "EMP001"}']
    code, _, err = run(environ, tmp_path, *words, python=("-S", "-X", "importtime"))
    assert code == 0
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in err.splitlines()}
    assert {"sqlite3", "db", "mcp_server"} <= imported
    foreign = imported - sys.stdlib_module_names - {"db", "mcp_server", "runner", "imported package"}
    assert not foreign
    assert not imported & SLOW


def test_whoever_stops_reading_hears_no_complaint(environ: dict[str, str], tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-S", str(RUNNER), "get_all_employees"],
        cwd=tmp_path,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as started:
        assert started.stdout
        assert started.stderr
        started.stdout.close()
        assert started.stderr.read() == b""


def shown(environ: dict[str, str], cwd: Path, *words: str) -> str:
    """What a person sees."""
    code, seen = on_a_terminal([sys.executable, "-S", str(RUNNER), *words], cwd, environ)
    assert code == 0
    return seen


@POSIX
def test_on_a_terminal_rows_are_a_table(environ: dict[str, str], tmp_path: Path) -> None:
    lines = shown(environ, tmp_path, "get_all_employees").split("\n")
    assert lines[:3] == ["id      name", "------  --------------", "EMP001  김민준"]


@POSIX
def test_on_a_terminal_fields_are_lines(environ: dict[str, str], tmp_path: Path) -> None:
    seen = shown(environ, tmp_path, "get_employee_info", "employee_id=EMP001")
    assert "\nname             김민준\n" in seen
    assert json.loads(shown(environ, tmp_path, "--json", "get_employee_info", "employee_id=EMP001"))["success"]


@POSIX
def test_on_a_terminal_tools_are_listed_by_line(environ: dict[str, str], tmp_path: Path) -> None:
    assert "search_docs               Search the company's documents" in shown(environ, tmp_path, "--list")
    described = shown(environ, tmp_path, "--describe", "search_docs")
    assert "\n  query  What to look for" in described
    assert "It only reads; 10 s at most." in described
