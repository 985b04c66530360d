"""`strictcall mcp`: the tools for MCP clients, without the proxy."""

from typing import Any

import click

from runner.flags import loaded
from runner.problem import Problem

HTTP_PORT = 3000


@click.command(short_help="Serve the tools to MCP clients.")
@click.option("--http", is_flag=True, help="Serve over HTTP, at /mcp and /sse, not on standard input and output.")
@click.option("--host", metavar="ADDRESS", help="With --http: address to listen on; not loopback: needs an API key.")
@click.option(
    "--port",
    metavar="N",
    type=click.IntRange(0, 65535),
    help=f"With --http: port to listen on; 0 picks a free one. [default: {HTTP_PORT}]",
)
@click.option("--api-key", metavar="KEY", help="With --http: key that clients must send.")
@click.option("--json", "as_json", is_flag=True, help="With --http: print the address as one JSON line.")
def mcp(*, http: bool, as_json: bool, **flags: Any) -> None:
    """Serve the tools to MCP clients: to the one that starts this command, or over HTTP."""
    from runner.mcp import serve_on_http, serve_on_stdio  # noqa: PLC0415 - the MCP library takes its time to load

    if http:
        settings, _ = loaded({"port": HTTP_PORT} | {name: value for name, value in flags.items() if value is not None})
        serve_on_http(settings, as_json=as_json)
    elif as_json or any(value is not None for value in flags.values()):
        raise Problem("without --http it speaks on standard input and output; add --http, or leave the other flags out")
    else:
        serve_on_stdio(loaded({})[0])
