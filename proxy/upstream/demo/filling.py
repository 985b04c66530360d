"""Values for a JSON Schema out of what a request mentions.

Required values are always there and of the right type, invented if need be; optional ones only if the words give one.
The most telling parameters choose first (a listed value, an address, an id), those that take any text last.
"""

import re
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from proxy.core.schema import Schema
from proxy.upstream.demo.clues import Clue, Clues, Kind
from proxy.upstream.demo.kinds import as_kind, invented, kind_of, mentioned, words_of
from proxy.upstream.demo.phrases import expression, labelled, subject
from proxy.upstream.demo.words import concepts

Json = Any
Want = Literal["required", "welcome", "optional"]
"""`welcome`: the schema does not say what is required, so whatever fits may go in."""

_DEEPEST: Final = 8
"""How far objects may nest: a schema that refers to itself has no end."""
_NEGATED: Final = re.compile(r"\b(?:no|not|don't|without|off|false|disable|never)\b|말고|없이|끄고", re.IGNORECASE)
_FRACTION: Final = re.compile(r"[.,]")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_COUNTED: Final = frozenset(("count", "limit", "year", "number", "amount", "quantity", "days", "page", "x", "y", "n"))
_ANYTHING: Final[tuple[Kind, ...]] = ("quoted", "name", "id", "path", "email", "url", "date")


@dataclass(slots=True)
class Filling:
    """The arguments of a call, and how well they are founded."""

    arguments: dict[str, Json] = field(default_factory=dict)
    found: int = 0
    """required values that the words gave"""
    typed: int = 0
    """values that only such a parameter takes: an id, an address, a path"""
    invented: int = 0
    """required values that they did not give"""


@dataclass(slots=True)
class _State:
    clues: Clues
    names: frozenset[str] = frozenset()
    """words that say what is asked for and so are no value of it"""
    filling: Filling = field(default_factory=Filling)
    depth: int = 0


def filled(schema: Schema, text: str) -> Json:
    """A value that fits `schema`."""
    return _value(_State(Clues(text)), "", schema, "required")


def arguments(schema: Schema, text: str, *, tool: str) -> Filling:
    """Arguments for `tool`, whose parameters are `schema`."""
    state = _State(Clues(text), frozenset(concepts(tool)))
    state.filling.arguments = _object(state, schema, "required")
    return state.filling


def several(schema: Schema, text: str, *, tool: str) -> list[dict[str, Json]]:
    """Like `arguments`, but once for each of the things that the request names where the tool takes one of them."""
    first = arguments(schema, text, tool=tool).arguments
    kinds = {name: kind_of(name) for name in first if not schema.property(name).types & {"array", "object"}}
    for name, kind in kinds.items():
        if kind is None or kind == "text" or list(kinds.values()).count(kind) > 1:
            continue
        values = [as_kind(clue.text, kind) for clue in mentioned(Clues(text), name, kind)]
        return [first | {name: value} for value in dict.fromkeys(values)] if first[name] in values else [first]
    return [first]


# ---- one value


def _value(state: _State, name: str, schema: Schema, want: Want) -> Json:
    """A value for `schema`, or None if the words give none and none is needed."""
    types = schema.types
    if schema.choices:
        return _choice(state, schema.choices, want)
    if "object" in types or schema.properties:
        return _object(state, schema, want)
    if "array" in types:
        return _array(state, name, schema, want)
    if types & {"integer", "number"} or (not types and _sounds_like_a_number(name)):
        found = _number(state, name, want, whole="number" not in types)
        return found if found is not None or "string" not in types else _string(state, name, want)
    if "boolean" in types:
        return _boolean(state, name, want)
    if types == {"null"}:
        return None
    return _string(state, name, want)


def _object(state: _State, schema: Schema, want: Want) -> Json:
    if state.depth == _DEEPEST:
        return {} if want == "required" else None
    invented_before = state.filling.invented
    properties = {**schema.properties, **{name: schema.property(name) for name in sorted(schema.required)}}
    state.depth += 1
    unsaid: Want = "welcome" if not schema.required and want != "optional" else "optional"
    found: dict[str, Json] = {}
    for name in sorted(properties, key=lambda name: _rank(name, properties[name], required=name in schema.required)):
        value = _value(state, name, properties[name], "required" if name in schema.required else unsaid)
        if value is not None or (name in schema.required and properties[name].types == {"null"}):
            found[name] = value
    state.depth -= 1
    if want != "required" and (not found or state.filling.invented > invented_before):
        state.filling.invented = invented_before
        return None
    return {name: found[name] for name in properties if name in found}


def _rank(name: str, schema: Schema, *, required: bool) -> tuple[int, bool]:
    """Who chooses first."""
    if schema.choices:
        return 0, not required
    if "object" in schema.types:
        return 2, not required
    return {"name": 3, "text": 4, None: 5}.get(kind_of(name), 1), not required


def _array(state: _State, name: str, schema: Schema, want: Want) -> Json:
    items = schema.items
    values: list[Json] = []
    if items.choices:
        values = [choice for choice in items.choices if _is_mentioned(state, str(choice))]
    elif items.types & {"integer", "number"}:
        numbers = state.clues.of("number") if want != "optional" else []
        values = [_as_number(clue.text, whole="number" not in items.types) for clue in numbers]
    elif (not items.types or "string" in items.types) and (want != "optional" or labelled(state.clues.text, name)):
        values = [clue.text for clue in _listed(state, name)]
    for value in values:
        state.clues.use(str(value))
    if values:
        state.filling.found += want == "required"
        return values
    return [_value(state, name, items, "required")] if want == "required" else None


def _listed(state: _State, name: str) -> list[Clue]:
    kind = kind_of(name)
    kinds: tuple[Kind, ...] = ("quoted", "name", "path", "id")
    if kind and kind != "text":
        kinds = (kind, *kinds)
    return next((found for one in kinds if (found := state.clues.of(one))), [])


def _choice(state: _State, choices: list[Json], want: Want) -> Json:
    for choice in choices:
        if _is_mentioned(state, str(choice)):
            state.filling.found += want == "required"
            state.clues.use(str(choice))
            return choice
    return choices[0] if want == "required" else None


def _is_mentioned(state: _State, choice: str) -> bool:
    text = state.clues.text.lower()
    if re.search(rf"(?<![a-z0-9]){re.escape(choice.lower())}(?![a-z0-9])", text):
        return len(choice) > 1 or choice.isdigit()
    return bool(set(concepts(choice)) & set(concepts(state.clues.text)) - state.names)


def _boolean(state: _State, name: str, want: Want) -> Json:
    label = labelled(state.clues.text, name)
    if label:
        return label.lower() in {"true", "yes", "1", "on"}
    if set(words_of(name)) & set(words_of(state.clues.text)):
        return not _NEGATED.search(state.clues.text)
    return False if want == "required" else None


def _number(state: _State, name: str, want: Want, *, whole: bool) -> Json:
    clues = [clue for clue in state.clues.of("number") if not whole or not _FRACTION.search(clue.text)]
    words = set(concepts(name))
    near = [clue for clue in clues if words & {*concepts(clue.before), *concepts(clue.after)}]
    if "year" in words:
        near = near or [clue for clue in clues if _YEAR.fullmatch(clue.text)]
    elif want != "optional":
        # A year is taken for something else only where nothing else is left.
        near = near or [clue for clue in clues if not _YEAR.fullmatch(clue.text)] or clues
    if near:
        state.clues.take(near[0])
        state.filling.found += want == "required"
        return _as_number(near[0].text, whole=whole)
    if want != "required":
        return None
    state.filling.invented += 1
    return 2025 if "year" in words else 1


def _as_number(text: str, *, whole: bool) -> int | float:
    digits = text.replace(",", "")
    number = float(digits) if "." in digits else int(digits)
    return int(number) if whole or number == int(number) else number


def _sounds_like_a_number(name: str) -> bool:
    return bool(_COUNTED & set(words_of(name)))


# ---- strings


def _string(state: _State, name: str, want: Want) -> Json:
    text, kind = state.clues.text, kind_of(name)
    found = labelled(text, name)
    if not found and kind and kind != "text":
        found = _of_kind(state, name, kind)
    if not found and want != "optional":
        found = _any_text(state, name) if kind == "text" else "" if kind else _anything(state)
    if found:
        state.filling.found += want == "required"
        state.clues.use(found)
        return as_kind(found, kind or "text")
    if want != "required":
        return None
    state.filling.invented += 1
    return invented(name) or subject(text) or "example"


def _of_kind(state: _State, name: str, kind: Kind) -> str:
    clues = mentioned(state.clues, name, kind)
    if not clues:
        return ""
    state.filling.typed += kind not in {"name", "date"} and bool(state.clues.of(kind))
    return clues[0].text


def _any_text(state: _State, name: str) -> str:
    if {"expression", "formula"} & set(words_of(name)) and (found := expression(state.clues.text)):
        return found
    quoted = state.clues.of("quoted")
    return quoted[0].text if quoted else subject(state.clues.text)


def _anything(state: _State) -> str:
    """Whatever is mentioned and has no better place."""
    return next((clue.text for kind in _ANYTHING for clue in state.clues.of(kind)), "")
