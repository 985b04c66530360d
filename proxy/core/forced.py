"""A call that must be made: the schema that leaves the model nothing else to write.

What it writes then is bare JSON, `{"name": ..., "arguments": {...}}`, which is read like any other dialect.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from proxy.core.ask import Ask, Function, Message
from proxy.core.projection import constraint
from proxy.core.schema import Json

_DEMAND: Final = 'You must call a tool now. Reply with only {"name": ..., "arguments": {...}}.'


def schema_of(tools: Sequence[Function]) -> dict[str, Json]:
    """The schema of a call to one of `tools`."""
    calls = [
        {
            "type": "object",
            "properties": {"name": {"type": "string", "enum": [tool.name]}, "arguments": constraint(tool.parameters)},
            "required": ["name", "arguments"],
            "additionalProperties": False,
        }
        for tool in tools
    ]
    return calls[0] if len(calls) == 1 else {"anyOf": calls}


def demanded(ask: Ask) -> Ask:
    """The same, with the demand said and the schema set."""
    *before, last = ask.messages
    # Behind the last message: what is said last is what small models do.
    if last.role == "user":
        last = replace(last, text=f"{last.text}\n\n{_DEMAND}")
        messages = (*before, last)
    else:
        messages = (*ask.messages, Message("user", _DEMAND))
    return replace(ask, messages=messages, format=schema_of(ask.tools), think=False if ask.think is None else ask.think)
