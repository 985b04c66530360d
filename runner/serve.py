"""Everything in one process: the proxy, MCP on the same port, and the demo models on one of their own."""

import gc
import json
import logging
import socket
import sqlite3
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from urllib.parse import urlsplit

import click

from db.database import Unusable
from db.registry import Registry
from mcp_server.engine import McpEngine
from mcp_server.http import McpHttp
from mcp_server.registry import default_registry
from proxy.app import create_app
from proxy.core.ask import Function
from proxy.core.shell import Runner
from proxy.page import curl
from proxy.service import ShellTools
from proxy.settings import Settings
from runner import web
from runner.listening import address, listening

RUNNER = Path(__file__).with_name("mcp_tools_runner.py")


def serve(settings: Settings, *, as_json: bool) -> None:
    """Run until a signal ends it; answers under way are finished first."""
    web.log_to_stderr(settings)
    listener = listening(settings.host, settings.port)
    demo = listening("127.0.0.1", 0) if settings.demo else None
    with default_registry() as registry:
        mcp = McpHttp(McpEngine(registry), settings.max_body)
        app = create_app(
            settings,
            demo_url=address(demo) if demo else "",
            shell=shell_tools(registry, settings),
            mounted=mcp.apps,
        )
        _greet(settings, address(listener), as_json=as_json)
        gc.collect()
        gc.freeze()  # what is there now stays: it need not be looked through again and again
        web.run(_all_of_it(web.Main(web.config(app, settings), mcp.end), mcp, listener, demo, settings))


async def _all_of_it(
    main: web.Main, mcp: McpHttp, listener: socket.socket, demo: socket.socket | None, settings: Settings
) -> None:
    async with AsyncExitStack() as stack:
        if demo:
            from proxy.upstream.demo.app import make_app  # noqa: PLC0415 - not everybody wants them

            await stack.enter_async_context(web.beside(make_app(), demo, settings))
        await stack.enter_async_context(mcp.run())
        await main.serve(sockets=[listener])


def shell_tools(registry: Registry, settings: Settings) -> ShellTools:
    """The registry's tools for shell mode."""

    def offered() -> list[Function]:
        try:
            declared = [one["function"] for one in registry.openai_tools()]
        except (Unusable, sqlite3.Error) as error:
            # Without the database there are none, and everything else works.
            logging.getLogger("strictcall").warning("no tools for shell mode: %s", error)
            return []
        return [Function(one["name"], one["description"], one["parameters"]) for one in declared]

    return ShellTools(offered, Runner(sys.executable, str(RUNNER), settings.shell))


def _greet(settings: Settings, url: str, *, as_json: bool) -> None:
    """Say where it is and what to do next."""
    if as_json:
        upstreams = [{"name": one.name, "url": one.url} for one in settings.upstreams]
        click.echo(json.dumps({"url": url, "base_url": f"{url}/v1", "mcp": f"{url}/mcp", "upstreams": upstreams}))
        return
    click.echo(f"strictcall  base URL for clients: {click.style(f'{url}/v1', bold=True)}   page: {url}/")
    click.echo(f"  MCP: {url}/mcp, or {url}/sse   (strictcall connect sets up a client)")
    for one in settings.upstreams:
        click.echo(f"  {one.name}: {one.url}" + ("" if _answers(one.url) else "  (does not answer now)"))
    if settings.demo:
        click.echo("  demo models, no GPU needed: demo/hermes, demo/qwen3_coder, demo/gpt_oss, ... (see the page)")
        if sys.platform != "win32":  # where curl is another program, and quotes are others
            click.echo(f"\nTry it:\n\n{curl(url, 'demo/hermes', key=bool(settings.api_key))}\n")
    click.echo("Ctrl-C ends it.")


def _answers(url: str) -> bool:
    """Does anybody listen there?"""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with socket.create_connection((parts.hostname or "", port), timeout=1):
            return True
    except OSError:
        return False
