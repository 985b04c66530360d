"""What the scripts for both Python SDKs share: their transports have the same names, their clients the same methods.

python1.py '{"way": {…how to connect…}, "questions": {…}}'    prints what was answered, as JSON
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from mcp import StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

Json = dict[str, Any]


def main(connect_and_ask: Callable[[Json, Json], Coroutine[Any, Any, Json]]) -> None:
    """Run a client as this process was told to."""
    told = json.loads(sys.argv[1])
    seen = asyncio.run(connect_and_ask(told["way"], told["questions"]))
    sys.stdout.buffer.write(json.dumps(seen, ensure_ascii=False).encode())


def transport(way: Json) -> Any:
    """How to connect."""
    match way["transport"]:
        case "stdio":
            return stdio_client(StdioServerParameters(command=way["command"], args=way["args"], env=way["env"]))
        case "sse":
            return sse_client(way["url"])
        case _:
            return streamable_http_client(way["url"])


async def ask(client: Any, questions: Json) -> Json:
    """Everything that is asked of a server, one after the other, but for the calls that are made at once."""

    async def call(wanted: Json) -> Json:
        return await _answer(client.call_tool(wanted["name"], wanted["arguments"]))

    prompt = questions["prompt"]
    return {
        "tools": await _answer(client.list_tools()),
        "call": await call(questions["call"]),
        "bad_call": await call(questions["bad_call"]),
        "unknown_tool": await call(questions["unknown_tool"]),
        "at_once": await asyncio.gather(*map(call, questions["at_once"])),
        "prompts": await _answer(client.list_prompts()),
        "prompt": await _answer(client.get_prompt(prompt["name"], prompt["arguments"])),
        "resources": await _answer(client.list_resources()),
        "resource": await _answer(client.read_resource(questions["resource"])),
        "unknown_resource": await _answer(client.read_resource(questions["unknown_resource"])),
        "ping": await _answer(client.send_ping()),
    }


async def _answer(asked: Awaitable[Any]) -> Json:
    """The result as it was on the wire, or the error."""
    try:
        return _plain(await asked)
    except Exception as error:
        if not hasattr(error, "error"):
            raise
        return {"error": _plain(error.error)}


def _plain(value: Any) -> Json:
    plain: Json = value.model_dump(by_alias=True, mode="json", exclude_none=True)
    return plain
