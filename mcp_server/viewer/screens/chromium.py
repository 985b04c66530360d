"""App windows of a Chromium (or Chrome, Edge, Brave): a page in a frame of its own, without tabs and address.

Every window is asked for by the same command. The first process stays and is the browser; each later one hands its
window over to that and ends.

    chromium --user-data-dir=… --remote-debugging-pipe --window-size=720,1024 --app=http://127.0.0.1:…/…

A window that was handed over gets the size of the one before, whatever its command says: the page sets its own.
"""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from mcp_server.viewer.limits import SIZES
from mcp_server.viewer.screens.browsers import URL
from mcp_server.viewer.screens.devtools import Browser, Gone, Refused
from mcp_server.viewer.screens.screen import NotShown

T = TypeVar("T")

PATIENCE: Final = 20.0
"""Seconds for a window to appear: the first start of a browser from a slow disk takes some."""

ENDING: Final = 3.0
"""Seconds for a browser to end; one that hangs keeps its profile from the next."""

PROFILE_IN_USE: Final = 21
"""The exit code of a headless browser that finds another: it does not hand its window over."""


class Chromium:
    """The windows of one browser, which is started when it is needed."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str]) -> None:
        self._command = command
        self._environ = environ
        self._turn = asyncio.Lock()
        self._browser: Browser | None = None
        self._windows: dict[str, _Window] = {}

    async def show(self, window_id: str, url: str, page: str, size: str, *, foreground: bool) -> None:
        """Open a window."""
        window = self._windows[window_id] = _Window(url, page)
        async with window.showing:
            async with self._turn:  # a process hands its window over only if the one before has become a browser
                browser = await self._soon(self._browser_with(url, size))
            await self._soon(window.there.wait())
            with suppress(Gone, Refused):  # its person may have closed it already
                await _place(browser, window.target, size, foreground=foreground)

    async def change(self, window_id: str, *, title: str, pinned: bool) -> None:
        """Nothing: a window has the title of its page, and a browser pins none."""

    async def hide(self, window_id: str) -> None:
        """Close a window; if it is still to come, once it is there."""
        window = self._windows.get(window_id)
        if window is None:
            return
        async with window.showing:
            self._windows.pop(window_id, None)
            if self._browser and window.target:
                with suppress(Gone, Refused):  # likewise
                    await self._browser.close(window.target)

    async def end(self) -> None:
        """End the browser."""
        async with self._turn:
            if self._browser:
                await _ended(self._browser)

    async def _soon(self, what: Coroutine[Any, Any, T]) -> T:
        try:
            return await asyncio.wait_for(what, PATIENCE)
        except TimeoutError:
            raise NotShown(f"{self._command[0]} has shown no window within {PATIENCE:.0f} seconds") from None
        except (Gone, Refused):
            raise NotShown(f"{self._command[0]} has ended before it has shown the window") from None

    async def _browser_with(self, url: str, size: str) -> Browser:
        """The browser, after it was asked for a window on this address."""
        if self._browser and self._browser.ending:
            await _ended(self._browser)
            self._browser = None
        command = [word.replace(URL, url) for word in (*self._command, *_size(size), "--remote-debugging-pipe")]
        try:
            started = await Browser.start(command, self._environ, self._seen)
        except OSError as error:
            raise NotShown(f"{command[0]} cannot be started: {error.strerror}") from None
        try:
            await started.ask("Target.setDiscoverTargets", discover=True)
            self._browser = started
        except Gone:
            code = await started.exit_code()
            if code == PROFILE_IN_USE and self._browser:
                await self._browser.ask("Target.createTarget", url=url, newWindow=True)
            elif code:
                raise NotShown(f"{command[0]} has ended at once, with exit code {code}") from None
        except asyncio.CancelledError:
            started.end()
            raise
        if self._browser is None:
            raise NotShown(f"{command[0]} gave the window to a browser that was not started here")
        return self._browser

    def _seen(self, target: str, url: str) -> None:
        for window in self._windows.values():
            if not window.target and (url == window.url or url.startswith(window.page)):
                window.target = target
                window.there.set()


@dataclass(slots=True, eq=False)
class _Window:
    """A window: what its address will be, and the browser's name for it once it is there."""

    url: str
    page: str
    target: str = ""
    there: asyncio.Event = field(default_factory=asyncio.Event)
    showing: asyncio.Lock = field(default_factory=asyncio.Lock)


def _size(size: str) -> list[str]:
    """The size of the first window, so that it need not change before its person's eyes."""
    pixels = SIZES[size]
    return [f"--window-size={pixels[0]},{pixels[1]}"] if pixels else []


async def _ended(browser: Browser) -> None:
    """Have a browser end; by force, if it hangs."""
    browser.end()
    try:
        await asyncio.wait_for(browser.exit_code(), ENDING)
    except TimeoutError:
        browser.kill()
        await browser.exit_code()


async def _place(browser: Browser, target: str, size: str, *, foreground: bool) -> None:
    """Bring a window to the front, or over the whole screen; or out of the way, as one cannot open behind another."""
    state = "minimized" if not foreground else "fullscreen" if SIZES[size] is None else ""
    if state:
        window = await browser.ask("Browser.getWindowForTarget", targetId=target)
        await browser.ask("Browser.setWindowBounds", windowId=window["windowId"], bounds={"windowState": state})
    else:
        await browser.ask("Target.activateTarget", targetId=target)
