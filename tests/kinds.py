"""The two kinds of model server, so that a test says once what a model says: Ollama's form and OpenAI's.

kind.plays(Say("Hi"), Say(calls=[structured("find_ferry", {"to": "Coll"})]))   # and then the end
kind.plays(Say("Hi"), Error("out of memory"))
"""

import contextlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fake_server import DONE, FakeServer, Status, Step, chunk, done, line
from running import Proxy, proxy

KINDS = ("ollama", "openai")


@dataclass(frozen=True)
class Say:
    """What one line of the answer brings."""

    content: str = ""
    thinking: str = ""
    calls: Sequence[dict[str, Any]] = ()


@dataclass(frozen=True)
class Error:
    """A line that says what went wrong."""

    message: str


@dataclass(frozen=True)
class End:
    """The end of the answer; without one, an answer ends with `stop`."""

    reason: str = "stop"


@dataclass
class Kind:
    """A proxy in front of a model server of one kind."""

    name: Literal["ollama", "openai"]
    server: FakeServer
    proxy: Proxy

    def plays(self, *parts: Say | Error | End | Step) -> None:
        """Answer every chat so."""
        self.server.plays(*self._steps(parts))

    def plays_once(self, *parts: Say | Error | End | Step) -> None:
        """Answer the next chat so."""
        self.server.plays_once(*self._steps(parts))

    def refuses(self, status: int, message: str) -> Status:
        """A refusal, as this kind of server words it."""
        error: Any = message if self.name == "ollama" else {"message": message, "type": "server_error"}
        return Status(status, json.dumps({"error": error}).encode())

    def _steps(self, parts: Sequence[Say | Error | End | Step]) -> Iterator[Step]:
        for part in parts:
            yield self._bytes(part) if isinstance(part, Say | Error | End) else part
        if parts and isinstance(parts[-1], Say):
            yield self._bytes(End())

    def _bytes(self, part: Say | Error | End) -> bytes:
        if self.name == "ollama":
            return _ollama(part)
        return _openai(part)


def _ollama(part: Say | Error | End) -> bytes:
    match part:
        case Say():
            return line(part.content, thinking=part.thinking, calls=part.calls)
        case Error(message):
            return json.dumps({"error": message}).encode() + b"\n"
        case End(reason):
            return done(reason)


def _openai(part: Say | Error | End) -> bytes:
    match part:
        case Say():
            said = {"content": part.content, "reasoning_content": part.thinking, "tool_calls": list(part.calls)}
            return chunk({key: value for key, value in said.items() if value})
        case Error(message):
            return b"data: " + json.dumps({"error": {"message": message}}).encode() + b"\n\n"
        case End(reason):
            usage = {"prompt_tokens": 12, "completion_tokens": 34, "total_tokens": 46}
            return chunk({}, reason) + chunk({}, None, choices=[], usage=usage) + DONE


@contextlib.contextmanager
def kind_of(name: Literal["ollama", "openai"], **settings: Any) -> Iterator[Kind]:
    """A proxy with these settings in front of a server of this kind."""
    with FakeServer() as server:
        url = server.url if name == "ollama" else server.openai_url
        with proxy(url, **settings) as running:
            yield Kind(name, server, running)


def structured(name: str, arguments: Any, **more: Any) -> dict[str, Any]:
    """A call that the server has parsed, in the form that both kinds read."""
    return {"function": {"name": name, "arguments": arguments}} | more


def golden(body: str) -> str:
    """A body with what differs from run to run replaced: its id, its time, and the ids that we made."""
    body = re.sub(r"chatcmpl-[0-9a-f]{24}", "chatcmpl-1", body)
    body = re.sub(r'"created":\d+', '"created":1', body)
    made: dict[str, str] = {}
    return re.sub(r"call_[0-9a-f]{24}", lambda found: made.setdefault(found[0], f"call_{len(made) + 1}"), body)


def chunks(*deltas: str, finish: str = "stop", usage: str = "") -> str:
    """The whole body of a stream whose deltas, behind the first, are these."""
    head = 'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"fake","choices":['
    said = ['{"role":"assistant","content":null}', *deltas]
    frames = [f'{head}{{"index":0,"delta":{delta},"finish_reason":null}}]}}\n\n' for delta in said]
    frames.append(f'{head}{{"index":0,"delta":{{}},"finish_reason":"{finish}"}}]}}\n\n')
    if usage:
        frames.append(f'{head}],"usage":{usage}}}\n\n')
    return "".join([*frames, "data: [DONE]\n\n"])


def begin(name: str, index: int = 0, call_id: str = "") -> str:
    """The first delta of a call."""
    call_id = call_id or f"call_{index + 1}"
    function = f'{{"name":"{name}","arguments":""}}'
    return f'{{"tool_calls":[{{"index":{index},"id":"{call_id}","type":"function","function":{function}}}]}}'


def more(arguments: str, index: int = 0) -> str:
    """A later delta of a call."""
    return f'{{"tool_calls":[{{"index":{index},"function":{{"arguments":{json.dumps(arguments)}}}}}]}}'


def text(content: str) -> str:
    """A delta of text."""
    return f'{{"content":{json.dumps(content, ensure_ascii=False)}}}'


def thought(reasoning: str) -> str:
    """A delta of reasoning."""
    return f'{{"reasoning_content":{json.dumps(reasoning, ensure_ascii=False)}}}'
