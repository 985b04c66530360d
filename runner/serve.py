"""Everything in one process: the proxy, and beside it the demo models, a model server like any other."""

import asyncio
import contextlib
import gc
import json
import logging
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import click
import uvicorn

from db.database import Unusable
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


class _Main(uvicorn.Server):
    """A server that ends by signals, and is done with them then: uvicorn would raise them once more."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        before = {one: signal.signal(one, self.handle_exit) for one in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)


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
    app = create_app(settings, demo_url=address(beside) if beside else "", shell=shell_tools(settings))
    _greet(settings, address(listener), as_json=as_json)
    gc.collect()
    gc.freeze()  # what is there now stays: it need not be looked through again and again
    _run(_Main(_config(app, settings)), listener, beside, settings)


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

    server = _Beside(_config(make_app(), settings, lifespan="off"))
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


def _config(app: Any, settings: Settings, *, lifespan: Literal["on", "off"] = "on") -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http="httptools",
        ws="none",
        lifespan=lifespan,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=int(settings.drain_timeout) or 1,
        timeout_keep_alive=75,
    )


def shell_tools(settings: Settings) -> ShellTools:
    """The registry's tools; without its database there are none, and everything else works."""
    try:
        with default_registry() as registry:
            declared = [one["function"] for one in registry.openai_tools()]
    except Unusable as error:
        logging.getLogger("strictcall").warning("no tools for shell mode: %s", error)
        declared = []
    tools = tuple(Function(one["name"], one["description"], one["parameters"]) for one in declared)
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
