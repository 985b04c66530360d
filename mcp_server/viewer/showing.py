"""Windows on the screen: each is shown when it is opened, and goes when it is closed, whoever closes it."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final

from mcp_server.viewer.pages.web import Pages
from mcp_server.viewer.screens.screen import NotShown, Screen
from mcp_server.viewer.windows import Event, Window

PATIENCE: Final = 5.0
"""Seconds that whoever opens or closes a window waits for the screen; a browser's first start may take longer."""
_log: Final = logging.getLogger("strictcall")
_Step = Callable[[], Coroutine[Any, Any, None]]
"""Something to do on the screen; what has not begun can be left."""


class Showing:
    """Shows windows on a screen; without one it shows none, and they are there all the same."""

    def __init__(self, screen: Screen | None, pages: Pages) -> None:
        self._screen = screen
        self._pages = pages
        self._tasks: set[asyncio.Task[bool]] = set()

    async def show(self, window: Window) -> bool:
        """Show a window. False if it cannot be shown; one that takes long will be there."""
        if self._screen is None:
            return False
        showing = self._begin(partial(self._shown, self._screen, window))
        window.listeners.add(_Followed(self._screen, window, self._begin).hear)
        await asyncio.wait({showing}, timeout=PATIENCE)
        return not showing.done() or showing.result()

    async def settle(self) -> None:
        """Wait for what is under way."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=PATIENCE)

    async def end(self) -> None:
        """Take all windows from the screen, and wait for none that is still to come."""
        for task in self._tasks:
            task.cancel()
        if self._screen:
            await self._screen.end()

    async def _shown(self, screen: Screen, window: Window) -> None:
        ticket, page = self._pages.ticket(window), self._pages.url(window)
        await screen.show(window.id, ticket, page, window.size, foreground=window.foreground)
        await screen.change(window.id, title=window.title, pinned=window.pinned)

    def _begin(self, step: _Step) -> asyncio.Task[bool]:
        task = asyncio.create_task(_succeeds(step))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


class _Followed:
    """A window that is shown, and what the screen knows of it."""

    def __init__(self, screen: Screen, window: Window, begin: Callable[[_Step], object]) -> None:
        self._screen = screen
        self._window = window
        self._begin = begin
        self._known = (window.title, window.pinned)

    def hear(self, event: Event) -> None:
        """Pass on what concerns the screen: most changes do not."""
        now = (self._window.title, self._window.pinned)
        if event == "closed":
            self._begin(partial(self._screen.hide, self._window.id))
        elif now != self._known:
            self._known = now
            self._begin(partial(self._screen.change, self._window.id, title=now[0], pinned=now[1]))


async def _succeeds(step: _Step) -> bool:
    try:
        await step()
    except NotShown as error:
        _log.warning("a window is not shown: %s", error)
        return False
    return True
