"""What MCP clients can ask of the registry: its tools, prompts over them, documents as resources.

The protocol itself, in both of its eras, is the SDK's. Nothing here knows how a message travels.
"""

import logging
import sqlite3
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Any, Final, TypeVar

import mcp_types as types
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from db.characters import whole
from db.database import Unusable
from db.registry import Registry
from db.schema import Json
from mcp_server.announcements import Announcements
from mcp_server.calls import ToolCalls
from mcp_server.prompts import Prompts
from mcp_server.resources import Documents

_INSTRUCTIONS: Final = (
    "The company's own data. Look things up with these tools instead of guessing: search_docs for rules, guides and "
    "policies; get_all_employees to find an employee number by name; get_employee_info and calculate_vacation_days "
    "for one employee. Data may be in Korean. To show the user a document in a window of its own: open_markdown."
)
_LISTS: Final[tuple[CacheableMethod, ...]] = (
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
)
"""What clients may keep, but not for long: it changes whenever somebody edits the database."""
Context = ServerRequestContext[Any, Any]
P = TypeVar("P", bound=types.RequestParams)
_log: Final = logging.getLogger("strictcall")


class RegistryServer(Server[dict[str, Any]]):
    """The SDK's server, which says in either era what may change: the tools, and the list of documents."""

    def get_capabilities(self, *given: Any, **named: Any) -> types.ServerCapabilities:
        """What clients are told of us; the SDK would promise nothing in one era and everything in the other."""
        changing = {
            "tools": types.ToolsCapability(list_changed=True),
            "prompts": types.PromptsCapability(list_changed=False),
            "resources": types.ResourcesCapability(list_changed=True, subscribe=False),
        }
        return super().get_capabilities(*given, **named).model_copy(update=changing)


def server_of(registry: Registry, calls: ToolCalls, announcements: Announcements) -> RegistryServer:
    """The server for a registry."""
    server = RegistryServer(
        "strictcall",
        title="strictcall",
        version=version("strictcall"),
        instructions=_INSTRUCTIONS,
        cache_hints=dict.fromkeys(_LISTS, CacheHint()),
        get_tool_input_schema=lambda name: tool.input_schema if (tool := registry.known(name)) else None,
        on_subscriptions_listen=announcements.listen,
    )
    # The one that is there by default makes a span of every message, for a collector that nobody has here.
    server.middleware[:] = [_contained, announcements.remember]
    prompts, documents = Prompts(registry.database), Documents(registry.database)

    def handle(method: str, params_type: type[P], answer: Callable[[Context, P], Awaitable[Json]]) -> None:
        async def complete(ctx: Context, params: P) -> Json:
            return {"resultType": "complete", **await answer(ctx, params)}  # the SDK spares earlier eras the word

        server.add_request_handler(method, params_type, complete)

    handle("tools/list", types.PaginatedRequestParams, calls.list)
    handle("tools/call", types.CallToolRequestParams, calls.call)
    handle("prompts/list", types.PaginatedRequestParams, prompts.list)
    handle("prompts/get", types.GetPromptRequestParams, prompts.get)
    handle("resources/list", types.PaginatedRequestParams, documents.list)
    handle("resources/templates/list", types.PaginatedRequestParams, documents.templates)
    handle("resources/read", types.ReadResourceRequestParams, documents.read)
    handle("completion/complete", types.CompleteRequestParams, prompts.complete)
    return server


async def _contained(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Middleware: what goes wrong in here is no business of a client's; the SDK would tell it word for word."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except (Unusable, sqlite3.Error) as error:
        raise MCPError(types.INTERNAL_ERROR, whole(f"the database is not at hand: {error}")) from None
    except Exception as error:  # noqa: BLE001 - an answer must be given whatever happens
        _log.error("%s failed", ctx.method, exc_info=error)
        raise MCPError(types.INTERNAL_ERROR, "this failed here, and what happened was logged") from None
