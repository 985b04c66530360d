"""OpenAI's protocol as llama.cpp, vLLM, LM Studio and others serve it: chat completions, answered in events."""

import re
from functools import lru_cache
from typing import Any, Final

import orjson

from proxy.core.ask import Ask, Message
from proxy.core.projection import declared
from proxy.core.scalars import dumped
from proxy.core.wire.parts import CallPart, Garbage, Part, Usage, count, id_of, text

PATH: Final = "/chat/completions"
_DATA: Final = b"data:"
_DONE: Final = b"[DONE]"
_FIELD: Final = re.compile(rb"[a-z]*(?::|\Z)|\s*\Z")
"""What an event may have besides data: its name, its id, a comment, a blank line."""
_OLLAMA_ONLY: Final = {"options", "keep_alive", "truncate", "shift"}

_BEFORE_TEXT: Final = b'"delta":{"content":"'


def plain(line: bytes) -> bytes | None:
    """The text of a line that brings nothing else."""
    found = line.find(_BEFORE_TEXT)
    if found < 0:
        return None
    start = found + len(_BEFORE_TEXT)
    end = line.find(b'"', start)
    text = line[start:end]
    return text if text and b"\\" not in text and _brings_nothing_else(line[:start], line[end:]) else None


@lru_cache(maxsize=1024)
def _brings_nothing_else(head: bytes, tail: bytes) -> bool:
    """What stands around the text is the same in all lines of a stream, in whatever order a server writes it."""
    try:
        return part(head + tail) == Part()
    except Garbage:
        return False


def body(ask: Ask) -> dict[str, Any]:
    """The request body of `ask`."""
    sampling = ask.sampling
    said: dict[str, Any] = {key: value for key, value in ask.rest.items() if key not in _OLLAMA_ONLY}
    said |= {
        "model": ask.model,
        "messages": [_message(message) for message in ask.messages],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    found = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "seed": sampling.seed,
        "max_tokens": sampling.max_tokens,
        "presence_penalty": sampling.presence_penalty,
        "frequency_penalty": sampling.frequency_penalty,
        "stop": list(sampling.stop) or None,
        "reasoning_effort": ask.think if isinstance(ask.think, str) else None,
    }
    said |= {key: value for key, value in found.items() if value is not None}
    if ask.tools:
        said["tools"] = declared(ask.tools)
    if ask.format == "json":
        said["response_format"] = {"type": "json_object"}
    elif ask.format is not None:
        said["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": ask.format}}
    return said


def _message(message: Message) -> dict[str, Any]:
    said: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.parts:
        said["content"] = [*([{"type": "text", "text": message.text}] if message.text else []), *message.parts]
    if message.calls:
        said["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": dumped(call.arguments)},
            }
            for call in message.calls
        ]
    if message.reasoning:
        said["reasoning_content"] = message.reasoning
    if message.role == "tool":
        said["tool_call_id"] = message.answers
    return said


# ---- the answer


def part(line: bytes) -> Part | None:
    """What a line of the event stream says."""
    if line.startswith(b"{"):
        return _whole(line)
    if not line.startswith(_DATA):
        if not _FIELD.match(line):
            raise Garbage(line.decode(errors="replace"))
        return None
    data = line[len(_DATA) :].strip()
    if data == _DONE:
        return Part(last=True)
    return _read(data) if data else None


def _read(data: bytes) -> Part:
    try:
        said = orjson.loads(data)
        if said.get("error"):
            return Part(error=_error(said["error"]))
        usage = said.get("usage")
        found = Part(usage=Usage(count(usage, "prompt_tokens"), count(usage, "completion_tokens")) if usage else None)
        for choice in said.get("choices") or ():
            delta = choice.get("delta") or choice.get("message") or {}
            found.content += text(delta, "content")
            found.thinking += text(delta, "reasoning_content") or text(delta, "reasoning")
            found.calls += [_call(call, at) for at, call in enumerate(delta.get("tool_calls") or ())]
            found.finish = text(choice, "finish_reason") or found.finish
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError):
        raise Garbage(data.decode(errors="replace")) from None
    return found


def _call(call: dict[str, Any], at: int) -> CallPart:
    function = call.get("function") or {}
    index, arguments = call.get("index"), function.get("arguments")
    return CallPart(
        index if isinstance(index, int) else at,
        text(function, "name"),
        id_of(call),
        "" if arguments is None else arguments,
        whole=isinstance(arguments, dict | list),
    )


def _whole(line: bytes) -> Part:
    """One JSON object in place of a stream: how some servers refuse, and how those answer that cannot stream."""
    found = _read(line)
    found.last = bool(found.finish)
    if not found.last and not found.error:
        found.error = line.decode(errors="replace")
    return found


def _error(said: Any) -> str:
    return str(said.get("message", said)) if isinstance(said, dict) else str(said)
