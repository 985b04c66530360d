"""Who shows the viewer's windows: which browsers are found, which is taken, and what happens if it fails."""

import asyncio
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from steering import Steered

from mcp_server.viewer.screens import browsers
from mcp_server.viewer.screens.elsewhere import Elsewhere
from mcp_server.viewer.screens.pick import outside, pick
from mcp_server.viewer.screens.screen import NotShown
from mcp_server.viewer.screens.session import with_display


class Programs:
    """A folder of programs that write down what they are told."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.environ = {"PATH": str(folder), "DISPLAY": ":0", "XDG_DATA_HOME": str(folder)}

    def add(self, name: str, exit_code: int = 0) -> str:
        program = self._folder / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f'#!/bin/sh\necho "$@" >"$0.told"\nexit {exit_code}\n')
        program.chmod(0o755)
        return str(program)

    def was_told(self, name: str) -> bool:
        return (self._folder / f"{name}.told").exists()

    def told(self, name: str) -> str:
        return (self._folder / f"{name}.told").read_text().strip()


@pytest.fixture(autouse=True)
def _without_native_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "webview", None)


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder for sockets, whose paths are short."""
    with TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    return Programs(tmp_path)


def test_the_default_browser_is_next_if_a_browser_fails(programs: Programs, caplog: pytest.LogCaptureFixture) -> None:
    broken = programs.add("chromium", 7)
    programs.add("xdg-open")
    with Steered(pick(programs.environ, "linux"), "http://here") as screen:
        screen.show("One")
    assert programs.told("xdg-open") == "http://here/once/One?s"
    assert caplog.messages == [f"{broken} has ended at once, with exit code 7"]


def test_if_all_fail_the_last_says_why(programs: Programs, caplog: pytest.LogCaptureFixture) -> None:
    programs.add("chromium", 7)
    last = programs.add("xdg-open", 3)
    with Steered(pick(programs.environ, "linux"), "http://here") as screen, pytest.raises(NotShown) as failure:
        screen.show("One")
    assert str(failure.value) == caplog.messages[1] == f"{last} has ended with exit code 3"


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("https://example.com/a?b=c&d=%20#e", "https://example.com/a?b=c&d=%20#e"),
        ('HTTP://example.com/"|`한', "HTTP://example.com/%22%7C%60%ED%95%9C"),
        ("mailto:a@example.com?subject=b", "mailto:a@example.com?subject=b"),
    ],
)
def test_a_link_is_opened_where_its_person_browses(programs: Programs, url: str, told: str) -> None:
    programs.add("xdg-open")
    leave(programs, url)
    assert programs.told("xdg-open") == told


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "file:///etc/passwd", "--help", "https://a b", "https://", "https://" + "a" * 5000]
)
def test_what_is_no_address_of_the_web_is_not_opened(programs: Programs, url: str) -> None:
    programs.add("xdg-open")
    leave(programs, url)
    assert not programs.was_told("xdg-open")


def test_of_two_clicks_in_a_moment_one_is_meant(programs: Programs) -> None:
    programs.add("xdg-open")
    leave(programs, "https://one.example", "https://two.example")
    assert programs.told("xdg-open") == "https://one.example"


def test_without_a_default_browser_a_link_is_opened_by_the_one_there_is(programs: Programs) -> None:
    programs.add("xdg-open", 3)
    programs.add("chromium")
    leave(programs, "https://example.com")
    assert programs.told("chromium") == "https://example.com"


def test_nothing_is_opened_where_nothing_can_be_shown_or_shall_be(programs: Programs) -> None:
    assert outside(programs.environ | {"STRICTCALL_VIEWER_BROWSER": "none"}, "linux") is None
    assert outside({"PATH": programs.environ["PATH"]}, "linux") is None


def leave(programs: Programs, *urls: str) -> None:
    """Click on links, and wait until they are opened."""

    async def click() -> None:
        elsewhere = Elsewhere(outside(programs.environ, "linux"))
        for url in urls:
            elsewhere.open(url)
        await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()})

    asyncio.run(click())


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ("my-browser", "http://here/once/One?s"),
        ("my-browser --new 'a b'", "--new a b http://here/once/One?s"),
        ("my-browser --like=chromium %s", "--like=chromium http://here/once/One?s"),
        ("my-browser --to=%s --now", "--to=http://here/once/One?s --now"),
    ],
)
def test_a_person_can_choose_any_command(programs: Programs, chosen: str, told: str) -> None:
    programs.add("chromium")
    programs.add("my-browser")
    with Steered(pick(programs.environ | {"STRICTCALL_VIEWER_BROWSER": chosen}, "linux"), "http://here") as screen:
        screen.show("One")
    assert programs.told("my-browser") == told


def test_a_chosen_program_may_have_spaces_in_its_path(programs: Programs) -> None:
    chosen = programs.add("Program Files/My browser")
    with Steered(pick({"STRICTCALL_VIEWER_BROWSER": chosen}, "linux"), "http://here") as screen:
        screen.show("One")
    assert programs.told("Program Files/My browser") == "http://here/once/One?s"


@pytest.mark.parametrize(
    ("platform", "text", "command"),
    [
        (
            "win32",
            r'"C:\Program Files\Edge\msedge.exe" --inprivate',
            [r"C:\Program Files\Edge\msedge.exe", "--inprivate"],
        ),
        ("win32", r"C:\Edge\msedge.exe", [r"C:\Edge\msedge.exe"]),
        ("linux", "'/opt/my chromium' --headless=new", ["/opt/my chromium", "--headless=new"]),
    ],
)
def test_a_choice_is_read_as_its_system_writes_commands(platform: str, text: str, command: list[str]) -> None:
    assert browsers.chosen(text, platform) == command
    assert browsers.is_chromium(command)


@pytest.mark.parametrize("chosen", ["my-browser", "no-such-chromium"])
def test_a_chosen_command_that_is_not_there_is_named(programs: Programs, chosen: str) -> None:
    environ = programs.environ | {"STRICTCALL_VIEWER_BROWSER": chosen}
    with (
        Steered(pick(environ, "linux"), "") as screen,
        pytest.raises(NotShown, match=r"^\S+ cannot be started: No such"),
    ):
        screen.show("One")


def test_a_choice_that_is_no_command_shows_nothing_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert pick({"STRICTCALL_VIEWER_BROWSER": "'chromium", "DISPLAY": ":0"}) is None
    expected = """STRICTCALL_VIEWER_BROWSER should be a command, or none; found "'chromium": No closing quotation"""
    assert caplog.messages == [expected]


@pytest.mark.parametrize(
    ("environ", "platform", "shows"),
    [
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({}, "linux", False),
        ({"WSL_DISTRO_NAME": "Ubuntu"}, "linux", True),
        ({}, "darwin", True),
        ({}, "win32", True),
        ({"STRICTCALL_VIEWER_BROWSER": "chromium --headless=new"}, "linux", True),
        ({"STRICTCALL_VIEWER_BROWSER": "none", "DISPLAY": ":0"}, "linux", False),
        ({"STRICTCALL_VIEWER_BROWSER": "none"}, "win32", False),
    ],
)
def test_something_is_shown_where_there_is_a_display(
    programs: Programs, environ: dict[str, str], platform: str, *, shows: bool
) -> None:
    programs.add("xdg-open")
    programs.add("wslview")
    assert bool(pick({"PATH": programs.environ["PATH"], **environ}, platform)) == shows


def test_nothing_is_shown_where_there_is_no_browser(programs: Programs) -> None:
    assert pick(programs.environ, "linux") is None


@pytest.mark.parametrize(
    ("platform", "there", "found"),
    [
        ("linux", ["google-chrome", "chromium"], "chromium"),
        ("linux", ["microsoft-edge-stable"], "microsoft-edge-stable"),
        ("linux", ["firefox"], None),
        (
            "darwin",
            ["Applications/Chromium.app/Contents/MacOS/Chromium"],
            "Applications/Chromium.app/Contents/MacOS/Chromium",
        ),
        ("win32", ["x86/Microsoft/Edge/Application/msedge.exe"], "x86/Microsoft/Edge/Application/msedge.exe"),
        (
            "win32",
            ["x86/Microsoft/Edge/Application/msedge.exe", "own/Google/Chrome/Application/chrome.exe"],
            "own/Google/Chrome/Application/chrome.exe",
        ),
    ],
)
def test_a_chromium_is_found_where_each_system_keeps_it(
    programs: Programs, monkeypatch: pytest.MonkeyPatch, platform: str, there: list[str], found: str | None
) -> None:
    folder = programs.environ["PATH"]
    monkeypatch.setenv("HOME", folder)
    for program in there:
        programs.add(program)
    environ = {"PATH": folder, "ProgramFiles(x86)": f"{folder}/x86", "LOCALAPPDATA": f"{folder}/own"}
    assert browsers.chromium(environ, platform) == (found and [f"{folder}/{found}"])


@pytest.mark.parametrize(
    ("platform", "environ", "there", "command"),
    [
        ("linux", {}, ["xdg-open", "firefox"], "xdg-open"),
        ("linux", {}, ["firefox"], "firefox"),
        ("linux", {}, ["lynx", "w3m"], None),
        ("linux", {"WSL_DISTRO_NAME": "Ubuntu"}, ["xdg-open", "wslview"], "wslview"),
        ("linux", {}, ["xdg-open", "wslview"], "xdg-open"),
    ],
)
def test_the_default_browser_is_never_one_for_terminals(
    programs: Programs, platform: str, environ: dict[str, str], there: list[str], command: str | None
) -> None:
    for program in there:
        programs.add(program)
    found = browsers.default(programs.environ | environ, platform)
    assert found == (command and [f"{programs.environ['PATH']}/{command}", "%s"])


def test_a_browser_from_a_snap_keeps_its_things_where_it_may(
    programs: Programs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "chromium").symlink_to(programs.add("snap"))
    assert f"--user-data-dir={tmp_path}/snap/chromium/common/strictcall/viewer-browser" in browsers.app_window(
        ["chromium"], programs.environ, "linux"
    )


def test_two_apps_do_not_share_what_their_browsers_keep(programs: Programs) -> None:
    commands = [
        browsers.app_window(["chromium"], programs.environ | {"STRICTCALL_VIEWER_SOCKET": socket}, "linux")
        for socket in ("/run/one", "/run/two")
    ]
    assert commands[0] != commands[1]


@pytest.mark.skipif(sys.platform != "linux", reason="displays of Linux")
def test_who_was_started_without_a_display_finds_that_of_the_session(short_path: Path) -> None:
    def found(**environ: str) -> dict[str, str]:
        return with_display(environ, short_path / "x", short_path)

    folder = short_path / str(os.getuid())
    for name in (folder, short_path / "x"):
        name.mkdir()
    assert found() == {}
    (short_path / "x/X7").touch()  # no socket
    with socket.socket(socket.AF_UNIX) as one, socket.socket(socket.AF_UNIX) as other:
        one.bind(str(short_path / "x/X2"))
        assert found() == {"DISPLAY": ":2"}
        other.bind(str(folder / "wayland-0"))
        assert found() == {"DISPLAY": ":2", "WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": str(folder)}
        assert found(DISPLAY=":1") == {"DISPLAY": ":1"}
