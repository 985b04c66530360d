"""Tools as MCP clients see them: listed, and called on the registry's threads while the event loop goes on."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from db.registry import Registry
from db.result import ToolResult
from db.schema import Json
from db.tool import Tool
from mcp_server.crossing import Answer, wait_for

Context = ServerRequestContext[Any, Any]
MAX_RUNNING: Final = 100
"""Calls at once, each on a thread; who comes then waits, and its time has not begun."""
_MOMENT: Final = 0.005
"""Seconds for which the loop stops for a tool that is quick: no longer than one that computes keeps the interpreter."""
_NOT_OFFERED: Final = {"unknown_tool", "switched_off"}


class ToolCalls:
    """The handlers of `tools/list` and `tools/call`."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._room = asyncio.Semaphore(MAX_RUNNING)
        self._slow: set[str] = set()
        """tools that took longer than a moment when they were last called"""

    async def list(self, _: Context, __: types.PaginatedRequestParams) -> Json:
        """All tools in one page: Void reads no second one."""
        tools = await asyncio.to_thread(self._registry.tools)
        return {"tools": [described(tool) for tool in tools]}

    async def call(self, context: Context, params: types.CallToolRequestParams) -> Json:
        """Call a tool. What fails is a result, too, for the model to read; only a tool that is not offered is not."""
        client = context.session.client_params.client_info if context.session.client_params else None
        async with self._room:
            result = await self._answer(context, params, f"mcp:{client.name}" if client else "mcp")
        failure = result.failure
        if failure and failure.reason in _NOT_OFFERED:
            raise MCPError(types.INVALID_PARAMS, failure.message, data=failure.message)
        if failure and client and _is_void(client):
            return _for_void(failure.message)
        return result.as_mcp()

    async def _answer(self, context: Context, params: types.CallToolRequestParams, caller: str) -> ToolResult:
        loop = asyncio.get_running_loop()
        # The file of one that is not known may take long, and it has its own time.
        tool = self._registry.known(params.name) or await asyncio.to_thread(self._registry.find, params.name)
        report = _reporter(context, loop) if params.meta and "progress_token" in params.meta else None
        answer, began = Answer[ToolResult](loop), loop.time()
        running = self._registry.start(params.name, params.arguments, caller, answer.give, report)
        if tool and not tool.hints.open_world and not report and tool.name not in self._slow:
            # Else loop and thread take the interpreter from each other, which costs more than most tools do.
            if result := answer.within(_MOMENT):
                return result
            self._slow.add(tool.name)
        expiry = loop.call_later(running.timeout, running.expire)
        try:
            result = await answer.get()
        except asyncio.CancelledError:
            running.cancel()
            raise
        finally:
            expiry.cancel()
        if loop.time() - began < _MOMENT:
            self._slow.discard(params.name)
        return result


def described(tool: Tool) -> Json:
    """A tool as an entry of `tools/list`."""
    hints = tool.hints
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
        "annotations": {
            "readOnlyHint": hints.read_only,
            "destructiveHint": hints.destructive,
            "idempotentHint": hints.idempotent,
            "openWorldHint": hints.open_world,
        },
    }


def _reporter(context: Context, loop: asyncio.AbstractEventLoop) -> Callable[[float, float | None, str], None]:
    def report(done: float, total: float | None, message: str) -> None:
        # The tool waits until it is sent: reports stay in order, before the answer, and no faster than they are read.
        wait_for(loop, partial(context.session.report_progress, done, total, message or None))

    return report


def _is_void(client: types.Implementation) -> bool:
    return client.name.endswith("-client") and client.version == "0.1.0"


def _for_void(message: str) -> Json:
    """A failure that Void passes on: of a result that says `isError` its model gets to read nothing but `{}`."""
    return ToolResult.said(f"ERROR: {message}", {"success": False, "error": message}).as_mcp()
