"""A tool's schema in the words that model servers keep.

Ollama forwards `type, properties, required, items, anyOf, enum, description, $defs` and drops the rest before the model
sees it; llama.cpp's grammars refuse patterns and lengths. So references are put in place, `oneOf` and `allOf` become
what they mean, `const` becomes an `enum`, and what can only be told in words (a default, a range, a pattern) is told
in the description. The client's own schema stays what arguments are typed by.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import orjson

from proxy.core.ask import BadRequest, Function
from proxy.core.scalars import dumped
from proxy.core.schema import Json

_MAX_DEPTH: Final = 12
"""How deep a schema is followed: schemas that hold themselves have no end."""
_KEPT: Final = ("description", "enum", "required", "type")
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
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": projected(tool.parameters),
            },
        }
        for tool in tools
    ]


def projected(schema: Json) -> dict[str, Json]:
    """The parameters of a tool: always an object with properties."""
    try:
        return _projected(orjson.dumps(schema))
    except orjson.JSONEncodeError:
        raise BadRequest("the schema of a tool is nested too deep; make it flatter", "tools") from None


@lru_cache(maxsize=1024)
def _projected(written: bytes) -> dict[str, Json]:
    """Kept, because a client sends the same tools with every request."""
    schema = orjson.loads(written)
    plain = _plain(schema, schema, _MAX_DEPTH, told=True)
    return plain | {"type": "object", "properties": plain.get("properties", {})}


def constraint(schema: Json) -> dict[str, Json]:
    """The same as a constraint on what is written: without words, and without properties that nobody declared."""
    plain = _plain(schema, schema, _MAX_DEPTH, told=False)
    return plain | {"type": "object", "properties": plain.get("properties", {})}


def _plain(schema: Json, root: Json, deep: int, *, told: bool) -> dict[str, Json]:
    schema = _melted(schema, root)
    if not schema or not deep:
        return {}
    plain = {key: schema[key] for key in _KEPT if key in schema}
    if "const" in schema:
        plain["enum"] = [schema["const"]]
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            plain["anyOf"] = [_plain(one, root, deep - 1, told=told) for one in schema[key]]
    if isinstance(schema.get("properties"), dict):
        plain["properties"] = {
            name: _plain(one, root, deep - 1, told=told) for name, one in schema["properties"].items()
        }
    if isinstance(schema.get("items"), dict):
        plain["items"] = _plain(schema["items"], root, deep - 1, told=told)
    if not isinstance(plain.get("required", []), list):
        del plain["required"]
    words = [f"{word} {dumped(schema[key])}" for key, word in _TOLD.items() if key in schema]
    if not told:
        plain.pop("description", None)
        if "properties" in plain and not schema.get("additionalProperties"):
            plain["additionalProperties"] = False
    elif words:
        plain["description"] = f"{plain.get('description', '')} ({', '.join(words)})".strip()
    return plain


def _melted(schema: Json, root: Json) -> dict[str, Json]:
    """The schema with its reference followed and its `allOf` melted into it."""
    for _ in range(_MAX_DEPTH):
        reference = schema.get("$ref") if isinstance(schema, dict) else None
        if not isinstance(reference, str):
            break
        schema = _resolved(reference, root) | {key: value for key, value in schema.items() if key != "$ref"}
    melted: dict[str, Json] = schema if isinstance(schema, dict) else {}
    for part in melted["allOf"] if isinstance(melted.get("allOf"), list) else ():
        inner = _melted(part, root)
        both = {**inner.get("properties", {}), **melted.get("properties", {})}
        names = [*inner.get("required", []), *melted.get("required", [])]
        melted = inner | melted | ({"properties": both} if both else {}) | ({"required": names} if names else {})
    return melted


def _resolved(reference: str, root: Json) -> dict[str, Json]:
    found = root
    for step in reference.removeprefix("#").strip("/").split("/"):
        found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}
