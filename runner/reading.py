"""One answer, read the way a client's stream would be, and what a client has of it at the end."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from proxy.core.dialect import Dialect
from proxy.core.events import ArgsDelta, CallEnd, CallStart, Event, Reasoning, Repair, Text
from proxy.core.normalizer import Normalizer
from proxy.core.reader import Begins
from proxy.core.tools import Tools


@dataclass
class Call:
    """A call as the client has it: `arguments` is what was streamed, joined."""

    name: str
    dialect: str
    arguments: str = ""
    complete: bool = False


@dataclass
class Reading:
    """All that became of an answer."""

    calls: list[Call] = field(default_factory=list)
    content: str = ""
    reasoning: str = ""
    repairs: list[Repair] = field(default_factory=list)
    steps: list[tuple[str, list[Event]]] = field(default_factory=list)
    """each piece that was fed, and the events that it made certain; the last is the end"""

    @property
    def complete(self) -> list[Call]:
        """The calls that the model finished."""
        return [call for call in self.calls if call.complete]

    @property
    def dialect(self) -> str | None:
        """The dialect of the first call."""
        return self.calls[0].dialect if self.calls else None

    def add(self, piece: str, events: list[Event]) -> None:
        """Take in what one piece has brought."""
        self.steps.append((piece, events))
        for event in events:
            match event:
                case Text():
                    self.content += event.text
                case Reasoning():
                    self.reasoning += event.text
                case CallStart():
                    self.calls.append(Call(event.name, event.dialect))
                case ArgsDelta():
                    self.calls[-1].arguments += event.text
                case CallEnd():
                    self.calls[-1].complete = event.complete

    def as_json(self) -> dict[str, Any]:
        """What `--json` and `--cases` print."""
        cut = [{"name": call.name, "arguments": call.arguments} for call in self.calls if not call.complete]
        return {
            "dialect": self.dialect,
            "calls": [{"name": call.name, "arguments": call.arguments} for call in self.complete],
            "content": self.content,
            "reasoning": self.reasoning,
            "repairs": [{"name": one.name, "before": one.before, "after": one.after} for one in self.repairs],
            **({"cut": cut} if cut else {}),
        }


def read(text: str, tools: Tools, dialects: Sequence[Dialect], *, chunk: int = 0, finish: str = "stop") -> Reading:
    """Read a whole text in pieces of `chunk` characters, 0 for all at once."""
    # The text is all there, so it can be waited for whether it began inside reasoning.
    normalizer = Normalizer(tools, dialects, Begins.UNKNOWN)
    reading = Reading()
    for piece in _pieces(text, chunk):
        reading.add(piece, normalizer.feed(piece))
    reading.add("", normalizer.finish(finish))
    reading.repairs = normalizer.repairs
    return reading


def _pieces(text: str, size: int) -> Iterable[str]:
    return (text[at : at + size] for at in range(0, len(text), size)) if size else (text,)
