"""What a model server threw away with an error, won back.

Ollama parses gpt-oss' calls strictly and answers a stray bracket with
`error parsing tool call: raw='{"to": "Coll"}]', err=...`: the arguments are in the message, the tool's name is not. The
tool is the one that such arguments fit.
"""

import re
from collections.abc import Sequence
from typing import Final

from proxy.core.arguments import Arguments, value_of
from proxy.core.calls import from_value
from proxy.core.cursor import Malformed
from proxy.core.dialect import Dialect
from proxy.core.events import ArgsDelta, CallEnd, CallStart, Event
from proxy.core.normalizer import Normalizer
from proxy.core.scalars import dumped
from proxy.core.schema import Json
from proxy.core.tools import Tool, Tools

DIALECT: Final = "rescued"
"""The name under which such calls are counted."""

_RAW: Final = re.compile(r"raw='(.*)'(?:, err=.*)?\Z", re.DOTALL)
_UNREADABLE: Final = re.compile(
    r"error parsing tool call|XML syntax error|expected element type|failed to parse (?:JSON|XML)|empty function name"
    r"|tool '[^']*' not found|incomplete GLM tool call|invalid tool call arguments|tool call parsing failed"
    r"|does not match the expected peg"
)
_BRACKETS: Final = "]}) \n"


def is_unreadable(error: str) -> bool:
    """Does the error mean that the server could not read what its own model wrote?"""
    return bool(_UNREADABLE.search(error))


def rescued(error: str, tools: Tools, dialects: Sequence[Dialect]) -> list[Event]:
    """The call that an error message holds; none if it cannot be told."""
    found = _RAW.search(error)
    if not found:
        return []
    raw = found.group(1)
    named = _read(raw, tools, dialects)
    if named:
        return named
    tool, arguments = _fitting(_value(raw), raw, tools)
    if tool is None:
        return []
    return [CallStart(tool.name, DIALECT), ArgsDelta(dumped(arguments)), CallEnd()]


def _read(raw: str, tools: Tools, dialects: Sequence[Dialect]) -> list[Event]:
    """The calls in `raw`, if it names a tool itself."""
    normalizer = Normalizer(tools, dialects)
    events = normalizer.feed(raw) + normalizer.finish()
    return events if any(isinstance(event, CallStart) for event in events) else []


def _value(raw: str) -> Json:
    for text in (raw, raw.rstrip(_BRACKETS) + "}"):
        try:
            return value_of(text)
        except Malformed:
            continue
    return None


def _fitting(value: Json, raw: str, tools: Tools) -> tuple[Tool | None, dict[str, Json]]:
    """The one tool that such arguments are for."""
    fitting = []
    for tool in tools.all.values():
        meant = value if isinstance(value, dict | list) else raw
        try:
            arguments = from_value(meant, tool, Arguments())
        except Malformed:
            continue
        if tool.schema.required <= arguments.keys() and arguments.keys() <= tool.schema.properties.keys():
            fitting.append((tool, arguments))
    return fitting[0] if len(fitting) == 1 else (None, {})
