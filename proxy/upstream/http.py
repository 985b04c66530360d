"""One HTTP client for all model servers: connections kept, answers read as they come, failures told plainly."""

import asyncio
import ssl
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final, Self
from urllib.parse import urlsplit

import orjson

from proxy.body import written
from proxy.errors import UpstreamError
from proxy.upstream.connection import Broken, Connection, Silent

_JSON: Final = {"Content-Type": "application/json"}
_KEEP: Final = 30.0
"""Seconds for which a connection is kept: model servers and what stands before them close idle ones at 60 or so."""
_LEFT_OVER: Final = 1.0
"""Seconds to wait for the end of a body of which nothing more is wanted, so that its connection can be kept."""

Server = tuple[str, str, int]
"""Scheme, host and port."""


class Response:
    """A response whose head is there; its body is read as it comes. Whoever gets it closes it."""

    def __init__(self, http: "Http", server: Server, connection: Connection) -> None:
        self._http = http
        self._server = server
        self._connection = connection
        self._released = False
        self.status = connection.status
        self.headers: Mapping[str, str] = connection.headers
        """by names in lower case"""

    async def read(self) -> bytes:
        """What has come of the body, at least something; b"" at its end."""
        try:
            return await self._connection.read()
        except (Broken, Silent) as error:
            raise self._http.failure(self._server, error) from error

    async def whole(self, most: int) -> bytes:
        """All of the body, or as much as is wanted."""
        pieces, size = list[bytes](), 0
        while size < most and (data := await self.read()):
            pieces.append(data)
            size += len(data)
        return b"".join(pieces)

    async def finish(self) -> None:
        """Nothing more is wanted: if the end comes at once, the connection is kept."""
        try:
            async with asyncio.timeout(_LEFT_OVER):
                await self.read()
        except (UpstreamError, TimeoutError):
            pass
        self.close()

    def close(self) -> None:
        """Keep the connection if the body was read to its end, else close it: the server is to stop."""
        if not self._released:
            self._released = True
            self._http.release(self._server, self._connection)


class Http:
    """The client; an async context, because its connections belong to the loop that runs."""

    def __init__(self, *, connect_timeout: float, idle_timeout: float) -> None:
        self._connect_timeout = connect_timeout
        self._idle_timeout = idle_timeout
        self._kept: dict[Server, list[tuple[float, Connection]]] = {}

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        return self

    async def __aexit__(self, *_: object) -> None:
        for kept in self._kept.values():
            for _since, connection in kept:
                connection.close()
        self._kept.clear()

    async def post(self, url: str, body: Any, headers: Mapping[str, str]) -> Response:
        """The response to a JSON body."""
        return await self.request("POST", url, written(body), {**_JSON, **headers})

    async def request(self, method: str, url: str, data: bytes | None, headers: Mapping[str, str]) -> Response:
        """The response to a request."""
        server, request = _request(method, url, data, headers)
        kept = self._take(server)
        try:
            if kept:
                kept.ask(method, request)
                try:
                    await kept.head()
                    return Response(self, server, kept)
                except Broken:
                    # The server had closed it meanwhile. One that has begun to answer is not asked twice.
                    if kept.heard:
                        raise
            connection = await self._connect(server)
            connection.ask(method, request)
            kept = connection
            await connection.head()
        except BaseException as error:
            if kept:
                kept.close()
            if isinstance(error, Broken | Silent):
                raise self.failure(server, error) from error
            raise
        return Response(self, server, connection)

    async def get_json(self, url: str, headers: Mapping[str, str]) -> Any:
        """A small JSON document, which a server has at hand: it gets no longer than to be reached."""
        try:
            async with asyncio.timeout(self._connect_timeout):
                response = await self.request("GET", url, None, headers)
                try:
                    data = await response.whole(1 << 24)
                finally:
                    response.close()
        except TimeoutError:
            what = f"{url} said nothing for {self._connect_timeout:g} s; see what keeps that server"
            raise UpstreamError(504, what, "upstream_timeout") from None
        if response.status >= 400:
            raise UpstreamError(502, f"{url} answers {response.status}: {data[:200]!r}", "upstream_failed")
        try:
            return orjson.loads(data)
        except orjson.JSONDecodeError:
            raise UpstreamError(502, f"{url} answers what is no JSON: {data[:80]!r}", "upstream_failed") from None

    # ---- connections

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context()

    def _take(self, server: Server) -> Connection | None:
        """A connection that was kept, the latest first."""
        kept = self._kept.get(server, [])
        while kept:
            since, connection = kept.pop()
            if not connection.closed and self._loop.time() - since < _KEEP:
                return connection
            connection.close()
        return None

    def release(self, server: Server, connection: Connection) -> None:
        """Keep a connection whose response was read to its end; close any other."""
        if not connection.reusable:
            connection.close()
            return
        kept, now = self._kept.setdefault(server, []), self._loop.time()
        # The latest is always taken first, so what a burst has left would never be looked at again.
        while kept and now - kept[0][0] >= _KEEP:
            kept.pop(0)[1].close()
        kept.append((now, connection))

    async def _connect(self, server: Server) -> Connection:
        scheme, host, port = server
        secure = self._tls if scheme == "https" else None
        try:
            async with asyncio.timeout(self._connect_timeout):
                _, connection = await self._loop.create_connection(
                    lambda: Connection(self._idle_timeout), host, port, ssl=secure
                )
        except TimeoutError:
            what = f"{_shown(server)} cannot be reached; check the address"
            raise UpstreamError(504, what, "upstream_timeout") from None
        except OSError as error:
            why = f" ({error.reason})" if isinstance(error, ssl.SSLError) else ""
            what = f"no model server answers at {_shown(server)}{why}; start it, or name another with --upstream"
            raise UpstreamError(502, what, "upstream_down") from error
        return connection

    def failure(self, server: Server, error: Broken | Silent) -> UpstreamError:
        """What a client hears of a connection that failed."""
        if isinstance(error, Silent):
            waited = f"{self._idle_timeout:g} s"
            what = f"{_shown(server)} said nothing for {waited}; raise idle_timeout if the model is that slow"
            return UpstreamError(504, what, "upstream_timeout")
        return UpstreamError(502, f"{_shown(server)} broke off the answer ({error}); see its log", "upstream_died")


def _shown(server: Server) -> str:
    scheme, host, port = server
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def _request(method: str, url: str, data: bytes | None, headers: Mapping[str, str]) -> tuple[Server, bytes]:
    """Where a request goes, and its bytes."""
    parts = urlsplit(url)
    server = (parts.scheme, parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80))
    target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    lines = [f"{method} {target} HTTP/1.1", f"Host: {parts.netloc.rpartition('@')[2]}", "Accept-Encoding: identity"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if data is not None or method == "POST":
        lines.append(f"Content-Length: {len(data or b'')}")
    if any("\r" in line or "\n" in line for line in lines):
        raise UpstreamError(
            400, "a header or the path of the request has a line break in it; leave it out", "bad_request"
        )
    return server, "\r\n".join(lines).encode() + b"\r\n\r\n" + (data or b"")
