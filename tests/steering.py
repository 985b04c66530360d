"""A screen of the viewer, steered from a test."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, Self

from serving import SOON

from mcp_server.viewer.screens.screen import Screen

SECRET = "the-secret-of-"  # noqa: S105 - of a page that is gone when the test is


class Steered:
    """A screen, with an event loop that goes on while the test looks."""

    def __init__(self, screen: Screen | None, pages: str) -> None:
        assert screen
        self._screen = screen
        self._pages = pages
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._do(self._screen.end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def show(self, title: str, size: str = "s", *, foreground: bool = True) -> None:
        url, secret = f"{self._pages}/once/{title}?{size}", f"{self._pages}/w/{SECRET}{title}"
        self._do(self._screen.show(title, url, secret, size, foreground=foreground))

    def change(self, title: str, *, pinned: bool) -> None:
        self._do(self._screen.change(title, title=f"{title}!", pinned=pinned))

    def hide(self, title: str) -> None:
        self._do(self._screen.hide(title))

    def _do(self, what: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(what, self._loop).result(SOON)
