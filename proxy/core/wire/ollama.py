"""Ollama's own protocol: `POST /api/chat`, answered in lines of JSON.

Not its OpenAI-compatible one: there a failure in mid-stream is swallowed, `num_ctx`, `think` and `keep_alive` do not
exist, and a temperature of 1.0 is forced on models that are meant to run cooler.
"""

import re
from typing import Any, Final

import orjson

from proxy.core.ask import Ask, BadRequest, Message, Sampling
from proxy.core.projection import declared
from proxy.core.wire.parts import CallPart, Garbage, Part, Usage, count, id_of, text

PATH: Final = "/api/chat"
_DATA_URL: Final = re.compile(r"data:[\w/+.-]*;base64,")
_EFFORTS: Final = {"none": False, "minimal": False, "xhigh": "high", "ultra": "high"}
"""OpenAI's words for how hard to think that Ollama has no word for."""

_BEFORE_TEXT: Final = b',"message":{"role":"assistant","content":"'
_BEHIND_TEXT: Final = b'"},"done":false}'


def plain(line: bytes) -> bytes | None:
    """The text of a line that brings nothing else."""
    found = line.find(_BEFORE_TEXT)
    if found < 0 or not line.endswith(_BEHIND_TEXT):
        return None
    text = line[found + len(_BEFORE_TEXT) : -len(_BEHIND_TEXT)]
    return None if not text or b'"' in text or b"\\" in text else text


def body(ask: Ask, *, num_ctx: int | None = None) -> dict[str, Any]:
    """The request body of `ask`."""
    given = ask.rest.get("options")
    options = (given if isinstance(given, dict) else {}) | _options(ask.sampling)
    if num_ctx:
        options["num_ctx"] = num_ctx
    said: dict[str, Any] = {
        "model": ask.model,
        "messages": [_message(message) for message in ask.messages],
        "stream": True,
    }
    if options:
        said["options"] = options
    if ask.tools:
        said["tools"] = declared(ask.tools)
    if ask.format is not None:
        said["format"] = ask.format
    if ask.think is not None:
        said["think"] = _EFFORTS.get(ask.think, ask.think) if isinstance(ask.think, str) else ask.think
    said |= {key: ask.rest[key] for key in ("keep_alive", "truncate", "shift") if ask.rest.get(key) is not None}
    return said


def _options(sampling: Sampling) -> dict[str, Any]:
    found = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "seed": sampling.seed,
        "num_predict": sampling.max_tokens,
        "presence_penalty": sampling.presence_penalty,
        "frequency_penalty": sampling.frequency_penalty,
        "stop": list(sampling.stop) or None,
    }
    return {key: value for key, value in found.items() if value is not None}


def _message(message: Message) -> dict[str, Any]:
    said: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.parts:
        said["images"] = [_image(part) for part in message.parts]
    if message.calls:
        said["tool_calls"] = [
            {"id": call.id, "function": {"name": call.name, "arguments": call.arguments}} for call in message.calls
        ]
    if message.reasoning:
        said["thinking"] = message.reasoning
    if message.role == "tool":
        said["tool_name"] = message.tool
        if message.answers:
            said["tool_call_id"] = message.answers
    return said


def _image(part: Any) -> str:
    if part["type"] != "image_url":
        raise BadRequest(
            f"Ollama takes text and images, found a part of type {part['type']!r}; leave it out", "messages"
        )
    image = part.get("image_url")
    url = image.get("url") if isinstance(image, dict) else image
    found = _DATA_URL.match(url) if isinstance(url, str) else None
    if not found:
        raise BadRequest("Ollama does not fetch images; send it as a data URL: data:image/png;base64,...", "messages")
    return str(url)[found.end() :]


# ---- the answer


def part(line: bytes) -> Part | None:
    """What a line of the answer says."""
    if not line.strip():
        return None
    try:
        said = orjson.loads(line)
        if isinstance(said, dict) and "error" in said:
            return Part(error=_error(said["error"]))
        message = said.get("message") or {}
        found = Part(text(message, "content"), text(message, "thinking"))
        found.calls += [_call(call) for call in message.get("tool_calls") or ()]
        if said.get("done"):
            found.last, found.finish = True, text(said, "done_reason") or "stop"
            found.usage = Usage(count(said, "prompt_eval_count"), count(said, "eval_count"))
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError):
        raise Garbage(line.decode(errors="replace")) from None
    return found


def _call(call: dict[str, Any]) -> CallPart:
    function = call["function"]
    # Its index says nothing: before 0.20.6 every call had the index 0.
    return CallPart(0, text(function, "name"), id_of(call), function.get("arguments") or {}, whole=True)


def _error(said: Any) -> str:
    return str(said.get("message", said)) if isinstance(said, dict) else str(said)
