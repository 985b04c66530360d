"""A JSON Schema, seen as far as a value can be mended by it: types, allowed values, properties, items.

Nothing is validated here: the client judges what it gets.
"""

from functools import cached_property
from typing import Any, Final

Json = Any
"""A JSON value: None, bool, int, float, str, list or dict."""

_MAX_DEPTH: Final = 16
"""How many choices may stand in one another: more is a circle."""
_ALTERNATIVES: Final = ("anyOf", "oneOf")


def canonical(name: str) -> str:
    """What is left of a name without case, `-`, `_`, `.` and spaces: getTide, get-tide and GET_TIDE are one."""
    return "".join(char for char in name.casefold() if char.isalnum())


def melted(schema: Json, root: Json, within: frozenset[str] = frozenset()) -> tuple[dict[str, Json], frozenset[str]]:
    """The schema with its references followed and its `allOf` melted into it, and the references that it is within.

    One that it was within before leads in a circle: of that only the type is taken.
    """
    found: dict[str, Json] = schema if isinstance(schema, dict) else {}
    while isinstance(reference := found.get("$ref"), str):
        target = _resolved(reference, root)
        if reference in within:
            target = {"type": target["type"]} if "type" in target else {}
        within |= {reference}
        found = target | {key: value for key, value in found.items() if key != "$ref"}
    for part in found["allOf"] if isinstance(found.get("allOf"), list) else ():
        inner, within = melted(part, root, within)
        properties = {**_dict(inner.get("properties")), **_dict(found.get("properties"))}
        required = names(inner.get("required")) + names(found.get("required"))
        found = inner | found
        found |= {key: value for key, value in (("properties", properties), ("required", required)) if value}
    return found, within


def _resolved(reference: str, root: Json) -> dict[str, Json]:
    found = root
    for step in reference.removeprefix("#").strip("/").split("/"):
        found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
    return _dict(found)


def _dict(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def names(value: Json) -> list[str]:
    """The strings of what should be a list of strings."""
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


class Schema:
    """One (sub)schema and the document that its references point into."""

    def __init__(self, schema: Json, root: Json = None) -> None:
        self._root = schema if root is None else root
        self._parts = self._flattened(schema, frozenset(), _MAX_DEPTH)

    def _flattened(self, schema: Json, within: frozenset[str], deep: int) -> list[dict[str, Json]]:
        """The schema itself or, if it is a choice, its alternatives; references followed, `allOf` melted."""
        if not isinstance(schema, dict) or not deep:
            return []
        plain, within = melted(schema, self._root, within)
        for word in _ALTERNATIVES:
            if isinstance(plain.get(word), list):
                return [part for choice in plain[word] for part in self._flattened(choice, within, deep - 1)]
        return [plain]

    @cached_property
    def types(self) -> frozenset[str]:
        """The types that are allowed; empty: any."""
        found: set[str] = set()
        for part in self._parts:
            declared = part.get("type") or _type_of_contents(part)
            if not isinstance(declared, str | list) or not declared:
                return frozenset()
            found.update(one for one in ([declared] if isinstance(declared, str) else declared) if isinstance(one, str))
            if part.get("nullable") is True:
                found.add("null")
        return frozenset(found)

    @cached_property
    def choices(self) -> list[Json] | None:
        """The values that are allowed, where they are listed."""
        found: list[Json] = []
        for part in self._parts:
            if isinstance(part.get("enum"), list):
                found += part["enum"]
            elif "const" in part:
                found.append(part["const"])
            elif part.get("type") != "null":
                return None
        return found or None

    @cached_property
    def streams(self) -> bool:
        """May a string go out as it is written, whatever it will be?"""
        return self.choices is None and (not self.types or "string" in self.types)

    @cached_property
    def properties(self) -> dict[str, "Schema"]:
        """The declared properties of an object."""
        declared: dict[str, Json] = {}
        for part in self._parts:
            if isinstance(part.get("properties"), dict):
                declared |= part["properties"]
        return {name: Schema(schema, self._root) for name, schema in declared.items()}

    @cached_property
    def required(self) -> frozenset[str]:
        """The properties that an object must have, whichever of its alternatives it is."""
        found = [
            frozenset(names(part.get("required"))) for part in self._parts if {"properties", "required"} & part.keys()
        ]
        return frozenset.intersection(*found) if found else frozenset()

    @cached_property
    def items(self) -> "Schema":
        """What the elements of an array are."""
        for part in self._parts:
            if "items" in part:
                return Schema(part["items"], self._root)
        return ANYTHING

    @cached_property
    def _by_canonical(self) -> dict[str, str]:
        names: dict[str, str] = {}
        for name in self.properties:
            # Two properties that differ only in spelling: neither may be guessed.
            names[canonical(name)] = "" if canonical(name) in names else name
        return names

    def key(self, written: str) -> str:
        """The declared property that was meant by `written`, else `written` itself."""
        if written in self.properties:
            return written
        return self._by_canonical.get(canonical(written)) or written

    def property(self, key: str) -> "Schema":
        """What the value of `key` is."""
        return self.properties.get(key) or self._others

    @cached_property
    def _others(self) -> "Schema":
        """What the properties are that are not declared by name."""
        for part in self._parts:
            if isinstance(part.get("additionalProperties"), dict):
                return Schema(part["additionalProperties"], self._root)
        return ANYTHING

    @cached_property
    def only_string(self) -> str:
        """The one required string property of an object, else ""."""
        if len(self.required) != 1:
            return ""
        (name,) = self.required
        return name if "string" in self.property(name).types else ""


ANYTHING: Final = Schema({})


def _type_of_contents(part: dict[str, Json]) -> str | list[str]:
    """The type of a schema that does not name it but shows it."""
    if "properties" in part:
        return "object"
    if "items" in part:
        return "array"
    values = part.get("enum", [part["const"]] if "const" in part else [])
    return sorted({type_name(value) for value in values}) if isinstance(values, list) else ""


def type_name(value: Json) -> str:
    """What JSON Schema calls the type of `value`."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"
