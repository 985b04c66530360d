"""What the core looks like from outside: text of one answer in, events out, at any cut.

    normalizer = Normalizer(Tools.of(request["tools"]), dialects)
    for delta in stream:
        events = normalizer.feed(delta)
    events = normalizer.finish("stop")

The work is done by a `Reader`, resumed whenever there is text; most deltas do not even wake it (`Cursor.run`).
"""

from collections.abc import Iterable
from typing import Final

from proxy.core.cursor import Cursor, Parse
from proxy.core.dialect import Dialect
from proxy.core.events import ArgsDelta, Event, Repair, Text
from proxy.core.reader import Begins, Reader
from proxy.core.tools import Tools
from proxy.core.words import Words

MAX_REPAIRS: Final = 100
"""How many repairs of one answer are kept: enough to see what a model does."""


class Normalizer:
    """Turns one answer into events."""

    def __init__(self, tools: Tools, dialects: Iterable[Dialect], begins: Begins = Begins.ANSWER) -> None:
        self.repairs: list[Repair] = []
        self._cursor = Cursor()
        self._parse = Reader(self._cursor, tools, tuple(dialects)).answer(begins) if tools else self._verbatim()
        next(self._parse)  # up to its first need of data

    def feed(self, text: str) -> list[Event]:
        """The events that `text` makes certain."""
        run = self._cursor.run
        if run is not None and run[0](text) is None:
            return [run[1](text)] if text else []  # type: ignore[list-item]  # a run makes events
        self._cursor.feed(text)
        return self._advance()

    def passes(self, text: str) -> bool:
        """Would `text`, fed now, be one `Text` and nothing else?"""
        run = self._cursor.run
        return run is not None and run[1] is Text and run[0](text) is None

    def finish(self, reason: str = "stop") -> list[Event]:
        """The events that the end makes certain; `reason` as in OpenAI's `finish_reason`."""
        self._cursor.close(cut=reason == "length")
        return self._advance()

    def _advance(self) -> list[Event]:
        events: list[Event] = []
        pieces: list[str] = []
        for item in self._parse:
            if item is None:
                break
            if isinstance(item, str):
                pieces.append(item)
                continue
            if isinstance(item, Repair):
                self._note(item)
                continue
            if pieces:
                events.append(ArgsDelta("".join(pieces)))
                pieces.clear()
            events.append(item)
        if any(pieces):
            events.append(ArgsDelta("".join(pieces)))
        return events

    def _note(self, repair: Repair) -> None:
        """Keep a repair once: a string with a thousand raw newlines has one ailment."""
        if len(self.repairs) < MAX_REPAIRS and repair not in self.repairs:
            self.repairs.append(repair)

    def _verbatim(self) -> Parse[None]:
        """No tools on offer: nothing is read into the text."""
        yield from self._cursor.until(Words(()), Text)
