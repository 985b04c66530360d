"""Bring a value nearer to its schema where the meaning is plain: "5" for an integer, one scalar for a list.

Where it is not plain the value is left alone: a wrong type is the model's to mend, and the client will tell it.
"""

import math
import re
from typing import Final

from proxy.core.scalars import MAX_DIGITS
from proxy.core.schema import Json, Schema, canonical, type_name

_INTEGER: Final = re.compile(r"[-+]?\d+")
_TRUTH: Final = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}


def fits(value: Json, schema: Schema) -> bool:
    """Is `value` of a type that `schema` allows?"""
    if not schema.types:
        return True
    name = type_name(value)
    return name in schema.types or (name == "integer" and "number" in schema.types)


def coerced(value: Json, schema: Schema) -> Json:
    """`value` as `schema` wants it, where that is plain."""
    if not fits(value, schema):
        value = _converted(value, schema)
    value = _chosen(value, schema)
    match value:
        case list():
            return [coerced(item, schema.items) for item in value]
        case dict():
            return _coerced_object(value, schema)
        case _:
            return value


def _coerced_object(value: dict[str, Json], schema: Schema) -> dict[str, Json]:
    result = {}
    for written, item in value.items():
        key = schema.key(written)
        if item is None and is_dropped(key, schema):
            continue
        result[key] = coerced(item, schema.property(key))
    return result


def is_dropped(key: str, schema: Schema) -> bool:
    """Does a null for this property say nothing: optional, and null is not a value of it?"""
    types = schema.property(key).types
    return key in schema.properties and key not in schema.required and bool(types) and "null" not in types


def _chosen(value: Json, schema: Schema) -> Json:
    """One of the listed values, if `value` is one but for its letter case."""
    if schema.choices is None or value in schema.choices or not isinstance(value, str):
        return value
    same = [choice for choice in schema.choices if isinstance(choice, str) and canonical(choice) == canonical(value)]
    return same[0] if len(same) == 1 else value


def _converted(value: Json, schema: Schema) -> Json:
    types = schema.types
    match value:
        case str():
            return _from_text(value, schema)
        case dict() if "value" in value and set(value) <= {"value", "type", "name", "description"}:
            return coerced(value["value"], schema)
        case float() if "integer" in types and value.is_integer():
            return int(value)
        case bool() if types & {"string"}:
            return str(value).lower()
        case 0 | 1 if types == {"boolean"}:
            return bool(value)
        case int() | float() if "string" in types:
            return str(value)
        case None:
            return value
        case list() if types & {"string", "integer", "number", "boolean"} and len(value) == 1:
            return coerced(value[0], schema)
    if "array" in types and not isinstance(value, list):
        return [value]
    return value


def _from_text(text: str, schema: Schema) -> Json:
    """What a string means for a schema that does not want a string."""
    types, word = schema.types, text.strip()
    if "integer" in types and _INTEGER.fullmatch(word) and len(word) < MAX_DIGITS:
        return int(word)
    if types & {"integer", "number"} and (number := _number(word)) is not None:
        return int(number) if number.is_integer() and "number" not in types else number
    if "boolean" in types and word.lower() in _TRUTH:
        return _TRUTH[word.lower()]
    if word.lower() in {"null", "none"} or (not word and "null" in types):
        return None
    if "array" in types:
        return [text]
    return text


def _number(word: str) -> float | None:
    try:
        number = float(word)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
