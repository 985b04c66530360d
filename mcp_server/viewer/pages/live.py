"""What a page and the app tell each other while the page is open, over a WebSocket.

    page: {"path": "sub/other.md", "version": "3-17…"}   what it shows, at first and whenever that changes
    page: {"pinned": true}                              its person wants the window above all others
    page: {"leave": "https://…"}                        they have clicked on a link that leads out of the viewer
    app:  {"version": "4-18…", "pinned": true}           what there is now, whenever the page has something else

So only the newest of many changes is told, and a page that was away for a while needs nothing but to say what it has.
A WebSocket, because a browser makes six connections to an origin for everything else, and there may be fifty windows.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from mcp_server.viewer.pages.readings import Readings
from mcp_server.viewer.windows import Event, Window, Windows

CLOSED: Final = 4000
"""The code of a WebSocket whose window is closed."""
_LOOK: Final = 0.5
"""Seconds between two looks at a file."""
_PATIENCE: Final = 3.0
"""Seconds that a page may be gone, to be loaded again, before its window counts as closed by its person."""

_NOT_OURS: Final = (ValueError, KeyError, RecursionError)
"""Raised for what no page of ours says: no JSON, bytes, or lists in lists without end."""


class Live:
    """The pages that are open."""

    def __init__(self, windows: Windows, readings: Readings, leave: Callable[[str], None]) -> None:
        self._windows = windows
        self._readings = readings
        self._go_out = leave
        self._pages: Counter[Window] = Counter()
        self._leaving: dict[Window, asyncio.TimerHandle] = {}

    async def attend(self, socket: WebSocket) -> None:
        """Be there for a page as long as it is open."""
        await socket.accept()
        window = self._windows.with_token(socket.path_params["token"])
        if window is None:
            await socket.close(CLOSED)
            return
        self._enter(window)
        page = _Page(socket, window, self._readings)
        telling = asyncio.create_task(page.tell())
        try:
            with suppress(*_NOT_OURS, WebSocketDisconnect):
                while not page.is_closed:
                    self._hear(page, await socket.receive_json())
        finally:
            telling.cancel()
            self._leave(window)
            with suppress(asyncio.CancelledError, WebSocketDisconnect):
                await telling

    def _hear(self, page: "_Page", message: Any) -> None:
        match message:
            case {"path": str() as path, "version": str() as version}:
                page.shows(path, version)
            case {"pinned": bool() as pinned}:
                self._windows.pin(page.window, pinned=pinned)
            case {"leave": str() as url}:
                self._go_out(url)
            case _:
                pass

    def _enter(self, window: Window) -> None:
        self._pages[window] += 1
        if leaving := self._leaving.pop(window, None):
            leaving.cancel()

    def _leave(self, window: Window) -> None:
        self._pages[window] -= 1
        if not self._pages[window]:
            del self._pages[window]
            self._leaving[window] = asyncio.get_running_loop().call_later(_PATIENCE, self._left, window)

    def _left(self, window: Window) -> None:
        del self._leaving[window]
        self._windows.close(window)


class _Page:
    """One page: what it shows, and what it was told."""

    def __init__(self, socket: WebSocket, window: Window, readings: Readings) -> None:
        self.window = window
        self._socket = socket
        self._readings = readings
        self._path: str | None = None
        self._told: dict[str, Any] = {}
        self._news = asyncio.Event()
        self.is_closed = False

    def shows(self, path: str, version: str) -> None:
        """Remember what it shows."""
        self._path = path
        self._told = {**self._told, "version": version}
        self._news.set()

    async def tell(self) -> None:
        """Tell it what there is now, until its window is closed."""
        self.window.listeners.add(self._listen)
        try:
            while not self.is_closed:
                await self._tell_news()
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LOOK if self.window.file else None):
                        await self._news.wait()
                self._news.clear()
            await self._socket.close(CLOSED)
        finally:
            self.window.listeners.discard(self._listen)

    def _listen(self, event: Event) -> None:
        self.is_closed |= event == "closed"
        self._news.set()

    async def _tell_news(self) -> None:
        if self._path is None:
            return
        version = await self._readings.version(self.window, self._path)
        now = {"version": version, "pinned": self.window.pinned}
        if now != self._told:
            self._told = now
            await self._socket.send_json(now)
