"""Who may ask: checked before anything is read.

A page in the browser of whoever runs a local model could otherwise reach it: by a request from a foreign origin, or
by a name that its owner points to 127.0.0.1. So `Host` must be a name of this machine and `Origin`, which browsers
send and programs do not, one of ours or one that was allowed. Beyond loopback there is a key, which no page has.
"""

import hmac
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from proxy.body import Message, Receive, Scope, Send
from proxy.errors import Problem
from proxy.settings import Settings

App = Callable[[Scope, Receive, Send], Awaitable[None]]
_OPEN: Final = {"/healthz", "/readyz"}
"""What whoever watches over the process may ask without a key."""
_LOCAL: Final = {"localhost", "127.0.0.1", "::1"}
_ALLOWED_METHODS: Final = b"GET, POST, HEAD, DELETE, OPTIONS"


class Guard:
    """Lets requests through to an ASGI app, or answers them itself."""

    def __init__(self, app: App, settings: Settings) -> None:
        self._app = app
        self._key = settings.api_key.encode()
        self._hosts = _LOCAL | {settings.host} | {host.lower() for host in settings.allowed_hosts}
        self._origins = {origin.rstrip("/").lower() for origin in settings.cors_origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        origin = headers.get(b"origin", b"").decode("latin-1").lower()
        problem = self._foreign_host(headers) or self._foreign_origin(origin, headers)
        named = origin.rstrip("/") in self._origins or "*" in self._origins
        if not problem and origin and named:
            if scope["method"] == "OPTIONS":
                await _preflight(origin, headers, send)
                return
            send = _with_origin(origin, send)
        problem = problem or self._without_key(scope["path"], headers)
        if problem:
            await respond(problem, send)
        else:
            await self._app(scope, receive, send)

    def _foreign_host(self, headers: dict[bytes, bytes]) -> Problem | None:
        host = _name(headers.get(b"host", b"").decode("latin-1"))
        if self._key or host in self._hosts:
            return None
        what = f"Host {host!r} is not a name of this server; use 127.0.0.1, or allow it: allowed_hosts = [{host!r}]"
        return Problem(403, what, "host_not_allowed")

    def _foreign_origin(self, origin: str, headers: dict[bytes, bytes]) -> Problem | None:
        own = origin == f"http://{headers.get(b'host', b'').decode('latin-1').lower()}"
        if not origin or own or origin.rstrip("/") in self._origins or "*" in self._origins:
            return None
        return Problem(403, f"pages of {origin} may not call this server; allow it: --cors-origin {origin}", "origin")

    def _without_key(self, path: str, headers: dict[bytes, bytes]) -> Problem | None:
        if not self._key or path in _OPEN:
            return None
        _, _, given = headers.get(b"authorization", b"").partition(b" ")  # the scheme has any case
        given = given.strip() or headers.get(b"x-api-key", b"")
        if hmac.compare_digest(given, self._key):
            return None
        return Problem(401, "the API key is missing or wrong; send: Authorization: Bearer KEY", "invalid_api_key")


@lru_cache(maxsize=256)
def _name(host: str) -> str:
    """The name in a Host header, without its port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return host


async def respond(problem: Problem, send: Send) -> None:
    """Answer with a problem."""
    body = problem.body
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"x-should-retry", b"false"),
    ]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _preflight(origin: str, headers: dict[bytes, bytes], send: Send) -> None:
    asked = headers.get(b"access-control-request-headers", b"*")
    answer = [
        (b"access-control-allow-origin", origin.encode()),
        (b"access-control-allow-methods", _ALLOWED_METHODS),
        (b"access-control-allow-headers", asked),
        (b"access-control-max-age", b"600"),
        (b"vary", b"origin"),
    ]
    await send({"type": "http.response.start", "status": 204, "headers": answer})
    await send({"type": "http.response.body", "body": b""})


def _with_origin(origin: str, send: Send) -> Send:
    async def named(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [
                *message.get("headers", ()),
                (b"access-control-allow-origin", origin.encode()),
                (b"access-control-expose-headers", b"*"),
                (b"vary", b"origin"),
            ]
        await send(message)

    return named
