"""The least that the SDK needs to serve one tool on every transport: what `bench.mcp` measures strictcall against.

The tool asks the same database the same question, in the handler itself: no registry, no validation, no record.
"""

import asyncio
import contextlib
import json
import socket
import sqlite3
import sys
from collections.abc import AsyncIterator
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.sse import SseServerTransport
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

SCHEMA = {
    "type": "object",
    "properties": {"employee_id": {"type": "string"}, "year": {"type": "integer"}},
    "required": ["employee_id", "year"],
}
QUESTION = """
SELECT employee_id, name, year, total, used, total - used AS remaining
FROM vacations JOIN employees ON employees.id = employee_id WHERE employee_id = ? AND year = ?
"""
TOOL = types.Tool(name="calculate_vacation_days", description="Days of vacation.", input_schema=SCHEMA)


def server_of(database: sqlite3.Connection) -> Server[Any]:
    database.row_factory = sqlite3.Row

    async def list_tools(_: ServerRequestContext[Any], __: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[TOOL])

    async def call_tool(_: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
        arguments = params.arguments or {}
        row = database.execute(QUESTION, (arguments["employee_id"], arguments["year"])).fetchone()
        answer = {"success": True, "result": dict(row)}
        text = types.TextContent(type="text", text=json.dumps(answer, ensure_ascii=False))
        return types.CallToolResult(content=[text], structured_content=answer)

    return Server("bare", version="1", on_list_tools=list_tools, on_call_tool=call_tool)


async def on_stdio(server: Server[Any]) -> None:
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


class Sse:
    """`GET` opens a stream, everything else is Streamable HTTP without sessions."""

    def __init__(self, server: Server[Any], stateless: StreamableHTTPSessionManager) -> None:
        self.server = server
        self.stateless = stateless
        self.transport = SseServerTransport("/sse/message")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "GET":
            await self.stateless.handle_request(scope, receive, send)
            return
        async with self.transport.connect_sse(scope, receive, send) as (incoming, outgoing):
            await self.server.run(incoming, outgoing, self.server.create_initialization_options())


class Messages:
    """Where a client of HTTP+SSE sends its messages; a class, so that Starlette takes it for an application."""

    def __init__(self, transport: SseServerTransport) -> None:
        self.transport = transport

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.transport.handle_post_message(scope, receive, send)


class Mcp:
    """Streamable HTTP with sessions."""

    def __init__(self, sessions: StreamableHTTPSessionManager) -> None:
        self.sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.sessions.handle_request(scope, receive, send)


def on_http(server: Server[Any]) -> None:
    sessions = StreamableHTTPSessionManager(server)
    stateless = StreamableHTTPSessionManager(server, stateless=True, json_response=True)
    sse = Sse(server, stateless)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with sessions.run(), stateless.run():
            yield

    routes = [Route("/mcp", Mcp(sessions)), Route("/sse", sse), Route("/sse/message", Messages(sse.transport))]
    config = uvicorn.Config(Starlette(routes=routes, lifespan=lifespan), log_level="error", access_log=False)
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    print(json.dumps({"url": f"http://127.0.0.1:{listener.getsockname()[1]}"}), flush=True)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    bare = server_of(sqlite3.connect(sys.argv[1], isolation_level=None, check_same_thread=False))
    if "--http" in sys.argv:
        on_http(bare)
    else:
        asyncio.run(on_stdio(bare))
