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
_QUOTED: Final = re.compile(r'"([^"]*)"')
_TYPES: Final = {
    "string": "string", "str": "string", "integer": "integer", "int": "integer", "number": "number", "float": "number",
    "boolean": "boolean", "bool": "boolean", "array": "array", "list": "array", "object": "object", "null": "null",
}  # fmt: skip


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
    required = [key for key, value in members.items() if isinstance(value, str) and "required" in value.split(", ")]
    return {
        "type": "object",
        "properties": {key: _brief(value) for key, value in members.items()},
        "required": required,
    }


def _brief(written: Json) -> dict[str, Json]:
    """`string, required, where to look` as a schema."""
    if isinstance(written, dict):
        return written if "type" in written or "anyOf" in written else _brief_object(written)
    if isinstance(written, list):
        return {"type": "array", "items": _brief(written[0] if written else "string")}
    kind, _, rest = str(written).partition(", ")
    if choices := _QUOTED.findall(kind):
        return {"enum": choices, "description": rest}
    names = [_TYPES[word] for word in re.findall(r"\w+", kind.lower()) if word in _TYPES]
    if kind.endswith("[]") or names[:1] == ["array"]:
        inner = [name for name in names if name != "array"]
        return {"type": "array", "items": {"type": inner[0] if inner else "string"}, "description": rest}
    return {"type": names[0] if names else "string", "description": rest}
