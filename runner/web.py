"""Web servers in one process: one that signals end, others beside it, on the fastest loop there is."""

import asyncio
import contextlib
import logging
import os
import re
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from types import FrameType
from typing import Any, Literal

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from mcp_server.signals import handled
from proxy.exchange import JsonLines
from proxy.settings import Settings

_AGAIN = 0.5
"""Seconds between two signals that are meant as two: some who start us pass one on that we have already got."""
_OFFER = re.compile(rb"([A-Z]+ \S+ HTTP/1\.1\r\n(?:[^\r\n]+\r\n)*?)upgrade:[ \t]*h2c[ \t]*\r\n", re.IGNORECASE)


class Http(HttpToolsProtocol):
    """HTTP/1.1, which takes no offer of HTTP/2: Java's own client makes one with every request.

    The parser would take it, stop there, and lose the body.
    """

    def data_received(self, data: bytes) -> None:
        """Take what has come."""
        if b"h2c" in data and (offer := _OFFER.match(data)):
            data = offer[1] + data[offer.end() :]
        super().data_received(data)


class Main(uvicorn.Server):
    """A server that ends by signals, and is done with them then: uvicorn would raise them once more.

    `ending` is called when the end begins, for streams that would not end by themselves.
    """

    def __init__(self, config: uvicorn.Config, ending: Callable[[], None]) -> None:
        super().__init__(config)
        self._ending = ending
        self._asked = 0.0

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End, once what is under way has; at once, if one asks again."""
        if not self._asked:
            self._asked = time.monotonic()
            super().handle_exit(sig, frame)
        elif time.monotonic() - self._asked > _AGAIN:
            os._exit(128 + sig)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take the signals as long as the block lasts."""
        with handled(self.handle_exit):
            yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take nothing new, and wait for what is under way."""
        self._ending()
        await super().shutdown(sockets)


class _Beside(uvicorn.Server):
    """A server that leaves the signals to the one beside it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextlib.asynccontextmanager
async def beside(app: Any, listener: socket.socket, settings: Settings) -> AsyncIterator[None]:
    """Serve another application as long as the block lasts."""
    server = _Beside(config(app, settings, lifespan="off"))
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield
    finally:
        server.should_exit = True
        await task


def run(main: Coroutine[Any, Any, None]) -> None:
    """Run until it is done, on the loop of uvloop where there is one: it is twice as fast at what we do all day."""
    with asyncio.Runner(loop_factory=_loop_factory()) as running:
        running.run(main)


def _loop_factory() -> Any:
    if sys.platform == "win32":
        return None
    import uvloop  # noqa: PLC0415 - not on Windows

    return uvloop.new_event_loop


def config(app: Any, settings: Settings, *, lifespan: Literal["on", "off"] = "on") -> uvicorn.Config:
    """How our servers are run."""
    return uvicorn.Config(
        app,
        http=Http,
        ws="none",
        lifespan=lifespan,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=int(settings.drain_timeout) or 1,
        timeout_keep_alive=75,
    )


def log_to_stderr(settings: Settings) -> None:
    """Standard output is for data."""
    handler = logging.StreamHandler()
    text = logging.Formatter("%(asctime)s %(message)s", datefmt="%H:%M:%S")
    handler.setFormatter(JsonLines() if settings.log_format == "json" else text)
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("strictcall").setLevel(logging.INFO)
