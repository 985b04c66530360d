r"""The tools that a request offers: in its `tools`, or as JSON lines between `<tools>` in its system prompt.

    {"name": "get_tide", "parameters": {"port": "string, required", "unit": "\"m\" | \"ft\", optional"}}

is how a prompt writes briefly what `tools` says as a JSON Schema.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

Json = Any

_BLOCK: Final = re.compile(r"<tools>(.*?)</tools>", re.DOTALL)
_NEED: Final = re.compile(r", (required|optional)(?=:|$)")
_TYPES: Final = frozenset(("string", "integer", "number", "boolean", "array", "object", "null"))


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that may be called."""

    name: str
    description: str
    parameters: dict[str, Json]
    """a JSON Schema"""


def offered(declared: object, messages: Iterable[Mapping[str, Json]]) -> list[Tool]:
    """The tools of `declared`, as in a request; without any, those of the system prompt."""
    tools = list(_declared(declared if isinstance(declared, list) else []))
    return tools or list(_declared(_in_prompt(messages)))


def _declared(tools: Iterable[Json]) -> Iterator[Tool]:
    for tool in tools:
        function = tool.get("function", tool) if isinstance(tool, dict) else None
        if isinstance(function, dict) and isinstance(function.get("name"), str):
            parameters = function.get("parameters", function.get("input_schema", function.get("inputSchema")))
            yield Tool(function["name"], str(function.get("description") or ""), _schema(parameters))


def _in_prompt(messages: Iterable[Mapping[str, Json]]) -> Iterator[Json]:
    for message in messages:
        if message.get("role") == "system" and (block := _BLOCK.search(str(message.get("content")))):
            yield from _json_of(block[1])


def _json_of(block: str) -> Iterator[Json]:
    """A JSON list, or one object a line."""
    if block.strip().startswith("["):
        found = _loaded(block)
        yield from found if isinstance(found, list) else []
    else:
        yield from map(_loaded, block.splitlines())


def _loaded(text: str) -> Json:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return None


def _schema(parameters: object) -> dict[str, Json]:
    """Parameters as a JSON Schema, however they were written."""
    if not isinstance(parameters, dict) or not parameters:
        return {"type": "object"}
    if "properties" in parameters or parameters.get("type") == "object" or "$ref" in parameters:
        return parameters
    return _brief_object(parameters)


def _brief_object(members: dict[str, Json]) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": {key: _brief(value) for key, value in members.items()},
        "required": [key for key, value in members.items() if _is_required(value)],
    }


def _is_required(written: Json) -> bool:
    found = _NEED.search(written) if isinstance(written, str) else None
    return found is not None and found[1] == "required"


def _brief(written: Json) -> dict[str, Json]:
    """`string, required: where to look` as a schema."""
    if not isinstance(written, str):
        return written if isinstance(written, dict) else {}
    need = _NEED.search(written)
    return _of_kind(written[: need.start()] if need else written)


def _of_kind(kind: str) -> dict[str, Json]:
    """`"m" | "ft"`, `list of integer`, `string | null`, or the properties of an object as JSON, as a schema."""
    if kind.startswith("list of "):
        return {"type": "array", "items": _of_kind(kind.removeprefix("list of "))}
    found = _loaded(kind)
    if isinstance(found, dict):
        return {"type": "object", "properties": found}
    if all(part in _TYPES for part in kind.split(" | ")):
        return {"type": kind.split(" | ")}
    choices = [_loaded(part) for part in kind.split(" | ")]
    return {"enum": choices} if None not in choices else {}
