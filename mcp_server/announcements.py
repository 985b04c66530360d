"""Telling clients that the tools or the documents have changed, whoever changed them.

The database counts its changes, so one small question a second sees those of other processes, too. Clients since
2026-07-28 have asked to be told, on a stream of their own; the others are told on the connection that they began.
"""

import asyncio
import sqlite3
from typing import Any, Final

import anyio
from anyio.abc import TaskStatus
from mcp.server.connection import Connection
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourcesListChanged, ToolsListChanged

from db.database import Unusable
from db.registry import Registry, Version

_EVERY: Final = 1.0
"""Seconds between two looks."""
_PATIENCE: Final = 5.0
"""Seconds for a client that reads slowly."""


class Announcements:
    """What has changed, and who wants to know."""

    def __init__(self, registry: Registry) -> None:
        self._bus = InMemorySubscriptionBus()
        self.listen = ListenHandler(self._bus)
        self._registry = registry
        self._connections: set[Connection] = set()

    async def remember(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Middleware: keep every connection that begins with a handshake, until it ends."""
        result = await call_next(ctx)
        if ctx.method == "initialize":
            connection = ctx.session._connection  # noqa: SLF001 - the SDK has no other way to it
            if connection.has_standalone_channel and connection not in self._connections:
                self._connections.add(connection)
                connection.exit_stack.callback(self._connections.discard, connection)
        return result

    async def watch(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Look for changes, for ever; it has started when it knows what there is now."""
        seen = await self._version()
        task_status.started()
        while True:
            await asyncio.sleep(_EVERY)
            now = await self._version()
            if seen and now and (now.switches, now.files) != (seen.switches, seen.files):
                await self._tell(ToolsListChanged())
            if seen and now and now.documents != seen.documents:
                await self._tell(ResourcesListChanged())
            seen = now or seen

    async def _version(self) -> Version | None:
        """What there is now; None if the database is not at hand, which whoever asks it for something is told."""
        try:
            return await asyncio.to_thread(self._registry.version)
        except (Unusable, sqlite3.Error):
            return None

    async def _tell(self, what: ToolsListChanged | ResourcesListChanged) -> None:
        await self._bus.publish(what)
        async with anyio.create_task_group() as telling:
            for connection in tuple(self._connections):
                telling.start_soon(_told, connection, what)


async def _told(connection: Connection, what: ToolsListChanged | ResourcesListChanged) -> None:
    with anyio.move_on_after(_PATIENCE):
        if isinstance(what, ToolsListChanged):
            await connection.send_tool_list_changed()
        else:
            await connection.send_resource_list_changed()
