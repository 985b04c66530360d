"""The viewer's pages behind a real socket, and the windows that they show."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import uvicorn

from mcp_server.viewer.pages.web import Pages
from mcp_server.viewer.windows import Window, Windows

T = TypeVar("T")


class Viewer:
    """The pages, served, until they are told to end."""

    def __init__(self, port: int = 0) -> None:
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port: int = self._listener.getsockname()[1]
        self.windows = Windows()
        self.left: list[str] = []
        """the addresses that pages have led out to"""
        self.pages = Pages(self.windows, self.port, self.left.append)
        config = uvicorn.Config(self.pages, log_level="error", ws_ping_interval=None, timeout_graceful_shutdown=1)
        self._server = uvicorn.Server(config)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._server.serve(sockets=[self._listener]))

    def end(self) -> None:
        self._server.should_exit = True
        self._thread.join(20)
        self._listener.close()
        assert not self._thread.is_alive()

    def do(self, action: Callable[..., T], *args: Any, **named: Any) -> T:
        """Do something where the windows live: in the loop of the pages."""

        async def done() -> T:
            return action(*args, **named)

        return asyncio.run_coroutine_threadsafe(done(), self._loop).result(20)

    def open(
        self, content: str | None = None, *, file: Any = None, title: str = "제목", size: str = "m", **more: Any
    ) -> Window:
        """Open a window."""
        window = Window(title, content, str(file) if file else None, size, True, **({"named": True} | more))
        self.do(self.windows.add, window)
        return window

    def update(self, window: Window, content: str, title: str = "제목") -> None:
        self.do(self.windows.update, window, title, named=True, content=content, file=None)

    def url(self, window: Window) -> str:
        return self.pages.url(window)


@contextmanager
def viewer(port: int = 0) -> Iterator[Viewer]:
    """The viewer's pages, as long as the block lasts."""
    one = Viewer(port)
    try:
        yield one
    finally:
        one.end()
