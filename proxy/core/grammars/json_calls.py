"""Calls as JSON: an object that names its tool, a list of them, or something wrapped around them.

    <tool_call>{"name": "find_ferry", "arguments": {"to": "Coll"}}</tool_call>
    [TOOL_CALLS] [{"name": "find_ferry", "arguments": {"to": "Coll"}}]
    {"tool_calls": [{"function": {"name": "find_ferry", "arguments": {"to": "Coll"}}}]}
    {"find_ferry": {"to": "Coll"}}

Which keys mean what is the vocabulary of the dialects on offer (`Keys`). Without words around it (`open=()`) JSON
counts only at the start of a line and only if it fits the tool (`calls.call`).
"""

import re
from dataclasses import dataclass
from typing import Final

from proxy.core.cursor import Cursor, Malformed, Parse
from proxy.core.events import Repair
from proxy.core.grammar import Openings
from proxy.core.grammars.call_objects import CallObject, calls_in, further_calls, strays
from proxy.core.grammars.fences import closed_fence, opened_fence
from proxy.core.layout import look
from proxy.core.offer import Offer
from proxy.core.tools import Tools

_TAG_END: Final = re.compile(r"[>\n]")
_BRACELESS: Final = ('"name"',)
"""An object whose brace went with a fence or a token begins with its first key."""


@dataclass(frozen=True, slots=True)
class JsonCalls:
    """Call-shaped JSON behind `open`."""

    open: tuple[str, ...] = ()
    close: tuple[str, ...] = ()
    at_line_start: bool = False
    """the opening word is ordinary enough to count only at the start of a line"""

    vouches: bool = True
    """the opening word is enough to believe in a call"""

    @property
    def marked(self) -> bool:
        return bool(self.open) and self.vouches

    @property
    def closers(self) -> tuple[str, ...]:
        return self.close

    def openings(self, tools: Tools) -> Openings:
        if not self.open:
            return Openings(line=("{", "["), start=_BRACELESS)
        return Openings(line=self.open) if self.at_line_start else Openings(anywhere=self.open)

    def parse(self, cursor: Cursor, offer: Offer, opening: str) -> Parse[None]:
        fenced = False
        if not self.open:
            first = opening
        else:
            if opening.endswith(" "):
                yield from cursor.take_while(_TAG_END)  # attributes, which say nothing
                yield from cursor.expect(">")
            yield from self._again(cursor)
            fenced = yield from opened_fence(cursor)
            first = yield from look(cursor)
            if not first or first not in "{[":
                raise Malformed(first)
            cursor.take(1)
        if first in _BRACELESS:
            yield Repair("missing-bracket", first, "{" + first)
            yield from CallObject(cursor, offer, marked=False, depth=0).parse(first.strip('"'))
        else:
            yield from calls_in(cursor, offer, first, marked=self.marked)
        yield from further_calls(cursor, offer, marked=self.marked)
        yield from strays(cursor)
        if fenced:
            yield from closed_fence(cursor)

    def _again(self, cursor: Cursor) -> Parse[None]:
        """Consume opening words that the model wrote twice."""
        yield from cursor.space()
        for word in self.open:
            if (yield from cursor.accept(word)):
                yield Repair("doubled-opening", word, "")
                yield from cursor.space()
