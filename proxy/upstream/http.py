"""One HTTP client for all model servers: connections kept, answers read as they come, failures told plainly."""

import asyncio
from typing import Any, Final, Self

import aiohttp
import orjson

from proxy.body import written
from proxy.errors import UpstreamError

_JSON: Final = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
_STALE: Final = (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError)
"""How a kept connection that the server has closed meanwhile fails when it is used."""
_FAILURES: Final = (aiohttp.ClientError, TimeoutError)
_LEFT_OVER: Final = 1.0
"""Seconds to wait for the end of a body of which nothing more is wanted, so that its connection can be kept."""


class Http:
    """The client; an async context, because its connections belong to the loop that runs."""

    def __init__(self, *, connect_timeout: float, idle_timeout: float) -> None:
        self._timeout = aiohttp.ClientTimeout(total=None, sock_connect=connect_timeout, sock_read=idle_timeout)
        self._connect_timeout = connect_timeout
        self._idle_timeout = idle_timeout

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=30),
            timeout=self._timeout,
            cookie_jar=aiohttp.DummyCookieJar(),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def post(self, url: str, body: Any, headers: dict[str, str]) -> aiohttp.ClientResponse:
        """The head of the response to a JSON body. Whoever gets it closes it."""
        return await self.request("POST", url, written(body), _JSON | headers)

    async def request(
        self, method: str, url: str, data: bytes | None, headers: dict[str, str]
    ) -> aiohttp.ClientResponse:
        """The head of a response."""
        ask = self._session.request
        try:
            try:
                return await ask(method, url, data=data, headers=headers, allow_redirects=False)
            except aiohttp.ClientConnectorError:
                raise
            except _STALE:
                return await ask(method, url, data=data, headers=headers, allow_redirects=False)
        except _FAILURES as error:
            raise self._failure(url, error) from error

    async def read(self, response: aiohttp.ClientResponse) -> bytes:
        """What has arrived of a body, at least something; b"" at its end."""
        try:
            return await response.content.readany()
        except _FAILURES as error:
            raise self._failure(str(response.url), error) from error

    async def get_json(self, url: str, headers: dict[str, str]) -> Any:
        """A small JSON document, which a server has at hand: it gets no longer than to be reached."""
        try:
            async with asyncio.timeout(self._connect_timeout):
                status, data = await self._get(url, headers)
        except TimeoutError:
            what = f"{url} said nothing for {self._connect_timeout:g} s; see what keeps that server"
            raise UpstreamError(504, what, "upstream_timeout") from None
        if status >= 400:
            raise UpstreamError(502, f"{url} answers {status}: {data[:200]!r}", "upstream_failed")
        try:
            return orjson.loads(data)
        except orjson.JSONDecodeError:
            raise UpstreamError(502, f"{url} answers what is no JSON: {data[:80]!r}", "upstream_failed") from None

    async def _get(self, url: str, headers: dict[str, str]) -> tuple[int, bytes]:
        response = await self.request("GET", url, None, headers)
        try:
            return response.status, await response.read()
        except _FAILURES as error:
            raise self._failure(url, error) from error
        finally:
            response.close()

    def _failure(self, url: str, error: Exception) -> UpstreamError:
        server = "/".join(url.split("/", 3)[:3])
        match error:
            case aiohttp.ClientConnectorError():
                what = f"no model server answers at {server}; start it, or name another with --upstream"
                return UpstreamError(502, what, "upstream_down")
            case aiohttp.ConnectionTimeoutError():
                return UpstreamError(504, f"{server} cannot be reached; check the address", "upstream_timeout")
            case TimeoutError():
                what = (
                    f"{server} said nothing for {self._idle_timeout:g} s; raise idle_timeout if the model is that slow"
                )
                return UpstreamError(504, what, "upstream_timeout")
            case _:
                why = str(error) or type(error).__name__
                return UpstreamError(502, f"{server} broke off the answer ({why}); see its log", "upstream_died")


async def finish(response: aiohttp.ClientResponse) -> None:
    """Read a body of which nothing more is wanted to its end if that comes at once, else close the connection."""
    try:
        async with asyncio.timeout(_LEFT_OVER):
            await response.content.readany()
    except _FAILURES:
        pass
    finally:
        response.close()
