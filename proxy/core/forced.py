"""What a model is held to by a schema: a call that must be made, or the form of an answer that may also be a call.

A call written so is bare JSON, `{"name": ..., "arguments": {...}}`, which is read like any other dialect.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from proxy.core.ask import Ask, Function, Message
from proxy.core.projection import constraint
from proxy.core.schema import Json

_DEFINITIONS: Final = ("$defs", "definitions")
_DEMAND: Final = 'You must call a tool now. Reply with only {"name": ..., "arguments": {...}}.'


def held(ask: Ask) -> Ask:
    """The same, with the schema that it means."""
    if ask.required:
        return _demanded(ask)
    if ask.tools and isinstance(ask.format, dict):
        # It binds from the first token: the client's schema alone would leave no way to write a call.
        choice: dict[str, Json] = {"anyOf": [ask.format, *_calls(ask.tools)]}
        # References in it point from the root.
        return replace(ask, format=choice | {key: ask.format[key] for key in _DEFINITIONS if key in ask.format})
    return ask


def _calls(tools: Sequence[Function]) -> list[dict[str, Json]]:
    """The schema of a call to each of `tools`."""
    return [
        {
            "type": "object",
            "properties": {"name": {"type": "string", "enum": [tool.name]}, "arguments": constraint(tool.parameters)},
            "required": ["name", "arguments"],
            "additionalProperties": False,
        }
        for tool in tools
    ]


def _demanded(ask: Ask) -> Ask:
    """The same, with the demand said and the schema set."""
    calls = _calls(ask.tools)
    schema = calls[0] if len(calls) == 1 else {"anyOf": calls}
    *before, last = ask.messages
    # Behind the last message: what is said last is what small models do.
    if last.role == "user":
        last = replace(last, text=f"{last.text}\n\n{_DEMAND}")
        messages = (*before, last)
    else:
        messages = (*ask.messages, Message("user", _DEMAND))
    return replace(ask, messages=messages, format=schema, think=False if ask.think is None else ask.think)
