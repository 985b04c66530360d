"""`strictcall demo`: serve the demo models until Ctrl-C."""

import json
from contextlib import suppress
from typing import Final

import click
import uvicorn

from proxy.upstream.demo.app import make_app
from runner.listening import address, listening

_CURL: Final = """\
curl {url}/api/chat -d '{{"model": "demo/hermes", "stream": false,
  "messages": [{{"role": "user", "content": "What is the weather in Paris?"}}],
  "tools": [{{"type": "function", "function": {{"name": "get_weather", "parameters": {{"type": "object",
    "properties": {{"city": {{"type": "string"}}}}, "required": ["city"]}}}}}}]}}'"""
_GRACE: Final = 2
"""Seconds that answers which are under way have at the end."""


def serve(host: str, port: int, *, as_json: bool) -> None:
    """Serve on `host` and `port`, and say where once connections are accepted."""
    with listening(host, port) as listener:
        url = address(listener)
        click.echo(json.dumps({"url": url}) if as_json else _welcome(url))
        config = uvicorn.Config(
            make_app(), log_level="warning", lifespan="off", ws="none", timeout_graceful_shutdown=_GRACE
        )
        with suppress(KeyboardInterrupt):  # uvicorn has ended by then, and says it again
            uvicorn.Server(config).run(sockets=[listener])


def _welcome(url: str) -> str:
    return f"demo models, in the manner of Ollama: {url}\nCtrl-C ends them. For example:\n\n{_CURL.format(url=url)}\n"
