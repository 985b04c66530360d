"""A tool's schema in the words that model servers keep.

Ollama forwards `type, properties, required, items, anyOf, enum, description, $defs` and drops the rest before the model
sees it; llama.cpp's grammars refuse patterns and lengths. So references are put in place, `oneOf` and `allOf` become
what they mean, `const` becomes an `enum`, and what can only be told in words (a default, a range, a pattern) is told
in the description. The client's own schema stays what arguments are typed by.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from proxy.core.ask import Function
from proxy.core.scalars import dumped
from proxy.core.schema import Json, melted, names

_MAX_DEPTH: Final = 12
"""How deep a schema is followed."""
_MAX_NODES: Final = 2000
"""How large it may become: types that hold one another in many ways multiply. One that is larger is made less deep."""
_TOLD: Final = {
    "default": "default",
    "format": "format",
    "pattern": "pattern",
    "minimum": "at least",
    "maximum": "at most",
    "exclusiveMinimum": "more than",
    "exclusiveMaximum": "less than",
    "minLength": "min length",
    "maxLength": "max length",
    "minItems": "min items",
    "maxItems": "max items",
    "examples": "examples",
}
"""What is told in words, and with which."""


def declared(tools: Iterable[Function]) -> list[dict[str, Json]]:
    """The `tools` of a request, as OpenAI and Ollama both write them."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": projected(tool)},
        }
        for tool in tools
    ]


@lru_cache(maxsize=4096)
def projected(tool: Function) -> dict[str, Json]:
    """The parameters of a tool: always an object with properties."""
    return _object(_plain(tool.parameters, told=True))


def constraint(schema: Json) -> dict[str, Json]:
    """The same as a constraint on what is written: without words, and without properties that nobody declared."""
    return _object(_plain(schema, told=False))


def _object(plain: dict[str, Json]) -> dict[str, Json]:
    """Parameters as one object: Ollama drops a choice at this place, so its alternatives are put together."""
    choices = plain.pop("anyOf", [])
    properties = dict(plain.get("properties", {}))
    for choice in choices:
        for name, schema in choice.get("properties", {}).items():
            properties[name] = _either(properties[name], schema) if name in properties else schema
    shared = [set(choice.get("required", [])) for choice in choices]
    required = [*plain.get("required", []), *sorted(set.intersection(*shared) if shared else ())]
    closed = {"additionalProperties": False} if any("additionalProperties" in choice for choice in choices) else {}
    return closed | plain | {"type": "object", "properties": properties} | ({"required": required} if required else {})


def _plain(schema: Json, *, told: bool) -> dict[str, Json]:
    for deep in range(_MAX_DEPTH, 1, -1):
        try:
            return _Reading(schema, told).plain(schema, deep)
        except _TooLargeError:
            continue
    return {}


class _TooLargeError(Exception):
    """The schema has more nodes than a model should read."""


@dataclass(slots=True)
class _Reading:
    """One schema being put into plain words."""

    root: Json
    told: bool
    """are there words, or is it a constraint?"""
    left: int = _MAX_NODES

    def plain(self, schema: Json, deep: int, within: frozenset[str] = frozenset()) -> dict[str, Json]:
        self.left -= 1
        if not self.left:
            raise _TooLargeError
        schema, within = melted(schema, self.root, within)
        if not schema or not deep:
            return {}
        plain = _kept(schema)
        for key in ("anyOf", "oneOf"):
            if isinstance(schema.get(key), list):
                plain["anyOf"] = [self.plain(one, deep - 1, within) for one in schema[key]]
        if isinstance(schema.get("properties"), dict):
            inner = schema["properties"].items()
            plain["properties"] = {name: self.plain(one, deep - 1, within) for name, one in inner}
        if isinstance(schema.get("items"), dict):
            plain["items"] = self.plain(schema["items"], deep - 1, within)
        words = [f"{word} {dumped(schema[key])}" for key, word in _TOLD.items() if key in schema]
        if not self.told:
            plain.pop("description", None)
            if "properties" in plain and not schema.get("additionalProperties"):
                plain["additionalProperties"] = False
        elif words:
            plain["description"] = f"{plain.get('description', '')} ({', '.join(words)})".strip()
        return plain


def _kept(schema: dict[str, Json]) -> dict[str, Json]:
    """What is kept as it is, if it is what it should be: Ollama refuses a request for a wrong type in a schema."""
    plain: dict[str, Json] = {}
    if isinstance(schema.get("type"), str) or names(schema.get("type")):
        plain["type"] = schema["type"]
    if isinstance(schema.get("description"), str):
        plain["description"] = schema["description"]
    if isinstance(schema.get("enum"), list):
        plain["enum"] = schema["enum"]
    if "const" in schema:
        plain["enum"] = [schema["const"]]
    if names(schema.get("required")):
        plain["required"] = names(schema["required"])
    return plain


def _either(one: dict[str, Json], other: dict[str, Json]) -> dict[str, Json]:
    if one == other:
        return one
    if "enum" in one and "enum" in other:
        return one | {"enum": [*one["enum"], *(value for value in other["enum"] if value not in one["enum"])]}
    return {"anyOf": [one, other]}
