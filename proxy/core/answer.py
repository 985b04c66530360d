"""One answer of a model server: its parts in, events out.

A part may bring text, thinking, structured calls, or several of these. Text is read by a normalizer. So is thinking, by
one of its own: a call inside thinking counts only if nothing comes behind it, like in any reasoning that was never
closed. A structured call ends both. White space before a call, or alone behind one, is nothing that was said.
"""

from collections.abc import Iterable, Sequence
from itertools import chain

from proxy.core.dialect import Dialect
from proxy.core.events import CallStart, Event, Reasoning, Repair, Text
from proxy.core.normalizer import Normalizer
from proxy.core.reader import END_OF_THINKING, Begins
from proxy.core.structured import StructuredCall
from proxy.core.tools import Tools
from proxy.core.wire.parts import CallPart, Part


class Answer:
    """Turns the parts of one answer into events."""

    def __init__(self, tools: Tools, dialects: Sequence[Dialect], begins: Begins = Begins.ANSWER) -> None:
        self._tools = tools
        self._dialects = tuple(dialects)
        self._text = Normalizer(tools, self._dialects, begins)
        self._thinking: Normalizer | None = None
        self._call: StructuredCall | None = None
        self._waiting: list[CallPart] = []
        """pieces of later calls, while one is not whole"""
        self._has_called = False
        self._own_repairs: list[Repair] = []
        self._older = list[Normalizer]()

    @property
    def repairs(self) -> list[Repair]:
        """What was mended so far."""
        readers = [*self._older, self._text, *([self._thinking] if self._thinking else [])]
        return [*self._own_repairs, *chain.from_iterable(reader.repairs for reader in readers)]

    def passes(self, text: str) -> bool:
        """Is `text`, as the next piece of content, simply text?"""
        return self._thinking is None and self._call is None and self._text.passes(text)

    def feed(self, part: Part) -> list[Event]:
        """The events that a part makes certain."""
        if not part.thinking and not part.calls and self._thinking is None and self._call is None:
            return self._text.feed(part.content)
        events: list[Event] = []
        if part.thinking:
            events += self._thought(part.thinking)
        if part.content:
            events += self._spoke(part.content)
        for call in part.calls:
            events += self._called(call)
        return events

    def finish(self, reason: str) -> list[Event]:
        """The events that the end makes certain."""
        events: list[Event] = []
        events += self._called_over(cut=reason == "length")
        thinking, self._thinking = self._thinking, None
        if thinking:
            self._older.append(thinking)
            events += thinking.finish(reason)
        said = self._text.finish(reason)
        called = self._has_called or any(isinstance(event, CallStart) for event in events)
        return events if called and _is_blank(said) else events + said

    def interrupted(self) -> list[Event]:
        """What was held back, when a call is known that comes behind it."""
        return [*self._thought_over(), *self._text_over(), *self._called_over()]

    def _spoke(self, text: str) -> list[Event]:
        if text.strip():
            return [*self._thought_over(), *self._called_over(), *self._text.feed(text)]
        if self._call and not self._call.whole:
            return []  # white space beside a piece of a call does not end it
        return [*self._called_over(), *self._text.feed(text)]

    # ---- thinking

    def _thought(self, text: str) -> list[Event]:
        if self._thinking is None:
            self._thinking = Normalizer(self._tools, self._dialects, Begins.THINKING)
        said = self._thinking.feed(text)
        return said if self._tools else [Reasoning(text)]

    def _thought_over(self) -> list[Event]:
        """Something comes behind the thinking, so whatever looks like a call in it is quoted."""
        thinking, self._thinking = self._thinking, None
        if thinking is None or not self._tools:
            return []
        self._older.append(thinking)
        return thinking.feed(END_OF_THINKING) + thinking.finish("stop")

    # ---- structured calls

    def _called(self, part: CallPart) -> list[Event]:
        call = self._call
        if call and self._goes_on(call, part):
            events = list(call.feed(part))
            return events + self._next_call(cut=False) if call.whole and self._waiting else events
        if call and not call.whole and call.part.index != part.index:
            self._waiting.append(part)  # calls go out one after another, however their pieces come
            return []
        events = self.interrupted()
        self._has_called = True
        self._call = StructuredCall(self._tools.find(part.name), part, self._own_repairs)
        events += self._call.feed(part)
        return events + self._called_over() if part.whole else events

    @staticmethod
    def _goes_on(call: StructuredCall, part: CallPart) -> bool:
        """Is this a later piece of the call? Some servers repeat its name and id; some give all calls the index 0."""
        first = call.part
        if part.index != first.index or part.name not in {"", first.name} or part.id not in {"", first.id}:
            return False
        return not (part.name and call.whole and part.arguments)

    def _called_over(self, *, cut: bool = False) -> list[Event]:
        events: list[Event] = []
        while self._call:
            events += self._next_call(cut=cut and not self._waiting)
        return events

    def _next_call(self, *, cut: bool) -> list[Event]:
        """End a call, and go on with those that wait."""
        call, self._call = self._call, None
        waiting, self._waiting = self._waiting, []
        events = list(call.end(cut=cut)) if call else []
        for part in waiting:
            events += self._called(part)
        return events

    def _text_over(self) -> list[Event]:
        """A call comes behind the text."""
        said = self._text.finish("stop")
        self._older.append(self._text)
        self._text = Normalizer(self._tools, self._dialects)
        return [] if _is_blank(said) else said


def _is_blank(events: Iterable[Event]) -> bool:
    return all(isinstance(event, Text) and not event.text.strip() for event in events)
