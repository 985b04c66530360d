"""Real windows, on a display that nobody looks at: what is opened is seen, and what is closed no longer."""

import logging
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from display import SIZE, Display, display, needs
from serving import served, until
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from steering import SECRET, Steered
from viewer_running import own_place

from mcp_server.viewer.client import request
from mcp_server.viewer.limits import SIZES
from mcp_server.viewer.place import VARIABLE
from mcp_server.viewer.screens.pick import pick

PAGE = """<!doctype html><title>{title}</title><script>
    {resize}
    history.pushState(1, "", "?one")
    history.pushState(2, "", "?two")
</script>"""
APP = """
import asyncio, os
from mcp_server.viewer.client import request
from mcp_server.viewer.place import VARIABLE
from mcp_server.viewer.screens.pick import pick

async def main():
    await pick(os.environ).show("one", os.environ["URL"], os.environ["PAGE"], "s", foreground=True)
    print("shown", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


async def once(request: Request) -> Response:
    """What a command line may name."""
    return RedirectResponse(f"/w/{SECRET}{request.path_params['title']}?{request.url.query}", 303)


async def page(request: Request) -> Response:
    """A page that takes the size it was opened with, and has been elsewhere."""
    size = SIZES.get(request.url.query)
    resize = f"resizeTo({size[0]}, {size[1]})" if size else ""
    return HTMLResponse(PAGE.format(title=request.path_params["token"].removeprefix(SECRET), resize=resize))


@pytest.fixture
def pages() -> Iterator[str]:
    with served(Starlette(routes=[Route("/once/{title}", once), Route("/w/{token}", page)])) as url:
        yield url


@pytest.fixture
def seen(tmp_path: Path) -> Iterator[Display]:
    with display() as one:
        one.environ["XDG_DATA_HOME"] = str(tmp_path)
        yield one


def test_a_window_has_the_title_of_its_page_and_the_size_that_was_asked_for(seen: Display, pages: str) -> None:
    with Steered(pick(seen.environ), pages) as screen:
        screen.show("One", "s")
        seen.shows("One")
        assert seen.windows()["One"].size == SIZES["s"]
        screen.show("Two", "m")
        seen.shows("One", "Two")
        until(lambda: has_size(seen, "Two", (720, 1024)))
    seen.shows()


def test_one_window_is_hidden_and_the_others_stay(seen: Display, pages: str) -> None:
    with Steered(pick(seen.environ), pages) as screen:
        for title in ("One", "Two", "Three"):
            screen.show(title)
        seen.shows("One", "Two", "Three")
        screen.hide("Two")
        seen.shows("One", "Three")
        screen.hide("Two")
        screen.hide("never shown")
        screen.hide("One")
        seen.shows("Three")


def test_windows_are_shown_again_after_their_person_has_closed_the_last(seen: Display, pages: str) -> None:
    with Steered(pick(seen.environ), pages) as screen:
        screen.show("One")
        seen.shows("One")
        seen.close("One")
        seen.shows()
        screen.show("Two")
        seen.shows("Two")
        screen.hide("One")
        screen.hide("Two")
        screen.show("Three")  # at once, while the browser ends
        seen.shows("Three")


def test_a_window_can_be_the_whole_screen(seen: Display, pages: str) -> None:
    with Steered(pick(seen.environ), pages) as screen:
        screen.show("One", "f")
        until(lambda: has_size(seen, "One", SIZE))


def test_a_window_that_shall_not_be_in_front_is_minimized(seen: Display, pages: str) -> None:
    with Steered(pick(seen.environ), pages) as screen:
        screen.show("One")
        seen.shows("One")
        screen.show("Two", foreground=False)
        until(lambda: seen.is_minimized("Two"))
        assert not seen.is_minimized("One")


def test_windows_end_with_the_app_that_was_killed(seen: Display, pages: str) -> None:
    environ = {**seen.environ, "URL": f"{pages}/once/One?s", "PAGE": f"{pages}/w/{SECRET}One"}
    with subprocess.Popen([sys.executable, "-c", APP], env=environ, stdout=subprocess.PIPE) as app:
        assert app.stdout
        assert app.stdout.readline() == b"shown\n"
        seen.shows("One")
        app.kill()
    seen.shows()
    with Steered(pick(seen.environ), pages) as screen:
        screen.show("Two")
        seen.shows("Two")


def test_a_browser_that_hangs_is_ended_too(seen: Display, pages: str, tmp_path: Path) -> None:
    with Steered(pick(seen.environ), pages) as screen:
        screen.show("One")
        machine_and_process = (tmp_path / "strictcall/viewer-browser/SingletonLock").readlink().name
        browser = int(machine_and_process.rpartition("-")[2])
        os.kill(browser, signal.SIGSTOP)
    with pytest.raises(ProcessLookupError):
        os.kill(browser, 0)


def test_what_a_page_is_called_is_on_no_command_line_and_in_no_log(
    seen: Display, pages: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with Steered(pick(seen.environ), pages) as screen:
        screen.show("One")
        screen.show("Two", "f")
        screen.hide("Two")
        seen.shows("One")
        lines = command_lines()
    assert any(b"/once/One" in line for line in lines)
    assert not [line for line in lines if SECRET.encode() in line]
    assert SECRET not in caplog.text


def test_only_its_user_can_look_into_what_the_browser_keeps(seen: Display, pages: str, tmp_path: Path) -> None:
    with Steered(pick(seen.environ), pages) as screen:
        screen.show("One")
    profile = tmp_path / "strictcall" / "viewer-browser"
    assert stat.S_IMODE(profile.stat().st_mode) == 0o700


def test_a_browser_without_a_display_has_several_windows_too(pages: str, tmp_path: Path) -> None:
    needs("chromium")
    environ = {**os.environ, "STRICTCALL_VIEWER_BROWSER": "chromium --headless=new", "XDG_DATA_HOME": str(tmp_path)}
    with Steered(pick(environ), pages) as screen:
        screen.show("One")
        screen.show("Two")
        screen.hide("One")


def test_the_viewer_opens_its_windows_as_they_are_asked_for(seen: Display, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in seen.environ.items():
        monkeypatch.setenv(name, value)
    with own_place() as place:
        monkeypatch.setenv(VARIABLE, place.socket)
        for title, size in (("One", "s"), ("Two", "m"), ("Three", "f")):
            request("open_markdown", {"content": f"# {title}", "foreground": True, "size": size})
            until(lambda: has_size(seen, title, SIZES[size] or SIZE))  # noqa: B023 - it is waited for here
        request("open_markdown", {"content": "# Four", "foreground": False, "size": "s"})
        until(lambda: seen.is_minimized("Four"))
        request("close_viewer", {})
        seen.shows()


def test_windows_do_not_cover_the_titles_of_others(seen: Display, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in seen.environ.items():
        monkeypatch.setenv(name, value)
    with own_place() as place:
        monkeypatch.setenv(VARIABLE, place.socket)
        for title, size in (("One", "s"), ("Two", "m"), ("Three", "s")):
            request("open_markdown", {"content": f"# {title}", "foreground": True, "size": size})
        until(lambda: are_apart(seen, "One", "Two", "Three"))
        seen.close("Two")
        seen.shows("One", "Three")
        until(lambda: len(request("list_viewers", {})["windows"]) == 2)
        request("open_markdown", {"content": "# Four", "foreground": True, "size": "l"})
        until(lambda: are_apart(seen, "One", "Four", "Three"))
        request("close_viewer", {})
        seen.shows()


def test_a_link_to_elsewhere_opens_in_the_browser_of_its_person(
    seen: Display, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    browser = tmp_path / "xdg-open"
    browser.write_text(f'#!/bin/sh\necho "$@" >>"{told}"\n')
    browser.chmod(0o755)
    for name, value in seen.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with own_place() as place:
        monkeypatch.setenv(VARIABLE, place.socket)
        link = f"# [{'가나다라' * 50}](https://example.com/)"
        request("open_markdown", {"content": link, "title": "One", "size": "s"})
        seen.shows("One")
        until(lambda: seen.click("One", 100, 200) and told.exists())
        assert set(told.read_text().splitlines()) == {"https://example.com/"}
        seen.shows("One")
        request("close_viewer", {})


def are_apart(seen: Display, *titles: str) -> bool:
    """Whether each window is further than the one before; a frame that comes only then takes some of the way back."""
    windows = seen.windows()
    if not set(titles) <= set(windows):
        return False
    places = [windows[title].at for title in titles]
    return all(x2 - x1 > 0 and y2 - y1 > 0 for (x1, y1), (x2, y2) in pairwise(places))


def has_size(seen: Display, title: str, size: tuple[int, int]) -> bool:
    window = seen.windows().get(title)
    return window is not None and window.size == size


def command_lines() -> list[bytes]:
    """Those of all processes of this machine."""
    lines = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            lines.append((process / "cmdline").read_bytes())
        except OSError:  # it has ended
            continue
    return lines
