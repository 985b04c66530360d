"""One answer of a model server: its parts in, events out.

A part may bring text, thinking, structured calls, or several of these. Text is read by a normalizer. So is thinking, by
one of its own: a call inside thinking counts only if nothing comes behind it, like in any reasoning that was never
closed. A structured call ends both.
"""

from collections.abc import Iterable, Sequence
from itertools import chain

from proxy.core.dialect import Dialect
from proxy.core.events import Event, Reasoning, Repair, Text
from proxy.core.normalizer import Normalizer
from proxy.core.reader import Begins
from proxy.core.scalars import dumped
from proxy.core.structured import StructuredCall
from proxy.core.tools import Tools
from proxy.core.wire.parts import CallPart, Part

_END_OF_THINKING = "</think>"


class Answer:
    """Turns the parts of one answer into events."""

    def __init__(self, tools: Tools, dialects: Sequence[Dialect], begins: Begins = Begins.ANSWER) -> None:
        self._tools = tools
        self._dialects = tuple(dialects)
        self._text = Normalizer(tools, self._dialects, begins)
        self._thinking: Normalizer | None = None
        self._call: StructuredCall | None = None
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
            if part.content.strip():
                events += self._thought_over()
            events += self._called_over()
            events += self._text.feed(part.content)
        for call in part.calls:
            events += self._called(call)
        return events

    def finish(self, reason: str) -> list[Event]:
        """The events that the end makes certain."""
        events: list[Event] = []
        cut = reason == "length"
        if self._call:
            events += self._call.end(cut=cut)
            self._call = None
        thinking, self._thinking = self._thinking, None
        if thinking:
            self._older.append(thinking)
            events += thinking.finish(reason)
        return events + self._text.finish(reason)

    # ---- thinking

    def _thought(self, text: str) -> list[Event]:
        if self._thinking is None:
            self._thinking = Normalizer(self._tools, self._dialects, Begins.REASONING)
        said = self._thinking.feed(text)
        return said if self._tools else [Reasoning(text)]

    def _thought_over(self) -> list[Event]:
        """Something comes behind the thinking, so whatever looks like a call in it is quoted."""
        thinking, self._thinking = self._thinking, None
        if thinking is None or not self._tools:
            return []
        self._older.append(thinking)
        return thinking.feed(_END_OF_THINKING) + thinking.finish("stop")

    # ---- structured calls

    def _called(self, part: CallPart) -> Iterable[Event]:
        if self._call and self._call.index == part.index and not part.name:
            return list(self._call.feed(part))
        events = [*self._thought_over(), *self._text_over(), *self._called_over()]
        tool = self._tools.find(part.name)
        if tool is None:
            # Clients refuse calls to tools that they did not offer, and text is never dropped.
            self._own_repairs.append(Repair("unknown-tool", part.name, ""))
            return [*events, Text(dumped({"name": part.name, "arguments": part.arguments}))]
        self._call = StructuredCall(tool, part, self._own_repairs)
        return [*events, self._call.start(), *self._call.feed(part)]

    def _called_over(self) -> list[Event]:
        call, self._call = self._call, None
        return list(call.end(cut=False)) if call else []

    def _text_over(self) -> list[Event]:
        """A call comes behind the text; white space before it is nothing that was said."""
        said = self._text.finish("stop")
        self._older.append(self._text)
        self._text = Normalizer(self._tools, self._dialects)
        return [] if all(isinstance(event, Text) and not event.text.strip() for event in said) else said
