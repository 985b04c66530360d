"""`strictcall tools`, as a real process on a database of its own."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command import ROOT, strictcall

from db.calls import Call, record
from db.database import Database
from runner.call_log import Table, coming
from runner.columns import cut, width


class Tools:
    """The command on one database."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.environ = os.environ | {"STRICTCALL_DB": str(path)}

    def run(self, *words: str, given: bytes = b"") -> tuple[int, str, str]:
        ended = strictcall("tools", *words, given=given, environ=self.environ)
        return ended.returncode, ended.stdout.decode(), ended.stderr.decode()

    def told(self, *words: str) -> Any:
        code, out, err = self.run(*words, "--json")
        assert code == 0, err
        return json.loads(out)

    def log(self, *words: str) -> list[Any]:
        code, out, err = self.run("log", *words, "--json")
        assert code == 0, err
        return [json.loads(line) for line in out.splitlines()]


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    return Tools(tmp_path / "자료.db")


def test_a_tool_that_is_switched_off_cannot_be_called_until_it_is_on_again(tools: Tools) -> None:
    code, out, err = tools.run("disable", "search_docs", "get_all_employees")
    assert (code, out) == (0, "search_docs is off\nget_all_employees is off\n")
    assert "follow within a second" in err
    off = [row["name"] for row in tools.told("list")["tools"] if not row["enabled"]]
    assert off == ["get_all_employees", "search_docs"]
    assert "\noff  search_docs " in tools.run("list")[1]
    code, out, err = tools.run("call", "search_docs", "query=연차")
    assert code == 2
    assert "search_docs is switched off; tools that can be called: calc" in json.loads(out)["error"]
    assert err == "strictcall: hint: switch it on: strictcall tools enable search_docs\n"
    assert "search_docs (switched off; " in tools.run("show", "search_docs")[1]
    assert tools.told("show", "search_docs")["enabled"] is False
    assert tools.told("enable", "search_docs") == [{"name": "search_docs", "enabled": True}]
    assert tools.run("call", "search_docs", "query=연차")[0] == 0


ADDED = '''
from db.tool import Tool

print("loaded")


def dice(sides: int = 6) -> int:
    """Throw a die."""
    print("thrown")
    return 4


TOOLS = (Tool.of(dice),)
'''


def test_tools_of_the_user_are_listed_with_their_file_and_problems_once(tools: Tools) -> None:
    folder = tools.path.parent / "tools"
    folder.mkdir()
    (folder / "dice.py").write_text(ADDED)
    (folder / "broken.py").write_text("import nothing_of_this_name")
    listed = tools.told("list")
    (dice,) = [row for row in listed["tools"] if row["name"] == "dice"]
    assert dice == {"name": "dice", "about": "Throw a die.", "enabled": True, "from": str(folder / "dice.py")}
    (problem,) = listed["problems"]
    assert "broken.py, line 1: ModuleNotFoundError" in problem
    _, out, err = tools.run("list")
    assert f"Throw a die.  ({folder / 'dice.py'})" in out
    assert "loaded" not in out
    assert err.count("ModuleNotFoundError") == 1


def test_what_a_tool_prints_is_no_data(tools: Tools) -> None:
    folder = tools.path.parent / "tools"
    folder.mkdir()
    (folder / "dice.py").write_text(ADDED)
    code, out, err = tools.run("call", "dice", "sides=20")
    assert (code, json.loads(out), err) == (0, {"success": True, "result": 4}, "loaded\nthrown\n")
    assert "may change and destroy data, and reaches beyond this machine; 10 s at most" in tools.run("show", "dice")[1]


FAULTY = '''
from typing import TypedDict

from db.tool import Tool


class Visit(TypedDict):
    guests: int


def visitors(visit: Visit) -> float:
    """Share a cake among visitors."""
    return 1 / visit["guests"]


TOOLS = (Tool.of(visitors),)
'''


def test_a_bug_in_a_tool_of_the_users_own_is_a_line_for_its_author(tools: Tools) -> None:
    folder = tools.path.parent / "tools"
    folder.mkdir()
    (folder / "visitors.py").write_text(FAULTY)
    code, out, err = tools.run("call", "visitors", '{"visit": {"guests": 0}}')
    assert (code, json.loads(out)["success"]) == (5, False)
    line = FAULTY.splitlines().index('    return 1 / visit["guests"]') + 1
    assert err == f"strictcall: visitors.py, line {line}: ZeroDivisionError: division by zero\n"


def test_fields_of_an_object_are_shown(tools: Tools) -> None:
    folder = tools.path.parent / "tools"
    folder.mkdir()
    (folder / "visitors.py").write_text(FAULTY)
    assert "\n  visit.guests  integer\n" in tools.run("show", "visitors")[1]


def test_nothing_is_switched_if_one_name_is_wrong(tools: Tools) -> None:
    code, out, err = tools.run("disable", "search_docs", "get_employe_info")
    assert (code, out) == (2, "")
    assert "did you mean get_employee_info" in err
    assert all(row["enabled"] for row in tools.told("list")["tools"])


def test_a_tool_is_shown_with_what_it_takes_and_does(tools: Tools) -> None:
    code, out, _ = tools.run("show", "calculate_vacation_days")
    assert code == 0
    assert "  year         The calendar year" in out
    assert "It only reads; 10 s at most." in out
    shown = tools.told("show", "calculate_vacation_days")
    assert shown["inputSchema"]["required"] == ["employee_id", "year"]
    assert shown["outputSchema"]["properties"]["result"]["type"] == "object"
    assert shown["hints"]["read_only"] is True


@pytest.mark.parametrize(
    ("words", "given", "code", "says"),
    [
        (["get_employee_info", "employee_id=EMP001"], b"", 0, "김민준"),
        (["get_employee_info", "-"], b'{"employee_id": "EMP001"}', 0, "김민준"),
        (["get_employee_info", "{employee_id: EMP001}"], b"", 0, "김민준"),
        (["get_employee_info", "employee_id=EMP999"], b"", 5, "get_all_employees"),
        (["get_employee_info"], b"", 2, "employee_id is missing"),
        (["get_employee_info", "EMP001"], b"", 2, "write employee_id=EMP001"),
        (["get_employee_info", "-"], b" ", 2, "standard input is empty"),
        (["get_employe_info"], b"", 2, "did you mean get_employee_info"),
    ],
)
def test_a_call_is_that_of_the_runner(tools: Tools, words: list[str], given: bytes, code: int, says: str) -> None:
    ended = tools.run("call", *words, given=given)
    assert ended[0] == code
    assert says in ended[1]
    runner = subprocess.run(
        [sys.executable, str(ROOT / "runner/mcp_tools_runner.py"), *words],
        input=given,
        env=tools.environ,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (runner.returncode, runner.stdout.decode()) == ended[:2]
    assert runner.stderr.decode().replace("mcp_tools_runner.py: ", "strictcall: ") == ended[2]


def test_raw_is_the_result_alone(tools: Tools) -> None:
    assert json.loads(tools.run("call", "get_all_employees", "--raw")[1])[0] == {"id": "EMP001", "name": "김민준"}


def test_calls_are_logged_the_newest_last(tools: Tools) -> None:
    for words in (["search_docs", "query=연차\n휴가"], ["get_employee_info", "employee_id=EMP999"], ["nothing"]):
        tools.run("call", *words)
    head, *lines = tools.run("log")[1].splitlines()
    assert head.split() == ["time", "caller", "ms", "call"]
    assert lines[0].endswith('  search_docs {"query": "연차\\n휴가"}')
    assert lines[0].split()[1] == "strictcall", "the day is not said of today's calls"
    assert lines[2].startswith("  failed: there is no employee 'EMP999'")
    assert lines[4].startswith("  unknown_tool: there is no tool 'nothing'")
    assert len(lines) == 5
    assert [one["tool"] for one in tools.log("-n", "2")] == ["get_employee_info", "nothing"]
    (of_one,) = tools.log("--tool", "search_docs")
    assert of_one["called_at"].endswith("Z")
    assert json.loads(of_one["arguments"]) == {"query": "연차\n휴가"}


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a variable sets no zone")
def test_times_are_those_of_the_reader(tools: Tools) -> None:
    tools.run("call", "nothing")
    with sqlite3.connect(tools.path) as connection:
        connection.execute("UPDATE tool_calls SET called_at = '2025-01-31T20:00:00.000Z'")
    connection.close()
    tools.environ["TZ"] = "Asia/Seoul"
    assert "\n02-01 05:00:00  strictcall " in tools.run("log")[1]


def test_calls_are_forgotten_all_or_all_but_some(tools: Tools) -> None:
    for _ in range(3):
        tools.run("call", "nothing")
    assert tools.told("log", "--prune", "1") == {"forgotten": 2}
    assert len(tools.log()) == 1
    assert tools.run("log", "--prune")[1] == "forgot 1 calls\n"
    assert tools.log() == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["log", "--tool", "serch_docs"], "did you mean search_docs"),
        (["log", "--prune", "--tool", "search_docs"], "leave out --tool"),
        (["log", "-n", "-1"], "-n cannot be -1"),
        (["log", "-n", "9" * 20], "a whole number from 0 to 1000000"),
        (["log", "--prune", "9" * 20], "--prune cannot be 999"),
        (["show", "serch_docs"], "did you mean search_docs"),
        (["enable"], "TOOL is missing"),
    ],
)
def test_wrong_usage_is_one_line_with_the_fix(tools: Tools, words: list[str], says: str) -> None:
    code, out, err = tools.run(*words)
    assert (code, out) == (2, "")
    (line,) = err.splitlines()
    assert says in line


@pytest.mark.parametrize("words", [["list"], ["log"], ["disable", "search_docs"]])
def test_a_database_that_cannot_be_used_is_said(tools: Tools, words: list[str]) -> None:
    tools.path.write_text("no database " * 1000)
    code, out, err = tools.run(*words)
    assert (code, out) == (5, "")
    assert "STRICTCALL_DB" in err
    assert err.count("\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C cannot be sent to one process elsewhere")
def test_calls_are_followed_until_ctrl_c(tools: Tools) -> None:
    tools.run("call", "before")
    with subprocess.Popen(
        [sys.executable, "-m", "runner.cli", "tools", "log", "--follow", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env=tools.environ,
    ) as started:
        assert started.stdout
        assert started.stderr
        assert json.loads(started.stdout.readline())["tool"] == "before"
        tools.run("call", "afterwards")
        assert json.loads(started.stdout.readline())["tool"] == "afterwards"
        started.send_signal(signal.SIGINT)
        assert started.wait(10) == 0
        assert started.stderr.read() == b""


def test_however_many_calls_come_at_once_all_are_followed(tmp_path: Path) -> None:
    database = Database(str(tmp_path / "many.db"))
    record(database, Call("first", "test", "{}", "ok", "", 1.0))
    following = coming(database, None, 1)
    for number in range(130):
        record(database, Call(f"tool_{number}", "test", "{}", "ok", "", 1.0))
    assert [next(following).tool for _ in range(130)] == [f"tool_{number}" for number in range(130)]
    database.close()


def test_nothing_is_listed_where_nothing_was_called(tools: Tools) -> None:
    assert tools.run("log") == (0, "", "no calls yet\n")


def test_a_line_fits_the_terminal_and_does_nothing_to_it() -> None:
    call = Call("search_docs", "\x1b[2Jclaude", '{"query": "' + "연차" * 50 + '"}', "ok", "", 12.345, "once", 1)
    table = Table.of([call])
    assert table.head() == "time      caller          ms  call"
    shown = table.line(call, 80)
    assert width(shown) in {79, 80}
    assert shown.startswith('once      �[2Jclaude    12.3  search_docs {"query": "연차')
    assert shown.endswith("…")
    assert "연차" * 50 in table.line(call)


def test_a_call_that_came_later_keeps_the_columns_of_the_head() -> None:
    table = Table.of([])
    later = Call("search_docs", "a-client-with-a-long-name", "{}", "failed", '{"error": "no\\nway"}', 1.0, "once", 1)
    line, why = table.line(later, 80).splitlines()
    assert line.index("search_docs") == table.head().rindex("call")
    assert why == "\x1b[31m  failed: no way\x1b[0m"


@pytest.mark.parametrize(
    ("text", "columns", "kept"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("연차휴가", 5, "연차…"),
        ("연차휴가", 6, "연차…"),
        ("ab", 1, "…"),
        ("ab", 0, ""),
    ],
)
def test_a_text_is_cut_to_columns(text: str, columns: int, kept: str) -> None:
    assert cut(text, columns) == kept
