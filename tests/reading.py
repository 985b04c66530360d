"""How tests read an answer, and how they compare what came out."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from proxy.catalogue import dialects
from proxy.core.dialect import Dialect
from proxy.core.events import ArgsDelta, CallEnd, CallStart, Event, Reasoning, Text, joined
from proxy.core.normalizer import Normalizer
from proxy.core.reader import Begins
from proxy.core.tools import Tools

SIZES = (0, 1, 2, 3, 4, 7, 16)
"""The pieces that every case is fed in; 0 is whole."""

ALL = tuple(dialects().values())


@dataclass
class Answer:
    """What a client would have at the end."""

    calls: list[tuple[str, Any]] = field(default_factory=list)
    cut: list[tuple[str, str]] = field(default_factory=list)
    content: str = ""
    reasoning: str = ""


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)] if size else [text]


def read(
    parts: Iterable[str],
    tools: Tools,
    offered: Sequence[Dialect] = ALL,
    *,
    finish: str = "stop",
    begins: Begins = Begins.UNKNOWN,
) -> list[Event]:
    normalizer = Normalizer(tools, offered, begins)
    events = [event for part in parts for event in normalizer.feed(part)]
    return joined(events + normalizer.finish(finish))


def answer(events: Iterable[Event]) -> Answer:
    """The whole answer; fails if the events do not come in the order that they must."""
    found, name, text = Answer(), "", ""
    for event in events:
        match event:
            case CallStart():
                assert not name
                name, text = event.name, ""
            case ArgsDelta():
                assert name
                text += event.text
            case CallEnd(complete=True):
                found.calls.append((name, json.loads(text)))
                name = ""
            case CallEnd():
                found.cut.append((name, text))
                name = ""
            case Text():
                assert not name
                found.content += event.text
            case Reasoning():
                assert not name
                found.reasoning += event.text
    assert not name
    return found


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: 5 is 5.0, but true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def spaced(text: str | None) -> str:
    return " ".join((text or "").split())
