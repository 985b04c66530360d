"""The MCP server alone: on standard input and output, or over HTTP."""

import json
import socket
import sys

import click

from mcp_server.engine import McpEngine
from mcp_server.http import McpHttp
from mcp_server.registry import default_registry
from mcp_server.stdio import serve_stdio
from proxy.app import alone
from proxy.settings import Settings
from runner import web
from runner.listening import address, listening


def serve_on_stdio(settings: Settings) -> None:
    """Serve whoever started us."""
    web.log_to_stderr(settings)
    if sys.stdin.isatty():
        click.echo("This speaks MCP on standard input, for a client to start: strictcall connect --help", err=True)
        click.echo("Over HTTP: strictcall mcp --http. Ctrl-C ends it.", err=True)
    with default_registry() as registry:
        web.run(serve_stdio(McpEngine(registry)))


def serve_on_http(settings: Settings, *, as_json: bool) -> None:
    """Serve until a signal ends it."""
    web.log_to_stderr(settings)
    with default_registry() as registry:
        serve_engine(McpEngine(registry), settings, as_json=as_json)


def serve_engine(engine: McpEngine, settings: Settings, *, as_json: bool) -> None:
    """Serve this one over HTTP."""
    listener = listening(settings.host, settings.port)
    url = address(listener)
    mcp = McpHttp(engine, settings.max_body)
    if as_json:
        click.echo(json.dumps({"url": url, "mcp": f"{url}/mcp", "sse": f"{url}/sse"}))
    else:
        click.echo(f"MCP server: {url}/mcp (Streamable HTTP), {url}/sse (HTTP+SSE)\nCtrl-C ends it.")
    app = alone(mcp.apps, settings)
    web.run(_served(web.Main(web.config(app, settings, lifespan="off"), mcp.end), mcp, listener))


async def _served(main: web.Main, mcp: McpHttp, listener: socket.socket) -> None:
    async with mcp.run():
        await main.serve(sockets=[listener])
