"""One connection to a model server: a request out, the response in as it comes.

Made by hand on httptools, because a response has an event for every token, and this costs a fraction of what HTTP
clients made for everything do, for an event and for a request. It does what is needed here: HTTP/1.1, one request at a
time, bodies with a length, in chunks or up to the end of the connection.

Backpressure is the reader's: what arrives while nobody reads is kept up to a limit, then the socket is left alone.
"""

import asyncio
from typing import Any, Final

import httptools

HIGH_WATER: Final = 1 << 17
"""How many bytes may wait for their reader before no more are taken from the socket."""


class Broken(Exception):  # noqa: N818 - what the connection is
    """The server closed the connection, or sent what is no HTTP, in the middle of a response."""


class Silent(Exception):  # noqa: N818 - what the server is
    """The server said nothing for too long."""


class Connection(asyncio.Protocol):
    """One connection; `ask`, then `head`, then `read` to the end."""

    def __init__(self, idle_timeout: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._idle_timeout = idle_timeout
        self._waiter: asyncio.Future[None] | None = None
        self._deadline = 0.0
        self._clock: asyncio.TimerHandle | None = None
        self.closed = False
        self._begin()

    def _begin(self, method: str = "") -> None:
        self._method = method
        self._parser = httptools.HttpResponseParser(self)
        self._pieces: list[bytes] = []
        self._waiting = 0
        self._failure: Exception | None = None
        self._headed = False
        self._lasting = False
        self.heard = False
        """has anything of a response come?"""
        self.complete = False
        """has all of the response come?"""
        self.status = 0
        self.headers: dict[str, str] = {}

    # ---- what its user does

    def ask(self, method: str, request: bytes) -> None:
        """Send a request; the last one's response is forgotten."""
        self._begin(method)
        self._transport.write(request)

    async def head(self) -> None:
        """Wait for the status and the headers."""
        while not self._headed:
            await self._wait()

    async def read(self) -> bytes:
        """What has come of the body, at least something; b"" at its end."""
        while not self._pieces:
            if self.complete:
                return b""
            await self._wait()
        data = self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)
        self._pieces.clear()
        if self._waiting > HIGH_WATER and not self.closed:
            self._transport.resume_reading()
        self._waiting = 0
        return data

    def close(self) -> None:
        """Let go of the connection; a server that still talks notices."""
        if not self.closed:
            self.closed = True
            self._transport.abort()
        self._stop_clock()

    @property
    def reusable(self) -> bool:
        """May another request go this way?"""
        return self.complete and not self.closed and not self._pieces and self._lasting

    # ---- waiting

    async def _wait(self) -> None:
        if self._failure:
            raise self._failure
        self._waiter = self._loop.create_future()
        self._deadline = self._loop.time() + self._idle_timeout
        if self._clock is None:
            self._clock = self._loop.call_later(self._idle_timeout, self._look_at_clock)
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _look_at_clock(self) -> None:
        """One timer for a whole response: it is not set anew for every piece, but looks whether there were any."""
        left = self._deadline - self._loop.time()
        self._clock = None
        if self._waiter is None:
            return
        if left <= 0:
            self._fail(Silent())
        else:
            self._clock = self._loop.call_later(left, self._look_at_clock)

    def _stop_clock(self) -> None:
        if self._clock:
            self._clock.cancel()
            self._clock = None

    def _wake(self) -> None:
        if self._waiter and not self._waiter.done():
            self._waiter.set_result(None)

    def _fail(self, failure: Exception) -> None:
        if not self._failure:
            self._failure = failure
        if self._waiter and not self._waiter.done():
            self._waiter.set_exception(self._failure)

    # ---- what asyncio tells

    def connection_made(self, transport: Any) -> None:
        """The connection is there."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Some bytes have come; after the end of a response nobody wants any."""
        if self.complete:
            self.close()
            return
        self.heard = True
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self._fail(Broken(f"what it says is no HTTP: {error}"))
            self.close()
        self._wake()

    def connection_lost(self, error: Exception | None) -> None:
        """The connection is gone; where a body has no length, that is its end."""
        self.closed = True
        self._stop_clock()
        sized = {"content-length", "transfer-encoding"} & self.headers.keys()
        if self._headed and not sized and error is None:
            self.complete = True
            self._wake()
        elif not self.complete:
            self._fail(Broken(str(error or "it closed the connection")))

    # ---- what the parser tells

    def on_message_begin(self) -> None:
        """A response begins; a second one that nobody asked for is not read."""
        if self.complete:
            self._lasting = False

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header of the response."""
        if not self.complete:
            self.headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        """The head of the response is there."""
        if self.complete:
            return
        self.status = self._parser.get_status_code()
        self._headed = self.status >= 200
        self._lasting = bool(self._parser.should_keep_alive())
        if self._headed and self._method == "HEAD":
            self.complete = True

    def on_body(self, data: bytes) -> None:
        """A piece of the body."""
        if self.complete:
            return
        self._pieces.append(data)
        before, self._waiting = self._waiting, self._waiting + len(data)
        if before <= HIGH_WATER < self._waiting and not self.closed:
            self._transport.pause_reading()

    def on_message_complete(self) -> None:
        """The response is over; one that only announced another is forgotten."""
        if self._headed:
            self.complete = True
            self._stop_clock()
        else:
            self.headers = {}
