"""Bytes of a model server in, bytes for a client out: the walk of a chunk, without sockets.

    {"model":"qwen3",...,"message":{"role":"assistant","content":"Hi"},"done":false}

    such a plain line, if nothing in it can begin a call  -> its encoded text between two pieces that are made once
    any other line  -> wire: Part -> Answer: events -> filters -> emitter: bytes

The first way is that of nearly every line of prose; nothing is parsed there. All lines that one read brought leave in
one piece.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from proxy.core.answer import Answer
from proxy.core.emit.emitter import Emitter
from proxy.core.events import CallEnd, CallStart, Event, Reasoning, Repair, Text
from proxy.core.filters import Filter
from proxy.core.wire.parts import Garbage, Part, Usage, Wire

MAX_LINE: Final = 1 << 24
"""Bytes of one line, which holds a token or a call; whoever sends a longer one does not speak in lines."""


@dataclass(slots=True)
class Tally:
    """What is worth knowing about an answer afterwards."""

    calls: int = 0
    cut: int = 0
    """calls that were not finished"""
    dialects: dict[str, int] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    finish: str = ""
    """why the model stopped; "" if it did not say"""
    spoken: bool = False
    """did it say anything at all?"""

    def note(self, event: Event) -> None:
        """Count an event."""
        match event:
            case CallStart():
                self.calls += 1
                self.spoken = True
                self.dialects[event.dialect] = self.dialects.get(event.dialect, 0) + 1
            case CallEnd(complete):
                self.cut += not complete
            case Text(text) | Reasoning(text):
                self.spoken = self.spoken or bool(text.strip())
            case _:
                pass


def _never(_: bytes) -> None:
    """A filter has to see every event, so no line is plain."""


class Pipe:
    """One answer on its way from a model server to a client."""

    def __init__(self, wire: Wire, answer: Answer, emitter: Emitter, filters: Sequence[Filter] = ()) -> None:
        self._part = wire.part
        self._plain = _never if filters else wire.plain
        self._answer = answer
        self._emitter = emitter
        self._filters = filters
        self._tail = b""
        self._called = self._cut = False
        self.tally = Tally()
        self.error = ""
        """what the model server says went wrong"""
        self.over = False
        """has the model server said that it is done, or that it failed?"""

    def feed(self, data: bytes) -> bytes:
        """What some bytes of the answer make certain."""
        *lines, self._tail = (self._tail + data).split(b"\n")
        plain, passes, splice, out = self._plain, self._answer.passes, self._emitter.splice, list[bytes]()
        try:
            for line in lines:
                encoded = plain(line)
                if encoded and (text := encoded.decode()).isprintable() and passes(text):
                    out.append(splice(encoded))
                    self.tally.spoken = True
                elif line and (part := self._part(line)):
                    out.append(self._take(part))
                    if self.over:
                        break
            else:
                if len(self._tail) > MAX_LINE:
                    self._refuse(self._tail)
        except (Garbage, UnicodeDecodeError):
            self._refuse(line)
        return b"".join(out)

    def _refuse(self, line: bytes) -> None:
        self.error = f"the model server sent what is not of its protocol: {line[:80]!r}"
        self.over = True

    def close(self) -> bytes:
        """The server has closed the stream: what is left of its last line, if it did not end it."""
        rest, self._tail = self._tail, b""
        return self.feed(rest + b"\n") if rest.strip() else b""

    def finish(self) -> bytes:
        """What the end makes certain."""
        return self.say(self._answer.finish(self.tally.finish))

    def rescue(self, calls: Sequence[Event]) -> bytes:
        """Calls that were won back from the error that ended the answer; what was held back comes before them."""
        return self.say([*self._answer.interrupted(), *calls])

    def end(self) -> bytes:
        """The end of the answer."""
        return self._emitter.end(self._reason(), self.tally.usage)

    @property
    def repairs(self) -> list[Repair]:
        """What was mended."""
        return self._answer.repairs

    def _reason(self) -> str:
        """OpenAI's `finish_reason`; the model server's own is wrong as often as not."""
        if self._cut:
            return "length"
        if self._called:
            return "tool_calls"
        finish = "length" if self.tally.cut else self.tally.finish
        return finish if finish in {"length", "content_filter"} else "stop"

    def _take(self, part: Part) -> bytes:
        tally = self.tally
        tally.usage = part.usage or tally.usage
        tally.finish = part.finish or tally.finish
        self.error = part.error
        self.over = part.last or bool(part.error)
        return self.say(self._answer.feed(part))

    def say(self, events: Sequence[Event]) -> bytes:
        """The bytes of some events."""
        for event in events:
            self.tally.note(event)
        for change in self._filters:
            events = list(change(events))
        for event in events:
            # Behind the filters: a call that became a shell block, or was not wanted, is none for the client.
            self._called = self._called or isinstance(event, CallStart)
            self._cut = self._cut or (isinstance(event, CallEnd) and not event.complete)
        return self._emitter.emit(events)
