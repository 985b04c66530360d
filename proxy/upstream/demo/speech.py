"""How a call is spelled in a dialect: the dialect's own example, with another name and other arguments.

    example     <tool_call>{"name": "find_ferry", "arguments": {"to": "Coll"}}</tool_call>
    spelled     <tool_call>{"name": "get_tide", "arguments": {"port": "Brest"}}</tool_call>

Arguments stand in an example in one of four forms: JSON, a string that spells JSON, Python, or text that is written
once per argument (`Dialect.argument`). A dialect that has no calls of its own reasons in it, and calls as Hermes does.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from proxy.catalogue import dialects
from proxy.core.dialect import Dialect
from proxy.core.schema import type_name

Json = Any
Arguments = dict[str, Json]

_NAME: Final = "find_ferry"
_JSON: Final = '{"to": "Coll"}'
_ENCODED: Final = json.dumps(_JSON)
_PYTHON: Final = re.compile(r"""to=(?:"Coll"|'Coll')(?=\))""")
_KEY: Final = re.compile(r"\bto\b")
_VALUE: Final = "Coll"
_LIST: Final = re.compile(r"\[\s*((?:\{|find_ferry\().*[})])\s*\]", re.DOTALL)
_SECOND: Final = re.compile(r'(?<=\}\})(\W+)\{"name": "ping", "arguments": \{\}\}')
"""what is between two calls, and the second, in an example that shows two"""
_START: Final = "<|start|>assistant"
"""begins a message that is not the first; the first begins in the prompt"""
_TO: Final = " to="
"""how an example begins whose messages all name whom they are for"""
_IDS: Final[dict[str, Callable[[int], str]]] = {
    "toolu_01": lambda number: f"toolu_{number + 1:02}",
    "c0ffee": lambda number: f"{0xC0FFEE + number:x}",
    "aB3dE5gH1": lambda number: f"aB3dE5{number + 1:03}",
    f"functions.{_NAME}:0": lambda number: f"functions.{_NAME}:{number}",
    '"tool_call_id": "0"': lambda number: f'"tool_call_id": "{number}"',
    'index="1"': lambda number: f'index="{number + 1}"',
}


@dataclass(frozen=True, slots=True)
class Call:
    """A call to be spelled."""

    name: str
    arguments: Arguments


def spelled(dialect: Dialect, calls: Sequence[Call], *, prose: str = "", number: int = 0) -> str:
    """`prose`, then `calls` as `dialect` writes them; `number` is how many calls the conversation has had before."""
    if not calls:
        return prose
    if _NAME not in dialect.example:
        return _thought(dialect, calls[0]) + "\n" + spelled(dialects()["hermes"], calls, prose=prose, number=number)
    form = _form(dialect)
    units = [form.unit(call, number + place) for place, call in enumerate(calls)]
    return _before(dialect, prose) + form.head + form.between.join(units) + form.tail


def _before(dialect: Dialect, prose: str) -> str:
    if not prose:
        return ""
    if dialect.example.startswith(_TO):
        return f" to=user<|message|>{prose}<|eom|>{_START}"
    return prose + "\n"


def _thought(dialect: Dialect, call: Call) -> str:
    """What a dialect of reasoning says before a call: `<think>The find_ferry tool fits.</think>`."""
    return dialect.example.replace("ferry", call.name)


@dataclass(frozen=True, slots=True)
class _Form:
    """An example taken apart: `head` and `tail` are written once, the rest for each call."""

    head: str
    before: str
    """up to the arguments"""
    after: str
    between: str
    tail: str
    write: Callable[[Arguments], str]

    def unit(self, call: Call, number: int) -> str:
        """One call."""
        before, after = (_numbered(part, number).replace(_NAME, call.name) for part in (self.before, self.after))
        return before + self.write(call.arguments) + after


def _numbered(text: str, number: int) -> str:
    for shown, make in _IDS.items():
        text = text.replace(shown, make(number))
    return text


@cache
def _form(dialect: Dialect) -> _Form:
    head, one, between, tail = _calls_of(dialect.example)
    written, write = _arguments_of(dialect)
    before, _, after = one.partition(written)
    return _Form(head, before, after, between, tail, write)


def _calls_of(example: str) -> tuple[str, str, str, str]:
    """What stands before the calls, one call, what is between two, and what stands behind them."""
    if found := _SECOND.search(example):
        return "", example[: found.start()], found[1], ""
    if found := _LIST.search(example):
        return example[: found.start(1)], found[1], ", ", example[found.end(1) :]
    return "", example, _START if "<|message|>" in example else "\n", ""


def _arguments_of(dialect: Dialect) -> tuple[str, Callable[[Arguments], str]]:
    """The arguments as the example has them, and how others are written in their place."""
    example, unit = dialect.example, dialect.argument
    if _JSON in example:
        return _JSON, _json
    if _ENCODED in example:
        return _ENCODED, lambda arguments: _json(_json(arguments))
    if found := _PYTHON.search(example):
        return found[0], _python
    if unit and unit in example and _VALUE in unit:
        if unit.startswith("to:"):
            quote = unit.removeprefix("to:").partition(_VALUE)[0]
            return unit, lambda arguments: _gemma_members(arguments, quote)
        return unit, lambda arguments: "".join(_tagged(unit, key, value) for key, value in arguments.items())
    raise ValueError(f"the example of {dialect.name} shows no arguments; add `argument`, its part that is one argument")


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _python(arguments: Arguments) -> str:
    return ", ".join(f"{key}={value!r}" for key, value in arguments.items())


def _tagged(unit: str, key: str, value: Json) -> str:
    before, _, after = unit.partition(_VALUE)
    before, after = (_KEY.sub(lambda _: key, part) for part in (before, after))
    if isinstance(value, str):
        return before + value + after
    before = before.replace('type="string"', f'type="{type_name(value)}"').replace('string="true"', 'string="false"')
    return before + _json(value) + after


def _gemma_members(members: Arguments, quote: str) -> str:
    return ",".join(f"{key}:{_gemma(value, quote)}" for key, value in members.items())


def _gemma(value: Json, quote: str) -> str:
    match value:
        case str():
            return quote + value + quote
        case dict():
            return "{" + _gemma_members(value, quote) + "}"
        case list():
            return "[" + ",".join(_gemma(item, quote) for item in value) + "]"
        case _:
            return _json(value)
