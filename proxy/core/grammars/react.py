"""Calls as labelled lines: ReAct's `Action:` and `Action Input:`.

    Action: find_ferry
    Action Input: {"to": "Coll"}

The action may be a call in itself (`Action: find_ferry(to="Coll")`), or JSON, fenced or not (Command-R, LangChain).
The input may be JSON, fenced or not, or a plain string for a tool that asks for one.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from proxy.core.arguments import Arguments
from proxy.core.calls import arguments, call, call_of_nothing, ending_a_line, plain_text_until
from proxy.core.cursor import Cursor, Cut, Malformed, Parse
from proxy.core.grammar import Openings
from proxy.core.grammars.call_objects import calls_in, further_calls
from proxy.core.grammars.fences import closed_fence, opened_fence
from proxy.core.grammars.python_calls import python_call
from proxy.core.layout import look
from proxy.core.offer import Offer
from proxy.core.strings import QUOTES
from proxy.core.tools import Tool, Tools
from proxy.core.words import Words

_NAME_END: Final = re.compile(r"[^\w.\-/:]")
_ORNAMENTS_END: Final = re.compile(r"[^`*\"']")
_NOTHING: Final = Words(("none", "null", "n/a"))
_TEXT_ENDS: Final = ("\nobservation", "\nthought", "\naction", "\nfinal answer", "\n\n", "```")


@dataclass(frozen=True)
class LabelledCall:
    """A line that names the action, a line that gives its input."""

    action: tuple[str, ...]
    input: tuple[str, ...]
    needs_input: bool = False
    """the labels are ordinary words: without an input it is no call"""

    closers = ()

    @property
    def marked(self) -> bool:
        return not self.needs_input

    def openings(self, tools: Tools) -> Openings:
        return Openings(line=self.action)

    @cached_property
    def _inputs(self) -> Words:
        return Words(self.input)

    def parse(self, cursor: Cursor, offer: Offer, opening: str) -> Parse[None]:
        fenced = yield from opened_fence(cursor)
        char = yield from look(cursor)
        if char in {"{", "["}:
            cursor.take(1)
            yield from calls_in(cursor, offer, char, marked=True)
            yield from further_calls(cursor, offer, marked=True)
            if fenced:
                yield from closed_fence(cursor)
            return
        tool = yield from self._tool(cursor, offer)
        if tool is not None:
            yield from self._with_input(cursor, tool)

    def _tool(self, cursor: Cursor, offer: Offer) -> Parse[Tool | None]:
        """The tool that is named; None if its call was there, too, and is said."""
        yield from cursor.take_while(_ORNAMENTS_END)
        mark = cursor.mark()
        name = yield from cursor.take_while(_NAME_END)
        if (yield from cursor.peek()) == "(" and (yield from cursor.peek(2)) != "()":
            cursor.rewind(mark)
            yield from ending_a_line(cursor, python_call(cursor, offer, marked=True, positional=True))
            return None
        cursor.release(mark)
        yield from cursor.accept("()")
        tool = offer.tools.find(name)
        if tool is None:
            raise Cut if cursor.at_end and offer.tools.begins(name) else Malformed(name)
        return tool

    def _with_input(self, cursor: Cursor, tool: Tool) -> Parse[None]:
        yield from cursor.take_while(_ORNAMENTS_END)
        gap = yield from cursor.space()
        if (yield from cursor.accept_any(self._inputs)):
            fenced = yield from opened_fence(cursor)
            yield from self._input(cursor, tool)
            if fenced:
                yield from closed_fence(cursor)
        elif cursor.char == "{" and "\n" not in gap:
            yield from self._input(cursor, tool)
        elif cursor.closed and (self._inputs.are_begun_by(cursor.rest) or (cursor.at_end and cursor.cut)):
            raise Cut
        elif self.needs_input or not ("\n" in gap or cursor.at_end):
            raise Malformed(tool.name)
        else:
            # An action without an input is a call if the line ends here and the tool asks for nothing.
            yield from call_of_nothing(tool)

    def _input(self, cursor: Cursor, tool: Tool) -> Parse[None]:
        char = yield from look(cursor)
        if not tool.schema.required and (cursor.at_end or (yield from cursor.accept_any(_NOTHING))):
            yield from call_of_nothing(tool)
            return
        if self.needs_input and char != "{":
            raise Malformed(tool.name)
        state = Arguments()
        if char in {"{", "[", *QUOTES} or not tool.schema.only_string:
            body = arguments(cursor, tool, state)
        else:
            body = plain_text_until(cursor, tool, state, _TEXT_ENDS)
        yield from call(cursor, tool, body, state, marked=True)
