"""What every emitter does: events of one answer in, bytes of one client protocol out."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

import orjson

from proxy.core.events import Event
from proxy.core.schema import Json
from proxy.core.wire.parts import Usage


@dataclass(frozen=True, slots=True)
class Label:
    """What stands on every answer."""

    id: str
    created: int
    """seconds since 1970"""
    model: str
    """as the client named it"""


@dataclass(slots=True)
class Ids:
    """The ids of calls: the model's own if nobody has it yet in this conversation, else a new one."""

    mint: Callable[[], str]
    taken: set[str] = field(default_factory=set)

    def of(self, proposed: str) -> str:
        """An id that is unique in the conversation."""
        chosen = proposed if proposed and proposed not in self.taken else self.mint()
        self.taken.add(chosen)
        return chosen


class Emitter(Protocol):
    """Writes one answer."""

    media_type: str

    def splice(self, encoded: bytes) -> bytes:
        """Text, as the JSON of the model server has it between its quotes."""

    def emit(self, events: Iterable[Event]) -> bytes:
        """The bytes of some events."""

    def end(self, finish: str, usage: Usage) -> bytes:
        """The end of the answer; `finish` is stop, length or tool_calls."""

    def fail(self, error: dict[str, object]) -> bytes:
        """The end of an answer that went wrong on the way."""


def encoded(value: Json) -> bytes:
    """A value as JSON."""
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        return json.dumps(value).encode()  # half of a surrogate pair can only be said as an escape
