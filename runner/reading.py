"""One answer, read the way a client's stream would be, and what a client has of it at the end."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from proxy.core.dialect import Dialect
from proxy.core.events import ArgsDelta, CallEnd, CallStart, Event, Reasoning, Repair, Text, joined
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

    @classmethod
    def of(cls, steps: list[tuple[str, list[Event]]], repairs: list[Repair]) -> "Reading":
        """Put together what the pieces brought."""
        reading = cls(repairs=repairs, steps=steps)
        for event in joined(event for _, events in steps for event in events):
            match event:
                case Text():
                    reading.content += event.text
                case Reasoning():
                    reading.reasoning += event.text
                case CallStart():
                    reading.calls.append(Call(event.name, event.dialect))
                case ArgsDelta():
                    reading.calls[-1].arguments += event.text
                case CallEnd():
                    reading.calls[-1].complete = event.complete
        return reading

    @property
    def complete(self) -> list[Call]:
        """The calls that the model finished."""
        return [call for call in self.calls if call.complete]

    @property
    def dialect(self) -> str | None:
        """The dialect of the first call."""
        return self.calls[0].dialect if self.calls else None

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


def read(
    text: str,
    tools: Tools,
    dialects: Sequence[Dialect],
    *,
    chunk: int = 0,
    finish: str = "stop",
    begins: Begins = Begins.UNKNOWN,
) -> Reading:
    """Read a whole text in pieces of `chunk` characters, 0 for all at once.

    The text is all there, so it can be waited for whether it began inside reasoning (`Begins.UNKNOWN`).
    """
    normalizer = Normalizer(tools, dialects, begins)
    steps = [(piece, normalizer.feed(piece)) for piece in _pieces(text, chunk)]
    steps.append(("", normalizer.finish(finish)))
    return Reading.of(steps, normalizer.repairs)


def _pieces(text: str, size: int) -> Iterable[str]:
    return (text[at : at + size] for at in range(0, len(text), size)) if size else (text,)
