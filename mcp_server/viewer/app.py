"""The viewer's app: the windows, their pages, and the socket over which they are opened; one process for a user."""

import asyncio
import contextlib
import logging
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Final

import uvicorn

from mcp_server.crossing import tell
from mcp_server.signals import handled
from mcp_server.viewer import control
from mcp_server.viewer.actions import Actions
from mcp_server.viewer.door import Door
from mcp_server.viewer.pages.web import Pages
from mcp_server.viewer.screens.elsewhere import Elsewhere
from mcp_server.viewer.screens.pick import outside, pick
from mcp_server.viewer.screens.session import with_display
from mcp_server.viewer.showing import Showing
from mcp_server.viewer.windows import Windows

_MOST_SAID: Final = 1 << 16
"""Bytes of what a page says at once: at most the path of a document."""
_LOOK: Final = 1.0
"""Seconds between two looks at the door."""


async def run(door: Door, ready: Callable[[], None], idle: float | None = None) -> None:
    """Serve windows until a signal ends it, until nobody can find it, or until none has been open for `idle` seconds.

    `ready` is called once windows can be opened.
    """
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    windows = Windows()
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    environ = with_display(os.environ)
    pages = Pages(windows, listener.getsockname()[1], Elsewhere(outside(environ)).open)
    showing = Showing(pick(environ), pages)
    with handled(lambda *_: tell(loop, ended.set)):
        async with _served(pages, listener):
            async with control.serve(door, Actions(windows, pages, showing).by_name):
                ready()
                watching = asyncio.create_task(_watch(door, ended))
                await _until(ended, windows, idle)
                watching.cancel()
            for window in windows:  # now that nobody opens one any more
                windows.close(window)
            await showing.end()


async def _until(ended: asyncio.Event, windows: Windows, idle: float | None) -> None:
    """Wait for the end; a window that was open in the meantime is a reason to wait for as long again."""
    opened = -1
    while not ended.is_set() and (windows or windows.opened != opened):
        opened = windows.opened
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), idle)


async def _watch(door: Door, ended: asyncio.Event) -> None:
    """End an app that nobody finds any more: the next call starts another, which needs the browser for itself."""
    while door.is_found():  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(_LOOK)
    ended.set()


@contextlib.asynccontextmanager
async def _served(pages: Pages, listener: socket.socket) -> AsyncIterator[None]:
    """Serve the pages as long as the block lasts. Nothing is logged of a request: its path holds the token."""
    config = uvicorn.Config(
        pages,
        http="h11",  # the other one that there may be keeps headers of any length
        ws="websockets-sansio",
        ws_max_size=_MOST_SAID,
        ws_ping_interval=None,  # a machine that slept must find its windows again
        lifespan="off",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=1,
    )
    server = _Server(config)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield
    finally:
        server.should_exit = True
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # who still waits for a page is broken off
        await task


class _Server(uvicorn.Server):
    """A server that leaves the signals to the app."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
