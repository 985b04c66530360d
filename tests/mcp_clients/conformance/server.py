"""Our MCP server with what the suite looks for: its tools instead of ours, its prompts and resources beside ours.

Everything else is as `strictcall mcp --http` has it. What we do not offer is not offered here either; what fails for it
is in `not_offered.toml`.

    python -m mcp_clients.conformance.server      prints {"url": …} and serves until it is ended
"""

from unittest.mock import patch

import mcp_types as types

from db.database import Database
from db.registry import Registry
from mcp_clients.conformance.prompts import PROMPTS
from mcp_clients.conformance.resources import SuiteResources
from mcp_clients.conformance.tools import TOOLS
from mcp_server import announcements, prompts
from mcp_server.engine import McpEngine
from proxy.settings import load
from runner.mcp import serve_engine


def main() -> None:
    """Serve."""
    prompts.PROMPTS.update({prompt.name: prompt for prompt in PROMPTS})
    settings, _ = load({"port": 0}, env={})
    # The suite waits 1.5 s to be told of a change; on a busy machine what is left of that after a second is not enough.
    with patch.object(announcements, "_EVERY", 0.1), Registry(TOOLS, Database()) as registry:
        engine = McpEngine(registry)
        resources = SuiteResources(registry.database)
        handle = engine.server.add_request_handler
        handle("resources/list", types.PaginatedRequestParams, resources.list)
        handle("resources/templates/list", types.PaginatedRequestParams, resources.templates)
        handle("resources/read", types.ReadResourceRequestParams, resources.read)
        serve_engine(engine, settings, as_json=True)


if __name__ == "__main__":
    main()
