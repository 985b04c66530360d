"""The MCP server without a transport: messages go in as JSON text and come out as JSON text.

    async with engine.run():
        session = engine.open()
        await session.feed('{"jsonrpc": "2.0", "id": 1, "method": "initialize", …}')
        async for message in session.outbox(): …

        answer = await engine.once(message, version)      # one question, one answer, nothing kept

A session speaks the era of the protocol that its client begins with. Transports (`mcp_server.stdio`,
`mcp_server.http`) only carry.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
import mcp_types as types
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.connection import Connection
from mcp.server.runner import serve_dual_era_loop, serve_one
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.jsonrpc_dispatcher import handler_exception_to_error_data
from mcp.shared.message import SessionMessage
from mcp.shared.transport_context import TransportContext
from pydantic import ValidationError

from db.registry import Registry
from mcp_server.announcements import Announcements
from mcp_server.calls import ToolCalls
from mcp_server.messages import as_text, read
from mcp_server.server import server_of
from mcp_server.session import Session

MAX_SESSIONS: Final = 1_000
GRACE: Final = 5.0
"""Seconds that calls under way have at the end."""
_QUEUED: Final = 64
"""Messages of a session that wait on either side, before who sends them has to."""


class TooManySessionsError(Exception):
    """There are as many sessions as there may be."""


class McpEngine:
    """The sessions, and the server that answers them."""

    def __init__(self, registry: Registry, max_sessions: int = MAX_SESSIONS) -> None:
        self.sessions: dict[str, Session] = {}
        self._max_sessions = max_sessions
        self._announcements = Announcements(registry)
        self.server = server_of(registry, ToolCalls(registry), self._announcements)
        self._tasks: TaskGroup | None = None

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Serve as long as the block lasts; what is to be answered then gets `GRACE` seconds."""
        async with anyio.create_task_group() as self._tasks:
            await self._tasks.start(self._announcements.watch)
            try:
                yield
                async with anyio.create_task_group() as ending:
                    for session in self.sessions.values():
                        ending.start_soon(session.finish, GRACE)
            finally:
                self._tasks.cancel_scope.cancel()

    def end_subscriptions(self) -> None:
        """Answer those who listen for changes: they will hear of no more."""
        self._announcements.listen.close()

    def open(self) -> Session:
        """A new session."""
        assert self._tasks is not None, "the engine does not run"  # noqa: S101 - whoever calls this made a mistake
        if len(self.sessions) >= self._max_sessions:
            raise TooManySessionsError
        to_server, inbox = anyio.create_memory_object_stream[SessionMessage | Exception](_QUEUED)
        outbox, to_client = anyio.create_memory_object_stream[SessionMessage](_QUEUED)
        session = Session(to_server, to_client)
        self.sessions[session.id] = session
        self._tasks.start_soon(self._serve, session, inbox, outbox)
        return session

    async def feed(self, session_id: str, text: bytes | str) -> None:
        """Take a message for a session; `KeyError` if there is none of this id."""
        await self.sessions[session_id].feed(text)

    async def once(self, text: bytes | str, version: str, client: Mapping[str, Any] | None = None) -> str | None:
        """Answer a message that belongs to no session; what wants no answer gets none."""
        message = read(text)
        if not isinstance(message, types.JSONRPCRequest):
            return None
        connection = Connection.from_envelope(version, client, {} if client else None)
        alone = _Alone(message.id)
        try:
            result = await serve_one(
                self.server, alone, message.method, message.params, connection=connection, lifespan_state={}
            )
        except (MCPError, ValidationError) as error:
            said = handler_exception_to_error_data(error)
            assert said is not None  # noqa: S101 - it knows both
            return as_text(types.JSONRPCError(jsonrpc="2.0", id=message.id, error=said))
        return as_text(types.JSONRPCResponse(jsonrpc="2.0", id=message.id, result=result))

    async def _serve(
        self,
        session: Session,
        inbox: MemoryObjectReceiveStream[SessionMessage | Exception],
        outbox: MemoryObjectSendStream[SessionMessage],
    ) -> None:
        try:
            await serve_dual_era_loop(self.server, inbox, outbox, lifespan_state={}, session_id=session.id)
        finally:
            del self.sessions[session.id]


class _Alone:
    """The surroundings of a question that belongs to no session: nothing but its answer can be sent."""

    transport = TransportContext(kind="once", can_send_request=False)
    message_metadata = None
    can_send_request = False

    def __init__(self, request_id: types.RequestId) -> None:
        self.request_id = request_id
        self.cancel_requested = anyio.Event()

    async def send_raw_request(
        self, method: str, _: Mapping[str, Any] | None, __: CallOptions | None = None
    ) -> dict[str, Any]:
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        """There is nowhere to send it."""

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """There is nowhere to send it."""
