"""Tools that the user adds: a file in a folder, or a package. None can spoil the others, or cost them anything."""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from types import SimpleNamespace

import pytest

from db.location import tools_folder, user_settings
from db.registry import Registry
from db.result import ToolResult
from mcp_server.registry import TOOLS, default_registry, execute_tool

ROOT = Path(__file__).parent.parent
RUNNER = ROOT / "runner" / "mcp_tools_runner.py"
EXAMPLE = ROOT / "docs" / "examples" / "receipt_printer.py"
PRINT = {"content": {"text": "안녕하세요"}}
HELLO = """
from db.tool import Tool

def {name}() -> str:
    '''Say hello.'''
    return "{says}"

TOOLS = (Tool.of({name}),)
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user with a database, and a folder of tools beside it."""
    for name in ("STRICTCALL_TOOLS_DIR", "RECEIPT_PRINTER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("STRICTCALL_DB", str(tmp_path / "mcp_data.db"))
    for name in ("XDG_CONFIG_HOME", "APPDATA", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    (tmp_path / "tools").mkdir()
    return tmp_path


@pytest.fixture
def registry(home: Path) -> Iterator[Registry]:
    with default_registry(str(home / "mcp_data.db")) as opened:
        yield opened


def write(home: Path, name: str, text: str) -> Path:
    path = home / "tools" / name
    path.write_text(text, "utf-8")
    return path


def hello(home: Path, name: str, says: str = "안녕") -> Path:
    return write(home, f"{name}.py", HELLO.format(name=name, says=says))


def run(*words: str, python: tuple[str, ...] = ("-S",), **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *python, str(RUNNER), *words],
        env=os.environ | environ,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )


# ---- the example of the guide


def test_the_receipt_printer_prints_whoever_calls_it(home: Path, registry: Registry) -> None:
    shutil.copy(EXAMPLE, home / "tools")
    printed = {"success": True, "result": {"printer": str(home / "receipts.txt"), "lines": 1}}
    ended = run("print_receipt", json.dumps(PRINT))
    assert (ended.stdout, ended.stderr) == (json.dumps(printed, ensure_ascii=False) + "\n", "")
    assert execute_tool("print_receipt", PRINT) == printed
    result = registry.call("print_receipt", PRINT, "test")
    assert result.text + "\n" == ended.stdout
    assert result.as_mcp()["structuredContent"] == printed
    assert (home / "receipts.txt").read_text("utf-8") == "안녕하세요\n\n\n\n" * 3


def test_the_receipt_printer_wraps_by_columns_and_takes_no_commands(home: Path, registry: Registry) -> None:
    shutil.copy(EXAMPLE, home / "tools")
    text = "가나다라마바사 아자차카타파하 거너더\n\n" + "x" * 40 + "\n\x1bp0 문\t끝"
    steps: list[tuple[float, float | None, str]] = []
    result = registry.call("print_receipt", {"content": {"text": text}}, "test", lambda *step: steps.append(step))
    rows = ["가나다라마바사 아자차카타파하", "거너더", "", "x" * 32, "x" * 8, "p0 문   끝"]
    assert result.value["lines"] == len(rows)
    assert (home / "receipts.txt").read_text("utf-8").removesuffix("\n\n\n").splitlines() == rows
    assert steps == [(number, len(rows), row) for number, row in enumerate(rows)]


def test_the_receipt_printer_says_what_to_do(home: Path, registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(EXAMPLE, home / "tools")
    monkeypatch.setenv("RECEIPT_PRINTER", str(home / "paper"))
    assert registry.call("print_receipt", PRINT, "test").value["printer"] == str(home / "paper")
    for printer, content, says in [
        (str(home / "no" / "printer"), PRINT["content"], "set RECEIPT_PRINTER"),
        ("", {"text": " \n"}, "nothing to print"),
        ("", {"txt": "a"}, "It takes: content (object with text (string"),
    ]:
        monkeypatch.setenv("RECEIPT_PRINTER", printer)
        failure = registry.call("print_receipt", {"content": content}, "test").failure
        assert failure
        assert says in failure.message


def test_the_hints_of_the_receipt_printer_are_true(home: Path, registry: Registry) -> None:
    shutil.copy(EXAMPLE, home / "tools")
    tool = registry.find("print_receipt")
    assert tool
    assert tool.hints == (False, False, False, True)
    assert "print_receipt" in [one["function"]["name"] for one in registry.openai_tools()]


# ---- packages


def package(where: Path, name: str, value: str, module: str) -> None:
    """What pip leaves behind of a package with an entry point."""
    (where / f"{name}.py").write_text(module, "utf-8")
    info = where / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[strictcall.tools]\n{name} = {value}\n")


def test_a_package_may_offer_tools_by_an_entry_point(home: Path) -> None:
    installed = home / "site"
    installed.mkdir()
    package(installed, "whole", "whole", HELLO.format(name="from_module", says="모듈"))
    package(installed, "part", "part:MORE", HELLO.format(name="from_value", says="값") + "MORE, TOOLS = TOOLS, ()\n")
    package(installed, "broken", "broken", "import no_such_module")
    package(installed, "empty", "empty", "")
    hello(home, "from_folder")
    listed = run("--list", PYTHONPATH=str(installed))
    names = {one["name"] for one in json.loads(listed.stdout)}
    assert {"from_module", "from_value", "from_folder", "search_docs"} <= names
    assert "package broken (broken): ModuleNotFoundError" in listed.stderr
    assert "pip uninstall broken" in listed.stderr
    assert "package empty (empty): it has no TOOLS" in listed.stderr
    for name, says in [("from_module", "모듈"), ("from_value", "값")]:
        assert json.loads(run(name, PYTHONPATH=str(installed)).stdout)["result"] == says


# ---- who pays


def test_a_built_in_tool_is_called_without_looking_at_what_was_added(home: Path) -> None:
    write(home, "loud.py", "print('loaded')")
    Path(user_settings()).parent.mkdir(parents=True)
    Path(user_settings()).write_text("this is no TOML")
    ended = run("get_employee_info", "employee_id=EMP001", python=("-S", "-X", "importtime"))
    assert "김민준" in ended.stdout
    assert "loaded" not in ended.stdout + ended.stderr
    assert not [line for line in ended.stderr.splitlines() if "importlib.metadata" in line or "tomllib" in line]


def test_a_tool_of_the_folder_is_called_without_looking_at_packages(home: Path) -> None:
    hello(home, "greet")
    ended = run("greet", python=("-S", "-X", "importtime"))
    assert json.loads(ended.stdout)["result"] == "안녕"
    assert "importlib.metadata" not in ended.stderr


def test_a_tool_may_be_started_before_anybody_has_looked_for_it(home: Path, registry: Registry) -> None:
    hello(home, "greet")
    answers: SimpleQueue[ToolResult] = SimpleQueue()
    registry.start("greet", {}, "test", answers.put)
    assert answers.get(timeout=20).value == "안녕"


# ---- what can be wrong with a file


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = 1\ndef broken(:\n", "odd.py, line 2: SyntaxError: invalid syntax"),
        ("x = 1\n\n1 / 0\n", "odd.py, line 3: ZeroDivisionError: division by zero; mend it, or take it out"),
        ("import sys\nsys.exit(3)\n", "odd.py, line 2: SystemExit: 3; mend it"),
        ("import no_such_module\n", "odd.py, line 1: ModuleNotFoundError: No module named 'no_such_module'"),
        ("", "odd.py: it has no TOOLS; end it with TOOLS = (Tool.of(your_function),)"),
        ("TOOLS = 7", "odd.py: it has no TOOLS"),
        ("def f(): pass\nTOOLS = (f,)", "odd.py: f in its TOOLS is no Tool; write Tool.of(f)"),
        ("TOOLS = (None,)", "odd.py: None in its TOOLS is no Tool"),
        (HELLO.format(name="search_docs", says=""), "odd.py: the name search_docs is taken by strictcall itself"),
        (HELLO.format(name="hello", says=""), "hello.py; give the function another name"),
        (HELLO.format(name="인사", says=""), "letters a-z, digits and _"),
        (HELLO.replace("),)", ", timeout=float('inf')),)").format(name="a", says=""), "at most 86400, found inf"),
        ("open('/no/such/file')\n", "odd.py, line 1: FileNotFoundError"),
        (
            HELLO.format(name="f", says="").replace("(f)", "(f, timeout=None)"),
            "at most 86400, found None",
        ),
        (HELLO.format(name="f", says="").replace("f()", "f(x: str = object())"), "the default or example of x is no"),
        (HELLO.format(name="f", says="").replace("f()", "f(x: float = 1e999)"), "the default or example of x is no"),
        ("import asyncio\nraise asyncio.CancelledError", "odd.py, line 2: CancelledError"),
    ],
)
def test_a_broken_file_is_named_with_the_way_out_and_spoils_nothing(
    home: Path, registry: Registry, caplog: pytest.LogCaptureFixture, text: str, says: str
) -> None:
    hello(home, "hello")
    write(home, "odd.py", text)
    assert registry.call("hello", {}, "test").value == "안녕"
    assert len(registry.tools()) == len(TOOLS) + 1
    (problem,) = registry.problems
    assert says in problem
    assert str(home / "tools" / "odd.py") in problem
    assert "\n" not in problem
    registry.all_tools()
    assert [record.getMessage() for record in caplog.records] == [problem]


def test_a_file_that_never_ends_holds_up_nobody_for_ever(
    home: Path, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("db.folder.PATIENCE", 0.5)
    hello(home, "hello")
    write(home, "stuck.py", "import threading\nthreading.Event().wait()\n")
    assert registry.call("hello", {}, "test").value == "안녕"
    assert len(registry.tools()) == len(TOOLS) + 1
    (problem,) = registry.problems
    assert "stuck.py: it has not come to its end after 0.5 s; do what takes long inside the tool" in problem


def test_a_file_that_is_not_utf_8_says_so(home: Path, registry: Registry) -> None:
    path = hello(home, "greet")
    path.write_bytes(path.read_text("utf-8").encode("cp949"))
    assert "utf-8" in registry.problems[0]
    path.write_bytes(b"# coding: cp949\n" + path.read_bytes())
    assert registry.call("greet", {}, "test").value == "안녕"
    assert not registry.problems


def test_files_that_are_no_tools_are_left_alone(home: Path, registry: Registry) -> None:
    for name in ("notes.txt", "_draft.py", ".hidden.py", "tool.py.bak"):
        write(home, name, "1 / 0")
    (home / "tools" / "folder.py").mkdir()
    (home / "tools" / "nowhere.py").symlink_to(home / "nothing")
    assert len(registry.all_tools()) == len(TOOLS)
    assert not registry.problems


def test_types_may_be_written_as_text(home: Path, registry: Registry) -> None:
    text = HELLO.format(name="greet", says="안녕").replace("() -> str", "(whom: Person, day: 'int' = 1) -> str")
    person = "from typing import TypedDict\nclass Person(TypedDict):\n    '''One.'''\n    name: str\n"
    write(home, "greet.py", f"from __future__ import annotations\n{person}{text}")
    assert registry.call("greet", {"whom": {"name": "김민준"}}, "test").value == "안녕"


def test_what_a_tool_prints_does_not_spoil_its_result(home: Path) -> None:
    write(home, "greet.py", HELLO.format(name="greet", says="안녕").replace("return", "print('debug'); return"))
    ended = run("greet")
    assert (json.loads(ended.stdout)["result"], ended.stderr) == ("안녕", "debug\n")


@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")
@pytest.mark.parametrize("what", ["tools/greet.py", "tools"])
def test_what_others_could_have_written_is_not_run(home: Path, registry: Registry, what: str) -> None:
    file, path = hello(home, "greet"), home / what
    rights = path.stat().st_mode
    path.chmod(0o777)
    assert f"chmod o-w '{path}'" in registry.problems[0]
    assert registry.call("greet", {}, "test").failure
    path.chmod(rights | 0o020)  # the group of a user is the user alone, on many systems
    file.chmod(0o600)  # it is the file that one looks at for changes
    assert registry.call("greet", {}, "test").value == "안녕"
    if os.getuid() == 0:  # nobody else can give a file away
        os.chown(path, 65534, 65534)
        os.utime(file)
        assert f"{path} belongs to somebody else" in registry.problems[0]


def test_who_looks_whether_files_have_changed_does_not_wait_for_one_that_runs(
    home: Path, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, go = threading.Event(), threading.Event()
    monkeypatch.setitem(sys.modules, "gate", SimpleNamespace(began=began, go=go))
    write(home, "slow.py", "import gate\ngate.began.set()\ngate.go.wait(20)\n")
    seen = [registry.version()]
    reads = threading.Thread(target=registry.all_tools)
    looks = threading.Thread(target=lambda: seen.append(registry.version()))
    reads.start()
    assert began.wait(20)
    looks.start()
    looks.join(10)
    go.set()
    assert seen == [seen[0]] * 2
    reads.join(20)
    assert "slow.py: it has no TOOLS" in registry.problems[0]


# ---- files that change


def test_a_file_that_changes_is_read_again_and_only_then(home: Path, registry: Registry) -> None:
    counted = "\nwith open(__file__ + '.log', 'a') as log:\n    log.write('x')\n"
    path = write(home, "greet.py", HELLO.format(name="greet", says="one") + counted)
    seen = [registry.version()]
    assert [registry.call("greet", {}, "test").value for _ in range(3)] == ["one"] * 3
    assert registry.version() == seen[0]
    path.write_text(HELLO.format(name="greet", says="two") + counted)
    seen.append(registry.version())
    assert registry.call("greet", {}, "test").value == "two"
    assert Path(f"{path}.log").read_text() == "xx"
    hello(home, "other")
    seen.append(registry.version())
    assert registry.call("other", {}, "test").value == "안녕"
    path.unlink()
    seen.append(registry.version())
    failure = registry.call("greet", {}, "test").failure
    assert failure
    assert failure.reason == "unknown_tool"
    assert len(set(seen)) == 4


def test_the_version_tells_what_has_changed(home: Path, registry: Registry) -> None:
    before = registry.version()
    registry.switch("search_docs", enabled=False)
    assert registry.version()._replace(switches=before.switches) == before
    assert registry.version().switches > before.switches
    hello(home, "greet")
    registry.switch("greet", enabled=False)
    assert "greet" not in [tool.name for tool in registry.tools()]
    with pytest.raises(KeyError):
        registry.switch("nothing", enabled=False)


# ---- where the folder is


def test_the_folder_is_where_the_settings_say(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = str(home / "mcp_data.db")
    assert tools_folder(database) == str(home / "tools")
    settings = Path(user_settings())
    (settings.parent / "mine").mkdir(parents=True)
    settings.write_text('tools_dir = "mine"', "utf-8-sig")
    assert tools_folder(database) == str(settings.parent / "mine")
    monkeypatch.setenv("STRICTCALL_TOOLS_DIR", str(home))
    assert tools_folder(database) == str(home)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ('tools_dir = "nowhere"', "tools_dir should name a folder, found 'nowhere'; make "),
        ("tools_dir = 7", "tools_dir should be the path of a folder, found 7"),
        ("tools_dir = ", "cannot be read: Invalid value"),
    ],
)
def test_settings_that_are_wrong_are_said_and_the_built_in_tools_work(
    home: Path, registry: Registry, settings: str, says: str
) -> None:
    Path(user_settings()).parent.mkdir(parents=True)
    Path(user_settings()).write_text(settings)
    assert len(registry.tools()) == len(TOOLS)
    (problem,) = registry.problems
    assert says in problem
    assert str(home / "home") in problem


def test_nothing_is_run_because_it_happens_to_be_here(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hello(home, "greet")
    (home / "strictcall.toml").write_text('tools_dir = "tools"')
    monkeypatch.chdir(home)
    monkeypatch.setenv("STRICTCALL_DB", "mcp_data.db")
    assert execute_tool("greet", {})["success"] is False
    assert run("greet").returncode == 2
    assert run("greet", STRICTCALL_TOOLS_DIR="tools").returncode == 0


def test_the_whole_tool_of_the_guide_is_one(tmp_path: Path) -> None:
    guide = (ROOT / "docs/tools.md").read_text("utf-8")
    shown = guide.partition("A whole one:\n\n```python\n")[2].partition("```")[0]
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "dice.py").write_text(shown, "utf-8")
    with default_registry(str(tmp_path / "data.db")) as registry:
        assert registry.problems == []
        assert registry.call("roll_dice", {"sides": "1"}, "test").value == 1
