"""JSON Schema from Python's types, and back into words.

    Annotated[int, Field("The year.", minimum=1900)]
    -> {"type": "integer", "minimum": 1900, "description": "The year. Type: integer, at least 1900."}

Type and allowed values stand in the description too, because small models read prose and skip keywords.
"""

import types
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

Json = dict[str, Any]

_SCALARS: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean", types.NoneType: "null"}
_KEYWORDS = {"minimum": "minimum", "maximum": "maximum", "max_length": "maxLength", "example": "examples"}


class Field(NamedTuple):
    """What the type does not say of a parameter."""

    description: str
    minimum: float | None = None
    maximum: float | None = None
    max_length: int | None = None
    example: Any = None

    def keywords(self) -> Json:
        """As keywords of JSON Schema."""
        given = {word: value for name, word in _KEYWORDS.items() if (value := getattr(self, name)) is not None}
        if "examples" in given:
            given["examples"] = [given["examples"]]
        return given | {"description": self.description}


def schema_of(hint: Any) -> Json:
    """The schema of a type that a tool may take or return."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _annotated(parts)
    if origin is Literal:
        return {"type": _SCALARS[type(parts[0])], "enum": list(parts)}
    if origin in {Union, types.UnionType}:
        return _union([schema_of(part) for part in parts])
    if hint is list or origin is list:
        return {"type": "array"} | ({"items": schema_of(parts[0])} if parts else {})
    if hint is dict or origin is dict:
        return {"type": "object"} | ({"additionalProperties": schema_of(parts[1])} if parts else {})
    if origin in {Required, NotRequired}:
        return schema_of(parts[0])
    if is_typeddict(hint):
        return _typed_dict(hint)
    if hint is Any:
        return {}
    if hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    raise TypeError(f"no JSON Schema for {hint!r}; use str, int, float, bool, Literal, list, dict, TypedDict or None")


def _annotated(parts: tuple[Any, ...]) -> Json:
    schema = schema_of(parts[0])
    for note in parts[1:]:
        if isinstance(note, str):
            note = Field(note)  # noqa: PLW2901 - a description alone
        if isinstance(note, Field):
            schema |= note.keywords()
    if "description" in schema:
        schema["description"] += f" Type: {in_words(schema)}."
    return schema


def _union(schemas: list[Json]) -> Json:
    plain = [one for one in schemas if one != {"type": "null"}]
    if len(plain) == 1 and isinstance(plain[0].get("type"), str) and "enum" not in plain[0]:
        return plain[0] | {"type": [plain[0]["type"], "null"]}
    return {"anyOf": schemas}


def _typed_dict(hint: Any) -> Json:
    hints = get_type_hints(hint, include_extras=True)
    required = [name for name in hints if name in hint.__required_keys__]
    return {
        "type": "object",
        "properties": {name: schema_of(one) for name, one in hints.items()},
        "required": required,
    }


def in_words(schema: Json) -> str:
    """The type and the allowed values, as one would say them."""
    if "anyOf" in schema:
        return " or ".join(in_words(one) for one in schema["anyOf"])
    names = schema.get("type", "any value")
    words = names if isinstance(names, str) else " or ".join(names)
    if "properties" in schema:
        words += f" with {', '.join(f'{name} ({in_words(one)})' for name, one in schema['properties'].items())}"
    if "items" in schema:
        words += f" of {in_words(schema['items'])}"
    if "enum" in schema:
        words += f", one of {', '.join(map(repr, schema['enum']))}"
    if "minimum" in schema:
        words += f", at least {schema['minimum']}"
    if "maximum" in schema:
        words += f", at most {schema['maximum']}"
    if "maxLength" in schema:
        words += f", at most {schema['maxLength']} characters"
    if "examples" in schema:
        words += f", for example {schema['examples'][0]!r}"
    return words
