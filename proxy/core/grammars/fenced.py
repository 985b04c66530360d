"""Calls inside a code fence. A fence counts only if it ends the answer: a fence and then prose is an example.

So nothing is said before the end of the answer is there.
"""

import re
from dataclasses import dataclass
from typing import Final

from proxy.core import noise
from proxy.core.calls import attempt, held
from proxy.core.cursor import Cursor, Cut, Malformed, Parse, Said, collect
from proxy.core.events import Text
from proxy.core.grammar import Openings
from proxy.core.grammars.python_calls import statements
from proxy.core.layout import look
from proxy.core.offer import Offer
from proxy.core.tools import Tools
from proxy.core.words import Words, words

_FENCES: Final = ("```", "~~~")
_SPAN: Final = "`"
_INFO_END: Final = re.compile(r"[\n{\[<]")
_RESULTS: Final = Words(noise.RESULTS)
_TURN_ENDS: Final = Words(noise.TURN_ENDS + noise.MESSAGE_ENDS)
_FENCE_WORDS: Final = Words(_FENCES)


@dataclass(frozen=True, slots=True)
class Fenced:
    """A fence in one of some languages, around calls in any dialect or, `python`, around Python."""

    languages: tuple[str, ...]
    python: bool = False
    span: bool = False
    """also an answer that is one span of inline code"""

    marked = False
    closers = ()

    def openings(self, tools: Tools) -> Openings:
        return Openings(line=_FENCES, start=(_SPAN,) if self.span else ())

    def parse(self, cursor: Cursor, offer: Offer, opening: str) -> Parse[None]:
        said: list[Said] = []
        try:
            yield from self._one(cursor, offer, opening, said)
            while not (yield from self._is_last(cursor)):
                yield from self._further(cursor, offer, said)
        except Cut:
            # Cut off inside the fence, so it ends the answer.
            yield from said
            raise
        yield from said

    def _further(self, cursor: Cursor, offer: Offer, said: list[Said]) -> Parse[None]:
        """Read a fence behind the first: another call, or code that is text."""
        fence = yield from cursor.peek_any(_FENCE_WORDS)
        if not fence:
            raise Malformed("text behind a fence")
        mark = cursor.mark()
        cursor.take(len(fence))
        try:
            yield from self._one(cursor, offer, fence, said)
            cursor.release(mark)
        except Malformed:
            cursor.rewind(mark)
            text, _ = yield from collect(_text_until(cursor, "\n" + fence), cursor)
            if text.strip() not in _FENCES:
                said.append(Text("\n" + text))

    def _one(self, cursor: Cursor, offer: Offer, fence: str, said: list[Said]) -> Parse[None]:
        """Read one fence whose first word is consumed."""
        if fence != _SPAN:
            info = yield from cursor.take_while(_INFO_END)
            language, *_ = info.strip(" `~\r").lower().split() or [""]
            if cursor.at_end or language not in self.languages:
                raise Malformed(info)
        found = yield from held(self._calls(cursor, offer), said)
        if not found:
            raise Malformed("no call in the fence")
        yield from look(cursor)
        while (yield from cursor.peek()) == fence[0]:
            cursor.take(1)

    def _calls(self, cursor: Cursor, offer: Offer) -> Parse[bool]:
        if self.python:
            taken = yield from attempt(cursor, statements(cursor, offer))
            if taken is not None:
                return taken.result
        return (yield from offer.blocks())

    def _is_last(self, cursor: Cursor) -> Parse[bool]:
        """Does the answer end here, but for what the template or a dreaming model puts there?"""
        yield from cursor.space()
        while (yield from cursor.accept_any(_TURN_ENDS)):
            yield from cursor.space()
        if cursor.closed and cursor.rest.strip() in {*_FENCES, "</tool_call>"}:
            yield from cursor.drop()  # a closing word too many
        return cursor.at_end or bool((yield from cursor.peek_any(_RESULTS)))


def _text_until(cursor: Cursor, end: str) -> Parse[None]:
    """Say text up to and with `end`, as it is."""
    word = yield from cursor.until(words(end), str)
    if word:
        yield cursor.take(len(word))
