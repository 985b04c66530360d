"""A call that the model server has already parsed, made strict.

Its server may have misspelled the name, left arguments as a string, typed them by guess, or repeat the id of another
call. The arguments go through the same writer as those of a text: whole objects and pieces of text alike.

Like any call it is announced with the first piece of its arguments. One that cannot be a call at all (the tool is not
on offer, or no object can be made of the arguments) is said as text: clients refuse it, and text is never dropped.
"""

from collections.abc import Iterator

from proxy.core.arguments import Arguments
from proxy.core.calls import arguments
from proxy.core.cursor import Cursor, Cut, Malformed, Parse
from proxy.core.events import ArgsDelta, CallEnd, CallStart, Event, Repair, Text
from proxy.core.scalars import dumped, loaded
from proxy.core.tools import Tool
from proxy.core.wire.parts import CallPart

DIALECT = "structured"
"""The name under which such calls are counted."""


class StructuredCall:
    """One call under way; without a tool it is text."""

    def __init__(self, tool: Tool | None, part: CallPart, repairs: list[Repair]) -> None:
        self.part = part
        """the first piece of it"""
        self.whole = False
        """is nothing of it missing?"""
        self._repairs = repairs
        self._cursor = Cursor()
        self._parse: Parse[None] | None = arguments(self._cursor, tool, Arguments()) if tool else None
        self._start = CallStart(tool.name, DIALECT, part.id) if tool else None
        self._announced = self._cut = False
        self._written: list[str] = []
        if tool is None:
            repairs.append(Repair("unknown-tool", part.name, ""))
        elif part.name != tool.name:
            repairs.append(Repair("tool-name", part.name, tool.name))

    def feed(self, part: CallPart) -> Iterator[Event]:
        """The events of another piece of the arguments."""
        text = part.arguments if isinstance(part.arguments, str) else dumped(part.arguments)
        if text:
            self._written.append(text)
            self._cursor.feed(text)
            yield from self._advance()

    def end(self, *, cut: bool) -> Iterator[Event]:
        """The call is over; `cut`: something else than the model ended it."""
        if not self._written and not cut:
            yield from self.feed(CallPart(self.part.index, arguments={}))
        self._cursor.close(cut=cut)
        yield from self._advance()
        if self._announced or self._cut:
            yield from self._announce()
            yield CallEnd(complete=not self._cut)
        else:
            yield Text(dumped({"name": self.part.name, "arguments": _value("".join(self._written))}))

    def _announce(self) -> Iterator[Event]:
        if self._start and not self._announced:
            self._announced = True
            yield self._start

    def _advance(self) -> Iterator[Event]:
        pieces = []
        try:
            for item in self._parse or ():
                if item is None:
                    break
                if isinstance(item, Repair):
                    self._repairs.append(item)
                elif isinstance(item, str):
                    pieces.append(item)
            else:
                self.whole = self._parse is not None
        except Cut:
            self._cut = True
        except Malformed:
            self._cut = self._announced or bool(pieces)
        if text := "".join(pieces):
            yield from self._announce()
            yield ArgsDelta(text)


def _value(written: str) -> object:
    """The arguments as they were meant, if they are JSON."""
    try:
        return loaded(written)
    except ValueError:
        return written
