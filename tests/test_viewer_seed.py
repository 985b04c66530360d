"""The viewer as its specification has it, case by case: a real client, the real MCP server, the real app."""

import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp_running import Json, Stdio, call
from viewer_running import an_app, app_of, asked, end_app, environ_of, own_place

from mcp_server.viewer import client as viewer
from mcp_server.viewer.place import Place

TEN_MEGABYTES = 10_485_760


@pytest.fixture
def place() -> Iterator[Place]:
    with own_place() as one:
        yield one


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stdio]:
    with own_place() as place, bridged(tmp_path_factory.mktemp("bridge"), place) as one:
        yield one


@pytest.fixture
def bridge(running: Stdio) -> Iterator[Stdio]:
    """One that many use, with an app that runs; no window is left behind."""
    yield running
    called(running, "close_viewer")


@pytest.fixture
def alone(tmp_path: Path, place: Place) -> Iterator[Stdio]:
    """One without an app."""
    with bridged(tmp_path, place) as one:
        yield one


@contextmanager
def bridged(home: Path, place: Place, **more: str) -> Iterator[Stdio]:
    """An MCP client's end of `strictcall mcp`."""
    with Stdio(home, **environ_of(place, **more)) as one:
        one.begin()
        yield one


def called(bridge: Stdio, tool: str, **arguments: Any) -> tuple[str, Json]:
    """The text and the structured content of a call that succeeds."""
    result = bridge.ask(call(tool, **arguments))["result"]
    assert result["isError"] is False, result
    return result["content"][0]["text"], result["structuredContent"]


def refused(bridge: Stdio, tool: str, **arguments: Any) -> str:
    """What is said of a call that fails."""
    result = bridge.ask(call(tool, **arguments))["result"]
    assert result["isError"] is True
    text: str = result["content"][0]["text"]
    assert text == f"오류: {result['structuredContent']['error']}"
    assert result["structuredContent"]["success"] is False
    return text.removeprefix("오류: ")


# ---- 8.1


def test_tc_1_open_markdown_shows_content(bridge: Stdio) -> None:
    text, window = called(bridge, "open_markdown", content="# Hello World\n\nThis is a test.", foreground=True)
    assert text == f"뷰어가 열렸습니다.\n- Window ID: {window['windowId']}\n- 제목: Hello World"
    assert re.fullmatch(r"[a-f0-9]{8}(-[a-f0-9]{4}){3}-[a-f0-9]{12}", window["windowId"])
    assert called(bridge, "list_viewers")[0] == f"열린 뷰어: 1개\n1. Hello World (ID: {window['windowId']})"


def test_tc_2_open_markdown_shows_a_file(bridge: Stdio, tmp_path: Path) -> None:
    file = tmp_path / "시험 문서.md"
    file.write_text("# File Test\n\nContent", "utf-8")
    text, window = called(bridge, "open_markdown", filePath=str(file))
    assert text == f"뷰어가 열렸습니다.\n- Window ID: {window['windowId']}\n- 제목: File Test"
    assert window["filePath"] == str(file)


def test_tc_3_list_viewers_without_windows(bridge: Stdio) -> None:
    assert called(bridge, "list_viewers") == ("열린 뷰어: 0개\n(없음)", {"windows": []})


def test_tc_4_update_markdown_changes_a_window(bridge: Stdio) -> None:
    window = called(bridge, "open_markdown", content="# Old")[1]["windowId"]
    text, _ = called(bridge, "update_markdown", windowId=window, content="# New Content")
    assert text == f"뷰어가 업데이트되었습니다.\n- Window ID: {window}\n- 제목: New Content"
    assert called(bridge, "list_viewers")[0] == f"열린 뷰어: 1개\n1. New Content (ID: {window})"


def test_tc_5_close_viewer_closes_all(bridge: Stdio) -> None:
    for number in range(3):
        called(bridge, "open_markdown", content=f"# {number}")
    assert called(bridge, "close_viewer") == ("모든 뷰어를 닫았습니다. (3개)", {"closed": 3})
    assert called(bridge, "list_viewers")[0] == "열린 뷰어: 0개\n(없음)"


# ---- 8.2


def test_tc_6_an_app_that_does_not_run_is_started(alone: Stdio, place: Place) -> None:
    assert not place.is_held()
    assert called(alone, "open_markdown", content="# Up")[1]["windowId"]
    assert place.is_held()


def test_tc_7_a_request_times_out_after_ten_seconds(tmp_path: Path, place: Place) -> None:
    with bridged(tmp_path, place, STRICTCALL_VIEWER_APP=an_app("slow")) as bridge:
        assert refused(bridge, "open_markdown", content="# Slow") == "요청 시간이 초과되었습니다 (10초)"
        assert called(bridge, "list_viewers")[0].startswith("열린 뷰어: 1개\n")


def test_tc_8_neither_content_nor_file_is_an_error_and_nothing_is_sent(alone: Stdio, place: Place) -> None:
    assert refused(alone, "open_markdown") == "content 또는 filePath 중 하나는 필수입니다"
    assert refused(alone, "open_markdown", content="") == "content 또는 filePath 중 하나는 필수입니다"
    assert [*Path(place.socket).parent.iterdir()] == []


def test_tc_9_an_app_that_cannot_be_started_is_said(tmp_path: Path, place: Place) -> None:
    with bridged(tmp_path, place, STRICTCALL_VIEWER_APP="false") as bridge:
        result = bridge.ask(call("open_markdown", content="# Up"))["result"]
        said = "Electron 앱에 연결할 수 없습니다. 앱이 설치되었는지 확인하세요."
        assert result["isError"] is True
        assert result["structuredContent"] == {"success": False, "error": said}
        text, hint = [block["text"] for block in result["content"]]
        assert text == f"오류: {said}"
        assert all(word in hint for word in ("STRICTCALL_VIEWER_APP", "strictcall viewer", place.log))


def test_the_app_that_is_started_is_ours_whatever_is_in_the_users_home(tmp_path: Path, place: Place) -> None:
    home = tmp_path / "home"
    for name in ("runner", "db", "mcp_server"):
        (home / name).mkdir(parents=True)
        (home / name / "__init__.py").write_text("raise SystemExit('this is not ours')")
    with bridged(tmp_path, place, HOME=str(home), USERPROFILE=str(home)) as bridge:
        assert called(bridge, "list_viewers")[0] == "열린 뷰어: 0개\n(없음)"


# ---- 8.3


def test_tc_10_content_of_ten_megabytes_is_shown(bridge: Stdio) -> None:
    content = "# 열\n\n" + "x" * (TEN_MEGABYTES - len("# 열\n\n".encode()))
    assert len(content.encode()) == TEN_MEGABYTES
    window = called(bridge, "open_markdown", content=content)[1]
    assert window["title"] == "열"
    assert called(bridge, "update_markdown", windowId=window["windowId"], content=content)[1]["title"] == "열"


def test_tc_11_content_of_one_byte_more_is_an_error_and_nothing_is_sent(alone: Stdio, place: Place) -> None:
    assert refused(alone, "open_markdown", content="x" * (TEN_MEGABYTES + 1)) == "콘텐츠 크기가 10MB를 초과합니다"
    korean = "한" * (TEN_MEGABYTES // 3) + "한"
    assert refused(alone, "open_markdown", content=korean) == "콘텐츠 크기가 10MB를 초과합니다"
    assert [*Path(place.socket).parent.iterdir()] == []


def test_tc_12_at_the_end_of_its_input_the_bridge_waits_a_little_and_the_app_goes_on(
    tmp_path: Path, place: Place
) -> None:
    with bridged(tmp_path, place, STRICTCALL_VIEWER_APP=an_app("slow")) as bridge:
        bridge.send(call("open_markdown", 2, content="# One"))
        bridge.send(call("open_markdown", 3, content="# Two"))
        asked(place, times=2)
        code, rest, complaints = bridge.end()
        assert (code, complaints) == (0, "")
        assert not [answer for answer in rest if "초과" in json.dumps(answer, ensure_ascii=False)], (
            "it did not wait so long"
        )
    with bridged(tmp_path, place) as another:
        assert f"of {app_of(place)}" in called(another, "list_viewers")[0]


# ---- 9


def test_regression_standard_output_is_for_mcp_alone(alone: Stdio) -> None:
    called(alone, "list_viewers")
    assert alone.end() == (0, [], "")
    assert alone.logged[0].endswith("[strictcall-mcp] Server started\n")


def test_regression_all_four_tools_one_after_the_other(bridge: Stdio) -> None:
    called(bridge, "open_markdown", content="# MCP Test\n\nBridge test document", foreground=True)
    listed, _ = called(bridge, "list_viewers")
    assert "열린 뷰어: 1개" in listed
    found = re.search(r"ID: ([a-f0-9-]+)", listed)
    assert found
    assert "업데이트" in called(bridge, "update_markdown", windowId=found[1], content="# Updated Title\n\nNew")[0]
    assert called(bridge, "list_viewers")[0] == f"열린 뷰어: 1개\n1. Updated Title (ID: {found[1]})"
    assert called(bridge, "close_viewer", windowId=found[1])[0] == f"뷰어를 닫았습니다. (Window ID: {found[1]})"
    assert called(bridge, "list_viewers")[0] == "열린 뷰어: 0개\n(없음)"


def test_regression_the_app_goes_on_after_the_bridge(tmp_path: Path, place: Place) -> None:
    with bridged(tmp_path, place) as bridge:
        called(bridge, "open_markdown", content="# Here to stay")
        assert bridge.end()[0] == 0
    with bridged(tmp_path, place) as another:
        assert "Here to stay" in called(another, "list_viewers")[0]


# ---- 7: the matrix of errors, as far as no case has it


def test_a_window_that_is_not_open_is_named(bridge: Stdio) -> None:
    assert refused(bridge, "update_markdown", windowId="abc-123", content="# New") == "Window not found: abc-123"
    assert refused(bridge, "close_viewer", windowId="abc-123") == "Window not found: abc-123"
    hint = bridge.ask(call("close_viewer", windowId="abc-123"))["result"]["content"][1]["text"]
    assert hint == "열린 창의 ID는 list_viewers로 확인하세요."


def test_update_markdown_judges_its_arguments_like_open_markdown(alone: Stdio, place: Place) -> None:
    assert refused(alone, "update_markdown", content="# New") == "windowId는 필수입니다"
    assert refused(alone, "update_markdown", windowId="a") == "content 또는 filePath 중 하나는 필수입니다"
    long = "x" * (TEN_MEGABYTES + 1)
    assert refused(alone, "update_markdown", windowId="a", content=long) == "콘텐츠 크기가 10MB를 초과합니다"
    assert [*Path(place.socket).parent.iterdir()] == []


# ---- who dies, and when


def test_an_app_that_is_killed_before_it_is_asked_is_replaced(alone: Stdio, place: Place) -> None:
    called(alone, "open_markdown", content="# Old")
    old = app_of(place)
    end_app(place)
    assert called(alone, "open_markdown", content="# New")[1]["title"] == "New"
    assert app_of(place) != old
    assert called(alone, "list_viewers")[0].startswith("열린 뷰어: 1개\n")


def test_an_app_that_is_killed_while_it_is_asked_fails_this_request_alone(tmp_path: Path, place: Place) -> None:
    with bridged(tmp_path, place, STRICTCALL_VIEWER_APP=an_app("slow")) as bridge:
        bridge.send(call("open_markdown", content="# Slow"))
        asked(place)
        old = app_of(place)
        os.kill(old, signal.SIGKILL)
        assert "연결이 끊어졌습니다" in bridge.receive()["result"]["content"][0]["text"]
        assert f"of {old}" not in called(bridge, "list_viewers")[0]


@pytest.mark.parametrize("when", ["before it asks", "while it waits", "after the answer"])
def test_an_app_goes_on_when_a_bridge_is_killed(tmp_path: Path, place: Place, when: str) -> None:
    with bridged(tmp_path, place, STRICTCALL_VIEWER_APP=an_app("slow")) as bridge:
        called(bridge, "list_viewers")
        app = app_of(place)
        with bridged(tmp_path, place) as another:
            if when == "while it waits":
                another.send(call("open_markdown", content="# Slow"))
                asked(place)
            elif when == "after the answer":
                called(another, "list_viewers")
            another.process.kill()
            another.process.wait()
        assert f"of {app}" in called(bridge, "list_viewers")[0]


# ---- many at once


def test_fifty_windows_and_twenty_clients_at_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environ_of(place).items():
        monkeypatch.setenv(name, value)

    def all_at_once(ask: Callable[[int], Json]) -> list[Json]:
        with ThreadPoolExecutor(20) as clients:
            return list(clients.map(ask, range(50)))

    viewer.request("list_viewers", {})
    opened = all_at_once(lambda one: viewer.request("open_markdown", {"content": f"# Window {one}"}))
    assert [window["title"] for window in opened] == [f"Window {one}" for one in range(50)]
    ids = [window["windowId"] for window in opened]
    assert len(set(ids)) == 50
    assert len(viewer.request("list_viewers", {})["windows"]) == 50
    updated = all_at_once(
        lambda one: viewer.request("update_markdown", {"windowId": ids[one], "content": f"# Again {one}"})
    )
    assert [(one["windowId"], one["title"]) for one in updated] == [(ids[one], f"Again {one}") for one in range(50)]
    assert all_at_once(lambda one: viewer.request("close_viewer", {"windowId": ids[one]})) == [{"closed": 1}] * 50
