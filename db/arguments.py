"""Arguments as the schema wants them.

Where the meaning is plain they are mended ("2025" for an integer, `employeeId` for `employee_id`); where it is not, all
that is wrong is said at once, and what is wanted.
"""

import math
from typing import Any

from db.characters import whole
from db.schema import Json, in_words

_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_MAX_DIGITS = 300
"""Python refuses to read integers of more than some thousand digits, and none of ours has so many."""


class BadArguments(Exception):  # noqa: N818 - what they are
    """The arguments do not fit: what was wanted, what was found."""


class _Misfit(Exception):  # noqa: N818 - what the value is
    """This value is not what the schema wants."""


def fitted(arguments: Json, schema: Json) -> Json:
    """The arguments, named and typed as in the schema of a tool."""
    properties, required = _taken(schema)
    named, problems = _named(arguments, properties)
    result = {}
    for name, value in named.items():
        if value is None and name not in required and not _fits(None, properties[name]):
            continue  # a null says that it is left out
        try:
            result[name] = _fit(value, properties[name])
        except _Misfit:
            problems.append(f"{name}: wanted {in_words(properties[name])}; got {_shown(value)}")
    problems += [f"{name} is missing" for name in required if name not in named]
    if problems:
        raise BadArguments("; ".join(problems))
    return result


def signature(schema: Json) -> str:
    """What a tool takes, in words."""
    properties, required = _taken(schema)
    takes = [f"{name} ({in_words(one)}{'' if name in required else ', optional'})" for name, one in properties.items()]
    return ", ".join(takes) or "no arguments"


def _taken(schema: Json) -> tuple[Json, list[str]]:
    """The properties, and which of them are required; a schema written by hand may leave out either."""
    return schema.get("properties", {}), schema.get("required", [])


def _named(arguments: Json, properties: Json) -> tuple[Json, list[str]]:
    """The arguments under the names of the schema, and what cannot be named."""
    spelled = {_plain(name): name for name in properties}
    named, problems = {}, []
    for written, value in arguments.items():
        name = written if written in properties else spelled.get(_plain(written))
        if name is None:
            if value is not None:
                problems.append(_unknown(written, properties))
        elif name in named:
            problems.append(f"{name} is given twice")
        else:
            named[name] = value
    return named, problems


def _unknown(written: str, properties: Json) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only needed here

    near = get_close_matches(written, properties, n=1)
    return f"there is no argument {_shown(written)}" + (f" (did you mean {near[0]}?)" if near else "")


def _plain(name: str) -> str:
    """employeeId, employee-id and Employee_ID are one name."""
    return "".join(char for char in name.casefold() if char.isalnum())


def _fits(value: Any, schema: Json) -> bool:
    try:
        return bool(_fit(value, schema) is value)
    except _Misfit:
        return False


def _fit(value: Any, schema: Json) -> Any:
    if "anyOf" in schema:
        return _fit_any(value, [*schema["anyOf"]])
    names = schema.get("type")
    if isinstance(names, list):
        return _fit_any(value, [schema | {"type": name} for name in names])
    match names:
        case None:
            return value
        case "null":
            return _none(value)
        case "boolean":
            return _boolean(value)
        case "integer" | "number":
            return _number(value, schema)
        case "string":
            return _chosen(_string(value, schema), schema)
        case "array":
            items = value if isinstance(value, list) else [value]
            return [_fit(item, schema.get("items", {})) for item in items]
        case _:
            return _object(value, schema)


def _fit_any(value: Any, schemas: list[Json]) -> Any:
    """As the first that takes the value as it is, else as the first that can be made of it."""
    for one in schemas:
        if _fits(value, one):
            return value
    for one in schemas:
        try:
            return _fit(value, one)
        except _Misfit:
            continue
    raise _Misfit


def _none(value: Any) -> None:
    if value is not None and str(value).strip().lower() not in {"null", "none", ""}:
        raise _Misfit


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    truth = _TRUTH.get(str(value).strip().lower())
    if truth is None:
        raise _Misfit
    return truth


def _number(value: Any, schema: Json) -> int | float:
    number = _read_number(value.strip()) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        raise _Misfit
    if isinstance(number, float) and schema["type"] == "integer":
        if not number.is_integer():
            raise _Misfit
        number = int(number)
    if not schema.get("minimum", number) <= number <= schema.get("maximum", number):
        raise _Misfit
    return number


def _read_number(word: str) -> int | float:
    if len(word) > _MAX_DIGITS:
        raise _Misfit
    try:
        return int(word)
    except ValueError:
        pass
    try:
        return float(word)
    except ValueError:
        raise _Misfit from None


def _string(value: Any, schema: Json) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _Misfit
    text = whole(str(value))
    if len(text) > schema.get("maxLength", len(text)):
        raise _Misfit
    return value if text == value else text


def _chosen(text: str, schema: Json) -> str:
    """One of the allowed values, if the text is one but for case and spaces."""
    choices: list[str] = schema.get("enum", [text])
    if text in choices:
        return text
    same = [choice for choice in choices if _plain(choice) == _plain(text)]
    if len(same) != 1:
        raise _Misfit
    return same[0]


def _object(value: Any, schema: Json) -> Json:
    if not isinstance(value, dict):
        raise _Misfit
    if "properties" not in schema:
        return {name: _fit(one, schema.get("additionalProperties", {})) for name, one in value.items()}
    try:
        return fitted(value, schema)
    except BadArguments as error:
        raise _Misfit from error


def _shown(value: Any) -> str:
    shown = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return shown if len(shown) <= 80 else f"{shown[:79]}…"
