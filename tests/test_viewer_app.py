"""The viewer as a whole: the app in a process of its own, its windows, and `strictcall view`."""

import asyncio
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from socket import create_connection
from typing import Any
from urllib.parse import urlsplit

import pytest
from browsing import Browser, browser
from command import strictcall
from display import Display, display
from mcp_running import Stdio, call
from serving import SOON, until
from viewer_running import ROOT, Json, app_of, environ_of, own_place
from websockets import ConnectionClosed, Origin
from websockets.sync.client import connect

from mcp_server.viewer.app import run
from mcp_server.viewer.client import request
from mcp_server.viewer.door import listening
from mcp_server.viewer.place import Place


@pytest.fixture
def place() -> Iterator[Place]:
    with own_place() as one:
        yield one


@pytest.fixture(scope="module")
def browsing() -> Iterator[Browser]:
    with browser() as one:
        yield one


@pytest.fixture
def page(browsing: Browser) -> Browser:
    browsing.begin()
    return browsing


@pytest.fixture(scope="module")
def screen() -> Iterator[Display]:
    with display() as one:
        yield one


def environ(place: Place, **more: str) -> dict[str, str]:
    return {**os.environ, **environ_of(place, **more), "PYTHONPATH": str(ROOT)}


def view(place: Place, *words: str, given: bytes = b"", **more: str) -> Json:
    """What `strictcall view` prints of the window it has opened."""
    done = strictcall("view", *words, "--json", given=given, environ=environ(place, **more))
    assert done.returncode == 0, done.stderr.decode()
    return dict(json.loads(done.stdout))


def listed(place: Place) -> list[Json]:
    done = strictcall("view", "--list", "--json", environ=environ(place))
    return [json.loads(line) for line in done.stdout.splitlines()]


def said(place: Place, *words: str, given: bytes = b"") -> str:
    """The one line that a command says when it fails."""
    done = strictcall("view", *words, given=given, environ=environ(place))
    assert (done.returncode, done.stdout) == (2, b"")
    line = done.stderr.decode()
    assert line.count("\n") == 1
    return line.strip()


# ---- for people


def test_view_shows_a_file_and_goes_along_with_it(place: Place, tmp_path: Path, page: Browser) -> None:
    file = tmp_path / "알림.md"
    file.write_text("# 처음\n\n하나", "utf-8")
    window = view(place, str(file))
    assert (window["title"], window["shown"]) == ("처음", False)
    page.open(window["url"])
    page.sees("하나")
    file.write_text("# 다음\n\n둘", "utf-8")
    page.sees("둘")
    until(lambda: page.driver.title == "다음")
    assert [one["title"] for one in listed(place)] == ["다음"]


def test_a_title_that_was_asked_for_stays(place: Place, tmp_path: Path, page: Browser) -> None:
    file = tmp_path / "a.md"
    file.write_text("# One", "utf-8")
    page.open(view(place, str(file), "--title", "Mine \n  own")["url"])
    file.write_text("# Two", "utf-8")
    page.sees("Two")
    assert page.driver.title == "Mine own"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("\n\n- **여객선** 시간표\n- 요금", "여객선 시간표"),
        ("말 " * 100, ("말 " * 30).strip()),
        ("```\n```", "Markdown"),
        ("본문\n\n## 제목", "제목"),
    ],
)
def test_what_has_no_heading_is_called_as_it_begins(place: Place, text: str, title: str) -> None:
    assert view(place, "-", given=text.encode())["title"] == title


@pytest.mark.parametrize("encoding", ["utf-8", "cp949"])
def test_view_shows_standard_input(place: Place, page: Browser, encoding: str) -> None:
    window = view(place, "-", given="# 안녕\n\n가나다".encode(encoding))
    assert window["title"] == "안녕"
    page.open(window["url"])
    page.sees("가나다")


def test_view_shows_standard_input_as_it_comes_until_its_person_has_seen_enough(place: Place, page: Browser) -> None:
    command = [sys.executable, "-m", "runner.cli", "view", "-", "--follow", "--json"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "env": environ(place), "cwd": ROOT}
    with subprocess.Popen(command, **pipes) as viewing:
        assert viewing.stdin
        assert viewing.stdout
        viewing.stdin.write("# 흐름\n\n가".encode()[:-1])  # half a character
        viewing.stdin.flush()
        page.open(json.loads(viewing.stdout.readline())["url"])
        page.sees("흐름")
        viewing.stdin.write("가".encode()[-1:] + "나".encode())
        viewing.stdin.flush()
        page.sees("가나")
        page.open("about:blank")
        until(lambda: not listed(place))
        viewing.stdin.write(b"more")
        viewing.stdin.flush()
        assert viewing.wait(SOON) == 0


def test_where_nothing_can_be_shown_view_prints_the_address(place: Place, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Hi")
    done = strictcall("view", str(tmp_path / "a.md"), environ=environ(place))
    assert done.stdout.decode().split() == [listed(place)[0]["url"]]
    assert b"No window can be opened here" in done.stderr


def test_view_says_in_one_line_what_is_wrong(place: Place, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"x")
    assert "cannot read" in said(place, str(tmp_path / "none.md"))
    assert "end with .md, .markdown, .txt are shown; this is 'a.png'" in said(place, str(tmp_path / "a.png"))
    assert "standard input is empty" in said(place, "-")
    assert "name a file" in said(place)


def test_view_reads_no_more_than_it_can_show(place: Place) -> None:
    command = [sys.executable, "-m", "runner.cli", "view", "-"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environ(place), "cwd": ROOT}
    with subprocess.Popen(command, **pipes) as viewing:
        assert viewing.stdin
        assert viewing.stderr
        viewing.stdin.write(b"a" * 10_485_761)  # and it does not end
        viewing.stdin.flush()
        assert viewing.wait(SOON) == 2
        assert "larger than 10MB" in viewing.stderr.read().decode()


# ---- the app


def test_an_app_that_is_asked_to_end_leaves_nothing_behind(place: Place) -> None:
    view(place, "-", given=b"# Hi")
    os.kill(app_of(place), signal.SIGTERM)
    until(lambda: not place.is_held() and not Path(place.socket).exists())
    assert Path(place.log).read_text() == ""


def test_an_app_that_is_asked_to_end_does_not_wait_for_a_document(place: Place) -> None:
    url = view(place, "-", given=b"a" * 70_000 + b"[" * 3_000_000)["url"]  # a minute's work
    app = app_of(place)
    with socket.create_connection(("127.0.0.1", urlsplit(url).port or 0)) as asking:
        asking.sendall(f"GET {urlsplit(url).path} HTTP/1.1\r\nHost: {urlsplit(url).netloc}\r\n\r\n".encode())
        until(lambda: busy(app))
        os.kill(app, signal.SIGTERM)
        until(lambda: not place.is_held())
    assert Path(place.log).read_text() == ""


def test_an_app_that_nobody_finds_any_more_ends(place: Place) -> None:
    view(place, "-", given=b"# Hi")
    lost = Place(place.socket.replace("v.sock", "lost.sock"))
    Path(place.lock).rename(lost.lock)
    Path(place.socket).unlink()
    view(place, "-", given=b"# Ho")
    until(lambda: not lost.is_held())
    assert [one["title"] for one in listed(place)] == ["Ho"]


def test_a_disk_that_is_full_is_named(place: Place) -> None:
    command = f"ulimit -f 0; exec {shlex.quote(sys.executable)} -m runner.cli viewer"
    done = subprocess.run(["/bin/sh", "-c", command], env=environ(place), cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr.decode().startswith(f"strictcall: cannot write {place.lock}: ")
    assert done.stderr.count(b"\n") == 1


def test_a_second_app_leaves_it_to_the_first(place: Place) -> None:
    view(place, "-", given=b"# Hi")
    second = strictcall("viewer", environ=environ(place))
    assert (second.returncode, second.stdout) == (0, b"")
    assert f"running already, as process {app_of(place)};" in second.stderr.decode()
    assert len(listed(place)) == 1


def test_an_app_with_nothing_to_show_ends(place: Place) -> None:
    with place.held(), listening(place) as door:
        asyncio.run(asyncio.wait_for(run(door, lambda: None, 0.01), SOON))


def test_no_token_is_in_a_log_or_in_the_record_of_calls(place: Place, tmp_path: Path, page: Browser) -> None:
    with Stdio(tmp_path, **environ_of(place)) as bridge:
        bridge.begin()
        assert not bridge.ask(call("open_markdown", content="# Secret"))["result"]["isError"]
        url = listed(place)[0]["url"]
        page.open(url)
        page.sees("Secret")
        page.open(url + "none.md")
        bridge.ask(call("list_viewers"))
        token = url.rsplit("/", 2)[1]
        written = [file for file in (*tmp_path.rglob("*"), *Path(place.socket).parent.iterdir()) if file.is_file()]
        assert {"data.db", "v.log"} <= {file.name for file in written}
        assert not [file for file in written if token.encode() in file.read_bytes()]
        assert not [line for line in bridge.logged if token in line]


@pytest.mark.parametrize("said", ['"' + "x" * 100_000 + '"', b"{}", "[" * 50_000, "{", "1" * 10_000])
def test_what_no_page_says_ends_its_connection_and_is_not_worth_a_word(place: Place, said: str | bytes) -> None:
    url = view(place, "-", given=b"# A")["url"]
    with connect(url.replace("http", "ws") + "~live", origin=Origin(url.partition("/w/")[0])) as socket:
        socket.send(said)
        with pytest.raises(ConnectionClosed):
            socket.recv(SOON)
    assert Path(place.log).read_text("utf-8") == ""


def test_a_header_without_an_end_is_not_waited_for(place: Place) -> None:
    port = urlsplit(view(place, "-", given=b"# A")["url"]).port
    with create_connection(("127.0.0.1", port), SOON) as asking, suppress(ConnectionError):
        asking.sendall(b"GET / HTTP/1.1\r\nX: " + b"x" * 100_000)
        while asking.recv(1000):
            pass


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_an_app_stays_small_while_a_large_document_is_updated(
    place: Place, page: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environ_of(place).items():
        monkeypatch.setenv(name, value)
    window = request("open_markdown", {"content": "# 0"})
    page.open(window["url"])
    text = "".join(f"## {part}절\n\n**굵은** 글과 `코드`가 이어진다. {'글 ' * 180}\n\n" for part in range(1300))

    def kilobytes_after(numbers: range) -> int:
        for number in numbers:
            content = f"# {number}\n\n{text}끝 {number}\n"
            request("update_markdown", {"windowId": window["windowId"], "content": content})
        page.holds(f"document.querySelector('article').lastElementChild.textContent === '끝 {numbers[-1]}'")
        status = Path(f"/proc/{app_of(place)}/status").read_text("utf-8")
        return int(status.partition("VmRSS:")[2].split()[0])

    early = kilobytes_after(range(1, 26))
    assert kilobytes_after(range(26, 101)) < early * 1.3


# ---- on a screen


def test_a_model_opens_changes_and_closes_real_windows(place: Place, tmp_path: Path, screen: Display) -> None:
    profile = {"STRICTCALL_VIEWER_BROWSER": "", "XDG_DATA_HOME": str(tmp_path / "data")}
    with Stdio(tmp_path, **(environ_of(place) | profile), DISPLAY=screen.environ["DISPLAY"]) as bridge:
        bridge.begin()
        first = structured(bridge, "open_markdown", content="# Harbour", size="s")
        assert first["shown"]
        structured(bridge, "open_markdown", content="# Island", size="m")
        screen.shows("Harbour", "Island")
        until(lambda: [screen.windows()[title].size for title in ("Harbour", "Island")] == [(480, 680), (720, 1024)])
        structured(bridge, "update_markdown", windowId=first["windowId"], content="# Pier")
        screen.shows("Pier", "Island")
        screen.close("Pier")
        until(lambda: [one["title"] for one in structured(bridge, "list_viewers")["windows"]] == ["Island"])
        os.kill(app_of(place), signal.SIGKILL)
        screen.shows()
        structured(bridge, "open_markdown", content="# Again")
        screen.shows("Again")
        assert structured(bridge, "close_viewer") == {"closed": 1}
        screen.shows()


def structured(bridge: Stdio, tool: str, **arguments: Any) -> Json:
    result = bridge.ask(call(tool, **arguments))["result"]
    assert not result["isError"], result
    return dict(result["structuredContent"])


def busy(process: int) -> bool:
    """Has it worked for longer than its start takes?"""
    used = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return int(used[11]) > 2 * os.sysconf("SC_CLK_TCK")
