"""The viewer's tools beyond their specification: what callers are told and what not, and other ways to call."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import until
from viewer_running import ROOT, an_app, asked, environ_of, own_place

from db.calls import MAX_TEXT, latest
from db.registry import Registry
from db.result import ToolResult
from mcp_server.registry import default_registry
from mcp_server.viewer.client import request
from mcp_server.viewer.place import Place


@pytest.fixture(scope="module")
def shared() -> Iterator[Place]:
    with own_place() as one:
        yield one


@pytest.fixture
def place(shared: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """One that many use; no window is left behind."""
    for name, value in environ_of(shared).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("STRICTCALL_LANG", raising=False)
    yield shared
    request("close_viewer", {})


@pytest.fixture
def registry(tmp_path: Path, place: Place) -> Iterator[Registry]:
    del place
    with default_registry(str(tmp_path / "data.db")) as one:
        yield one


def called(registry: Registry, tool: str, **arguments: Any) -> ToolResult:
    return registry.call(tool, arguments, "test")


def schema(registry: Registry, tool: str) -> dict[str, Any]:
    found = registry.find(tool)
    assert found
    return found.input_schema


def test_callers_are_told_more_than_they_are_held_to(registry: Registry) -> None:
    size = schema(registry, "open_markdown")["properties"]["size"]
    assert (size["type"], size["enum"]) == ("string", ["s", "m", "l", "f"])
    assert schema(registry, "update_markdown")["required"] == ["windowId"]
    assert schema(registry, "open_markdown")["additionalProperties"] is False
    for wrong in ("xl", "", 7, None, ["s"]):
        assert called(registry, "open_markdown", content="# A", size=wrong).structured["size"] == "m"
    assert called(registry, "open_markdown", content="# A", size="l").structured["size"] == "l"
    failure = called(registry, "open_markdown", content="# A", colour="red").failure
    assert failure
    assert failure.reason == "bad_arguments"
    assert "size (string, one of 's', 'm', 'l', 'f'" in failure.message


def test_the_address_of_a_window_is_kept_from_models_and_records(registry: Registry) -> None:
    opened = called(registry, "open_markdown", content="# A")
    url = request("list_viewers", {})["windows"][0]["url"]
    assert url.startswith("http://127.0.0.1:")
    updated = called(registry, "update_markdown", windowId=opened.structured["windowId"], content="# B")
    listed = called(registry, "list_viewers")
    assert [list(window) for window in listed.structured["windows"]] == [["windowId", "title", "size", "alwaysOnTop"]]
    token = url.rstrip("/").rpartition("/")[2]
    for result in (opened, updated, listed):
        assert token not in json.dumps(result.as_mcp())
    assert token not in json.dumps(latest(registry.database))


EVIL = "A\n2. B\x1b]0;C\x07\x1b[2J\x9b31m \u202eD"


TAME = "A 2. B]0;C[2J31m D"


@pytest.mark.parametrize("document", [{"content": "x", "title": EVIL}, {"content": "# " + EVIL.replace("\n", "&#10;")}])
def test_a_title_is_one_line_that_no_terminal_obeys(registry: Registry, document: dict[str, str]) -> None:
    opened = called(registry, "open_markdown", **document).structured
    assert called(registry, "list_viewers").text == f"열린 뷰어: 1개\n1. {TAME} (ID: {opened['windowId']})"


@pytest.mark.skipif(sys.platform == "win32", reason="no file can be called so")
def test_a_title_is_one_line_whatever_its_file_is_called(registry: Registry, tmp_path: Path) -> None:
    file = tmp_path / f"{EVIL}.md"
    file.write_text("x", "utf-8")
    assert called(registry, "open_markdown", filePath=str(file)).structured["title"] == f"{TAME}.md"


def test_where_no_browser_opens_a_window_one_is_told(registry: Registry) -> None:
    opened = called(registry, "open_markdown", content="# A")
    assert opened.structured["shown"] is False
    assert "STRICTCALL_VIEWER_BROWSER" in opened.blocks[0]["text"]


def test_a_path_means_the_file_that_the_caller_sees(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "메모.md").write_text("# 메모", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    for path in ("메모.md", "./x/../메모.md", "~/메모.md"):
        opened = called(registry, "open_markdown", filePath=path).structured
        assert (opened["filePath"], opened["title"]) == (str(tmp_path / "메모.md"), "메모")


def test_content_comes_before_a_file_but_not_if_it_is_empty(registry: Registry, tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("# File")
    both = called(registry, "open_markdown", content="# Content", filePath=str(file)).structured
    assert (both["title"], "filePath" in both) == ("Content", False)
    assert called(registry, "open_markdown", content="", filePath=str(file)).structured["title"] == "File"
    assert called(registry, "open_markdown", content="# A", title="내 제목").structured["title"] == "내 제목"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nowhere.md", "파일이 없거나 읽을 수 없습니다: "),
        ("secrets.env", "10MB까지의 .md, .markdown, .txt 파일만 열 수 있습니다: "),
        ("folder.md", "읽을 수 없습니다: "),
        ("large.md", "10MB까지의"),
    ],
)
def test_a_file_that_is_not_shown_is_named(
    registry: Registry, tmp_path: Path, name: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secrets.env").write_text("hunter2")
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "large.md").write_bytes(b"x" * 10_485_761)
    failure = called(registry, "open_markdown", filePath=str(tmp_path / name)).failure
    assert failure
    assert says in failure.message
    assert name in failure.message
    monkeypatch.setenv("STRICTCALL_LANG", "en")
    english = called(registry, "open_markdown", filePath=str(tmp_path / name))
    assert english.text.startswith("Error: ")
    assert english.text.isascii()


def test_there_is_english_too(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRICTCALL_LANG", "en")
    opened = called(registry, "open_markdown", content="# A")
    window = opened.structured["windowId"]
    assert opened.text == f"The viewer is open.\n- Window ID: {window}\n- Title: A"
    updated = called(registry, "update_markdown", windowId=window, content="# B")
    assert updated.text == f"The viewer was updated.\n- Window ID: {window}\n- Title: B"
    assert called(registry, "list_viewers").text == f"Open viewers: 1\n1. B (ID: {window})"
    assert called(registry, "close_viewer", windowId=window).text == f"The viewer was closed. (Window ID: {window})"
    assert called(registry, "close_viewer").text == "All viewers were closed. (0)"
    assert called(registry, "list_viewers").text == "Open viewers: 0\n(none)"
    assert called(registry, "open_markdown").text == "Error: content or filePath is required"
    assert called(registry, "update_markdown").text == "Error: windowId is required"
    assert called(registry, "close_viewer", windowId="7").text == "Error: Window not found: 7"


def test_a_call_that_is_given_up_no_longer_waits(registry: Registry) -> None:
    with own_place() as place, pytest.MonkeyPatch.context() as patch:
        for name, value in environ_of(place, STRICTCALL_VIEWER_APP=an_app("slow")).items():
            patch.setenv(name, value)
        patch.setenv("PYTHONPATH", str(ROOT))
        answers: list[ToolResult] = []
        running = registry.start("open_markdown", {"content": "# A"}, "test", answers.append)
        asked(place)
        running.cancel()
        until(lambda: bool(answers))
        assert answers[0].failure
        assert answers[0].failure.reason == "cancelled"


def test_ten_megabytes_are_recorded_in_a_line(registry: Registry) -> None:
    assert not called(registry, "open_markdown", content="# A\n" + "x" * 10_000_000).failure
    (call,) = latest(registry.database)
    assert call.arguments.startswith('{"content": "# A')
    assert len(call.arguments) <= MAX_TEXT


@pytest.mark.parametrize("command", [[str(ROOT / "runner/mcp_tools_runner.py")], ["-m", "runner.cli", "tools", "call"]])
@pytest.mark.parametrize("way", ["-", "@arguments.json"])
def test_ten_megabytes_may_come_from_a_file_or_a_pipe(
    place: Place, tmp_path: Path, command: list[str], way: str
) -> None:
    arguments = json.dumps({"content": "# 한글\n" + "한" * 3_400_000}, ensure_ascii=False).encode()
    (tmp_path / "arguments.json").write_bytes(arguments)
    ran = subprocess.run(
        [sys.executable, *command, "open_markdown", way],
        input=arguments if way == "-" else b"",
        cwd=tmp_path,
        env={**os.environ, **environ_of(place), "STRICTCALL_DB": str(tmp_path / "data.db"), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.decode().startswith("뷰어가 열렸습니다.\n- Window ID: ")
    assert "STRICTCALL_VIEWER_BROWSER" in ran.stderr.decode(), "what is beside the text is said, too"
