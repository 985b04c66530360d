"""Everything in one process: the proxy, and beside it the demo models, a model server like any other."""

import asyncio
import contextlib
import json
import logging
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
import uvicorn

from mcp_server.registry import default_registry
from proxy.app import create_app
from proxy.core.ask import Function
from proxy.core.shell import Runner
from proxy.exchange import JsonLines
from proxy.page import curl
from proxy.service import ShellTools
from proxy.settings import Settings
from runner.listening import address, listening

RUNNER = Path(__file__).with_name("mcp_tools_runner.py")


class _Beside(uvicorn.Server):
    """A server that leaves the signals to the one beside it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def serve(settings: Settings, *, as_json: bool) -> None:
    """Run until a signal ends it; answers under way are finished first."""
    _log_to_stderr(settings)
    listener = listening(settings.host, settings.port)
    beside = listening("127.0.0.1", 0) if settings.demo else None
    app = create_app(settings, demo_url=address(beside) if beside else "", shell=_shell_tools(settings))
    main = uvicorn.Server(_config(app, settings))
    _greet(settings, address(listener), as_json=as_json)
    with contextlib.suppress(KeyboardInterrupt):
        _run(main, listener, beside, settings)


def _run(main: uvicorn.Server, listener: socket.socket, beside: socket.socket | None, settings: Settings) -> None:
    async def all_of_it() -> None:
        async with contextlib.AsyncExitStack() as stack:
            if beside:
                await stack.enter_async_context(_demo_models(beside, settings))
            await main.serve(sockets=[listener])

    with asyncio.Runner(loop_factory=_loop_factory()) as running:
        running.run(all_of_it())


@contextlib.asynccontextmanager
async def _demo_models(listener: socket.socket, settings: Settings) -> AsyncIterator[None]:
    """Serve the demo models meanwhile."""
    from proxy.upstream.demo.app import make_app  # noqa: PLC0415 - not everybody wants them

    server = _Beside(_config(make_app(), settings))
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield
    finally:
        server.should_exit = True
        await task


def _loop_factory() -> Any:
    """The loop of uvloop, where there is one: it is twice as fast at what this process does all day."""
    if sys.platform == "win32":
        return None
    import uvloop  # noqa: PLC0415 - not on Windows

    return uvloop.new_event_loop


def _config(app: Any, settings: Settings) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http="httptools",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=int(settings.drain_timeout) or 1,
        timeout_keep_alive=75,
    )


def _shell_tools(settings: Settings) -> ShellTools:
    tools = tuple(
        Function(one["function"]["name"], one["function"]["description"], one["function"]["parameters"])
        for one in default_registry().openai_tools()
    )
    return ShellTools(tools, Runner(sys.executable, str(RUNNER), settings.shell))


def _log_to_stderr(settings: Settings) -> None:
    handler = logging.StreamHandler()
    text = logging.Formatter("%(asctime)s %(message)s", datefmt="%H:%M:%S")
    handler.setFormatter(JsonLines() if settings.log_format == "json" else text)
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("strictcall").setLevel(logging.INFO)


def _greet(settings: Settings, url: str, *, as_json: bool) -> None:
    """Say where it is and what to do next."""
    if as_json:
        upstreams = [{"name": one.name, "url": one.url} for one in settings.upstreams]
        click.echo(json.dumps({"url": url, "base_url": f"{url}/v1", "upstreams": upstreams}))
        return
    click.echo(f"strictcall  base URL for clients: {click.style(f'{url}/v1', bold=True)}   page: {url}/")
    for one in settings.upstreams:
        click.echo(f"  {one.name}: {one.url}" + ("" if _answers(one.url) else "  (does not answer now)"))
    if settings.demo:
        click.echo("  demo models, no GPU needed: demo/hermes, demo/qwen3_coder, demo/gpt_oss, ... (see the page)")
        click.echo(f"\nTry it:\n\n{curl(url, 'demo/hermes')}\n")


def _answers(url: str) -> bool:
    """Does anybody listen there?"""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with socket.create_connection((parts.hostname or "", port), timeout=1):
            return True
    except OSError:
        return False
