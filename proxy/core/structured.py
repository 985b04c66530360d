"""A call that the model server has already parsed, made strict.

Its server may have misspelled the name, left arguments as a string, typed them by guess, or repeat the id of another
call. The arguments go through the same writer as those of a text: whole objects and pieces of text alike.
"""

from collections.abc import Iterator

from proxy.core.arguments import Arguments
from proxy.core.calls import arguments
from proxy.core.cursor import Cursor, Cut, Malformed, Parse
from proxy.core.events import ArgsDelta, CallEnd, CallStart, Event, Repair
from proxy.core.scalars import dumped
from proxy.core.tools import Tool
from proxy.core.wire.parts import CallPart

DIALECT = "structured"
"""The name under which such calls are counted."""


class StructuredCall:
    """One call under way."""

    def __init__(self, tool: Tool, part: CallPart, repairs: list[Repair]) -> None:
        self._tool = tool
        self._repairs = repairs
        self._id = part.id
        self.index = part.index
        self._cursor = Cursor()
        self._parse: Parse[None] = arguments(self._cursor, tool, Arguments())
        self._written = False
        self._refused = False
        if part.name != tool.name:
            repairs.append(Repair("tool-name", part.name, tool.name))

    def start(self) -> Event:
        """The call is announced at once: its server vouches for it."""
        return CallStart(self._tool.name, DIALECT, self._id)

    def feed(self, part: CallPart) -> Iterator[Event]:
        """The events of another piece of the arguments."""
        text = part.arguments if isinstance(part.arguments, str) else dumped(part.arguments)
        if text:
            self._written = True
            self._cursor.feed(text)
            yield from self._advance()

    def end(self, *, cut: bool) -> Iterator[Event]:
        """The call is over; `cut`: something else than the model ended it."""
        if not self._written and not cut:
            self._cursor.feed("{}")
        self._cursor.close(cut=cut)
        yield from self._advance()
        yield CallEnd(complete=not self._refused)

    def _advance(self) -> Iterator[Event]:
        pieces = []
        try:
            for item in self._parse:
                if item is None:
                    break
                if isinstance(item, Repair):
                    self._repairs.append(item)
                elif isinstance(item, str):
                    pieces.append(item)
        except (Cut, Malformed):
            self._refused = True
        if text := "".join(pieces):
            yield ArgsDelta(text)
