"""A header that names the tool, then its arguments as JSON.

    [TOOL_CALLS]find_ferry[ARGS]{"to": "Coll"}
    <|tool_call_begin|>functions.find_ferry:0<|tool_call_argument_begin|>{"to": "Coll"}<|tool_call_end|>
    <function=find_ferry>{"to": "Coll"}</function>

The header is a few words between `separators`; one of them is the tool's name, the others are an id or a type.
"""

import re
from dataclasses import dataclass
from typing import Final

from proxy.core.arguments import Arguments
from proxy.core.calls import arguments, attempt, call, call_of_nothing, ending_a_line, fitting_whole, plain_text_until
from proxy.core.cursor import Cursor, Cut, Malformed, Parse
from proxy.core.events import Repair
from proxy.core.grammar import Openings
from proxy.core.grammars.call_objects import calls_at, strays
from proxy.core.grammars.fences import closed_fence, opened_fence
from proxy.core.layout import look
from proxy.core.offer import Offer
from proxy.core.tools import Tool, Tools
from proxy.core.words import words

_NAME_END: Final = re.compile(r"[^\w.:\-/ ]")


@dataclass(frozen=True, slots=True)
class NamedJson:
    """A header, then JSON."""

    open: tuple[str, ...]
    separators: tuple[str, ...] = ()
    close: tuple[str, ...] = ()
    stripped: tuple[str, ...] = ()
    """what is left of the opening at the start of a line when a server has eaten the special token"""
    body: tuple[str, ...] = ()
    """behind these separators stands nothing but arguments, perhaps as plain text for a tool that asks for a string"""

    marked = True

    @property
    def closers(self) -> tuple[str, ...]:
        return self.close

    def openings(self, tools: Tools) -> Openings:
        return Openings(anywhere=self.open, line=self.stripped)

    def parse(self, cursor: Cursor, offer: Offer, opening: str) -> Parse[None]:
        tool, id_ = yield from self._header(cursor, offer, opening)
        state = Arguments()
        if self.body and (yield from cursor.peek_any(words(*self.close))):
            yield from call_of_nothing(tool)
            return
        if self.body and (yield from look(cursor)) != "{":
            body = plain_text_until(cursor, tool, state, self.close)
        else:
            body = arguments(cursor, tool, state)
        # What is left of an opening does not vouch for a call.
        yield from call(cursor, tool, body, state, marked=opening not in self.stripped, call_id=id_)
        yield from strays(cursor)
        yield from closed_fence(cursor)

    def _header(self, cursor: Cursor, offer: Offer, opening: str) -> Parse[tuple[Tool, str]]:
        """Read up to the arguments; the tool that a word names, and the word that is an id."""
        header_words = words(*self.separators, *self.body, *self.open)
        named: list[str] = []
        tool: Tool | None = None
        separated = opening not in self.stripped
        while True:
            word = (yield from cursor.take_while(_NAME_END)).strip()
            if cursor.at_end:
                raise _ending(cursor, offer, tool, word)
            if word:
                named.append(word)
                tool = tool or offer.tools.find(word)
            yield from cursor.space()
            separator = yield from cursor.accept_any(header_words)
            if separator in self.open and named:
                raise Malformed(separator)  # another block: the first was only talked about
            if separator:
                separated = True
                if separator not in self.body:
                    continue
            elif word and tool and len(named) > 1 and offer.tools.find(word) is not tool:
                raise Malformed(word)  # prose behind the name
            if (yield from opened_fence(cursor)):
                separated = True
            break
        char = yield from look(cursor)
        if not (separated or opening.endswith(".")) or (char != "{" and not self.body):
            raise Malformed(char)
        if tool is None:
            tool = _only(offer, named)
        return tool, next((word for word in named if word != tool.name and ":" in word), "")


def _ending(cursor: Cursor, offer: Offer, tool: Tool | None, word: str) -> Cut | Malformed:
    """The text ended inside a header: a call that was cut off, or a header that was only talked about?"""
    if tool is None and offer.tools.find(word) is None and offer.tools.begins(word):
        return Cut()
    whole = tool or offer.tools.find(word)
    return Cut() if whole and cursor.cut else Malformed(word)


def _only(offer: Offer, named: list[str]) -> Tool:
    """Kimi K2 sometimes writes a counter where the name should be: with one tool on offer it can only be that."""
    if len(offer.tools.all) == 1 and named and all(word.isdigit() for word in named):
        return next(iter(offer.tools.all.values()))
    raise Malformed(" ".join(named))


@dataclass(frozen=True, slots=True)
class NameLine:
    """A tool's name at the start of a line, then its arguments, with nothing to vouch for it.

    find_ferry
    {"to": "Coll"}
    """

    marks: tuple[str, ...] = ("`", ":", "[ARGS]", "<｜tool▁sep｜>", "<|tool_call_argument_begin|>", "(")
    """what may stand between name and arguments, in this order"""

    marked = False
    closers = ()

    def openings(self, tools: Tools) -> Openings:
        return Openings(line=tuple(tools.all))

    def parse(self, cursor: Cursor, offer: Offer, opening: str) -> Parse[None]:
        tool = offer.tools.find(opening)
        if tool is None:
            raise Malformed(opening)
        yield from ending_a_line(cursor, self._call(cursor, offer, tool))
        yield Repair("name-line", opening, tool.name)

    def _call(self, cursor: Cursor, offer: Offer, tool: Tool) -> Parse[None]:
        for mark in self.marks:
            yield from cursor.accept(mark)
        yield from opened_fence(cursor)
        if (yield from look(cursor)) != "{":
            raise Malformed(tool.name)
        # The object may be a call in itself, which the name only announces.
        if not (yield from attempt(cursor, calls_at(cursor, offer, marked=False))):
            state = Arguments()
            named = call(cursor, tool, arguments(cursor, tool, state), state, marked=False)
            yield from fitting_whole(cursor, named, tool, state)
        yield from cursor.accept(")")
        yield from closed_fence(cursor)
