"""`strictcall demo`: serve the demo models until Ctrl-C."""

import errno
import json
import socket
from contextlib import suppress
from typing import Final

import click
import uvicorn

from proxy.upstream.demo.app import make_app
from runner.inputs import Problem

_CURL: Final = """\
curl {url}/api/chat -d '{{"model": "demo/hermes", "stream": false,
  "messages": [{{"role": "user", "content": "What is the weather in Paris?"}}],
  "tools": [{{"type": "function", "function": {{"name": "get_weather", "parameters": {{"type": "object",
    "properties": {{"city": {{"type": "string"}}}}, "required": ["city"]}}}}}}]}}'"""
_GRACE: Final = 2
"""Seconds that answers which are under way have at the end."""


def serve(host: str, port: int, *, as_json: bool) -> None:
    """Serve on `host` and `port`, and say where once connections are accepted."""
    with _listening(host, port) as listener:
        url = _url(host, listener.getsockname()[1])
        click.echo(json.dumps({"url": url}) if as_json else _welcome(url))
        config = uvicorn.Config(
            make_app(), log_level="warning", lifespan="off", ws="none", timeout_graceful_shutdown=_GRACE
        )
        with suppress(KeyboardInterrupt):  # uvicorn has ended by then, and says it again
            uvicorn.Server(config).run(sockets=[listener])


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=2048)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise Problem(f"port {port} of {host} is taken; choose another with --port, or any with --port 0") from None
        raise Problem(f"cannot listen on {host}:{port}: {error.strerror}; choose others with --host, --port") from None


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _welcome(url: str) -> str:
    return f"demo models, in the manner of Ollama: {url}\nCtrl-C ends them. For example:\n\n{_CURL.format(url=url)}\n"
