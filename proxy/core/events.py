"""What the core says: five events, and the repairs it made on the way.

    ( Text | Reasoning | CallStart ArgsDelta* CallEnd )*

The `ArgsDelta`s of one call, joined, are one strict JSON object whenever its `CallEnd` is complete. A call that
the model did not finish ends with `complete=False`: what was said stays, nothing is closed or invented.

The events are not frozen although nobody changes them: one is made for every delta of every answer, and a
frozen dataclass costs more than twice as much to make.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby


@dataclass(slots=True)
class Text:
    """Something the model said to the person."""

    text: str


@dataclass(slots=True)
class Reasoning:
    """Something the model said to itself."""

    text: str


@dataclass(slots=True)
class CallStart:
    """A call to an offered tool begins; `id` is the model's own, where the dialect has one."""

    name: str
    dialect: str = ""
    id: str = ""


@dataclass(slots=True)
class ArgsDelta:
    """The next piece of the call's arguments, as strict JSON."""

    text: str


@dataclass(slots=True)
class CallEnd:
    """The call is over; its arguments are whole unless the model was cut off."""

    complete: bool = True


Event = Text | Reasoning | CallStart | ArgsDelta | CallEnd


@dataclass(frozen=True, slots=True)
class Repair:
    """Something the model wrote that was not what it meant, and what was made of it."""

    name: str
    before: str
    after: str


def joined(events: Iterable[Event]) -> list[Event]:
    """Melt neighbours of the same kind: what is left does not depend on how the text was cut."""
    melted: list[Event] = []
    for kind, group in groupby(events, type):
        if kind in {Text, Reasoning, ArgsDelta}:
            melted.append(kind("".join(event.text for event in group)))  # type: ignore[union-attr]  # they have text
        else:
            melted += group
    return melted
