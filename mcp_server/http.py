"""MCP over HTTP, as plain ASGI applications by path. Who may ask is checked in front of them.

    /mcp          Streamable HTTP, all of it: sessions, answers as streams, the era without sessions (the SDK's)
    /sse          GET: HTTP+SSE, the transport of 2024. POST: Streamable HTTP without sessions, answered as JSON
    /sse/message  POST: where clients of HTTP+SSE send their messages

`POST /sse` is what Void's light depends on: it tries Streamable HTTP at the address of the configuration, whatever
its path, and what it then tries over SSE never works.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Final

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import RequestBodyLimitMiddleware
from mcp_types import DEFAULT_NEGOTIATED_VERSION
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from sse_starlette.sse import AppStatus
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from mcp_server.engine import GRACE, MAX_SESSIONS, McpEngine, TooManySessionsError
from mcp_server.introduction import client_of, introduction
from mcp_server.messages import BadMessage
from mcp_server.session import Session

_KEEP_ALIVE: Final = 15.0
"""Seconds without a message after which a comment shows that a stream is alive."""
_IDLE: Final = 1800.0
"""Seconds after which a session of Streamable HTTP that nobody uses is forgotten; its client begins a new one."""
_SESSION: Final = "mcp-session-id"
_VERSION: Final = "mcp-protocol-version"
_STREAM: Final = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]


class McpHttp:
    """The engine behind HTTP."""

    def __init__(self, engine: McpEngine, max_body: int) -> None:
        self._engine = engine
        self._streamable = StreamableHTTPSessionManager(
            engine.server, session_idle_timeout=_IDLE, max_sessions=MAX_SESSIONS, max_request_body_size=max_body
        )
        self._ending = asyncio.Event()
        self._answering: set[asyncio.Task[None]] = set()
        # It would cut off every answer under way as soon as a signal comes.
        AppStatus.enable_automatic_graceful_drain = False
        self.apps: Mapping[str, ASGIApp] = {
            "/mcp": self._mcp,
            "/sse": RequestBodyLimitMiddleware(self._sse, max_body),
            "/sse/message": RequestBodyLimitMiddleware(self._message, max_body),
        }

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Serve as long as the block lasts."""
        ready = asyncio.Event()
        serving = asyncio.create_task(self._serve(ready))
        await ready.wait()
        try:
            yield
        finally:
            self.end()
            await serving

    def end(self) -> None:
        """Begin to end: calls under way may finish, then all streams are closed, and a web server can stop."""
        self._ending.set()

    async def _serve(self, ready: asyncio.Event) -> None:
        async with self._streamable.run(), self._engine.run():
            ready.set()
            await self._ending.wait()
            self._engine.end_subscriptions()
            if self._answering:
                await asyncio.wait(self._answering, timeout=GRACE)

    async def _mcp(self, scope: Scope, receive: Receive, send: Send) -> None:
        # httptools leaves blanks at the end of a value, and the SDK compares values with what the body says.
        headers = [(name, value.strip()) for name, value in scope["headers"]]
        task = asyncio.current_task()
        if task and scope["method"] == "POST":
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
        await self._streamable.asgi_app({**scope, "headers": headers}, receive, send)

    async def _sse(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        version = request.headers.get(_VERSION, DEFAULT_NEGOTIATED_VERSION).strip()
        streamable = _VERSION in request.headers or _SESSION in request.headers
        match request.method:
            case "POST" if version not in HANDSHAKE_PROTOCOL_VERSIONS:
                await self._mcp(scope, receive, send)  # the era that has no sessions anywhere
                return
            case "POST":
                try:
                    response = await self._once(request, version)
                except ClientDisconnect:
                    return
            case "GET" if not streamable:
                await self._stream(scope, receive, send)
                return
            case _:
                # A client of Streamable HTTP asks for a stream of what it did not ask for, or ends its session. Here is
                # neither: what was ended would have to be gone, and this session id is a name that goes on to work.
                response = Response(status_code=405, headers={"Allow": "GET, POST"})
        await response(scope, receive, send)

    async def _once(self, request: Request, version: str) -> Response:
        body = await request.body()
        try:
            _check_type(request)
            answer = await self._engine.once(body, version, client_of(request.headers.get(_SESSION)))
        except BadMessage as bad:
            return _json(bad.answer, 400)
        if answer is None:
            return Response(status_code=202)
        session = introduction(body)
        return _json(answer, 200, {_SESSION: session} if session else None)

    async def _message(self, scope: Scope, receive: Receive, send: Send) -> None:
        with suppress(ClientDisconnect):
            response = await self._taken(Request(scope, receive))
            await response(scope, receive, send)

    async def _taken(self, request: Request) -> Response:
        """A message of a client of HTTP+SSE; its answer comes on the stream."""
        if request.method != "POST":
            return Response(status_code=405, headers={"Allow": "POST"})
        session_id = request.query_params.get("session_id") or request.query_params.get("sessionId", "")
        try:
            _check_type(request)
            await self._engine.feed(session_id, await request.body())
        except KeyError:
            return Response("there is no such session; begin one with GET /sse", 404)
        except BadMessage as bad:
            return _json(bad.answer, 400)
        return Response("Accepted", 202)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            session = self._engine.open()
        except TooManySessionsError:
            full = Response("too many sessions; close one, or try again later", 503, {"Retry-After": "30"})
            await full(scope, receive, send)
            return
        gone = asyncio.create_task(_closed_when_gone(session, receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": _STREAM})
            where = f"{scope.get('root_path', '')}/sse/message?session_id={session.id}"
            await _send_event(send, f"event: endpoint\ndata: {where}\n\n")
            async with aclosing(session.outbox(_KEEP_ALIVE)) as messages:
                async for message in messages:
                    await _send_event(send, f"event: message\ndata: {message}\n\n" if message else ": keep-alive\n\n")
            await send({"type": "http.response.body", "body": b""})
        finally:
            gone.cancel()
            session.close()


async def _closed_when_gone(session: Session, receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    session.close()


async def _send_event(send: Send, event: str) -> None:
    await send({"type": "http.response.body", "body": event.encode(), "more_body": True})


def _check_type(request: Request) -> None:
    """Only JSON that says so: a page of another site can send text without asking, but not this."""
    if not request.headers.get("content-type", "").lower().startswith("application/json"):
        raise BadMessage(-32600, "Content-Type must be application/json")


def _json(text: str, status: int, headers: Mapping[str, str] | None = None) -> Response:
    return Response(text, status, headers, "application/json")
