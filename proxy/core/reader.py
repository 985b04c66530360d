"""The reader of one answer: which block may begin here, who reads it, and what waits for the end.

    say text until a word that may open a block
    let the grammars that own this word try, in order
    if none takes it, the word was only text

Three things are decided later than they are read, and until then nothing of them is said:

1. A code fence counts only if it ends the answer: a fence and then prose is an example.
2. A call inside reasoning counts only if the reasoning is never closed: inside closed reasoning it is quoted.
3. Where the template may have opened the reasoning in the prompt (`Begins.UNKNOWN`), everything before a closing
   tag without an opening one is reasoning.
"""

import re
from collections.abc import Sequence
from enum import Enum, auto
from typing import Final

from proxy.core import noise
from proxy.core.calls import Taken, attempt, held
from proxy.core.cursor import Cursor, Cut, Malformed, Parse, Said, Unsaid
from proxy.core.dialect import Dialect
from proxy.core.events import CallStart, Reasoning, Repair, Text
from proxy.core.grammar import Section
from proxy.core.lexicon import FENCES, NEWLINE, SPAN, STRIKE, Owner, Place, lexicon
from proxy.core.offer import Offer
from proxy.core.tools import Tools
from proxy.core.words import Words, words

MAX_WASTE: Final = 1 << 16
"""How much may be read in vain, beyond a few times the length of the answer, before blocks are no longer tried:
text that is made of nothing but beginnings must not cost more than its length."""

_MANY: Final = 1000
"""How many words of noise may stand in a row: more than any template leaks."""
_MAX_WRAPPING: Final = 3
"""How many opening words of other dialects may stand before a call."""

_MAX_INDENT: Final = 3
"""Text indented by four or more is a code block in Markdown: unmarked JSON in it is an example."""

_END_OF_STRIKE: Final = "</s>"
_BLANK_LINE: Final = "\n\n"
_QUOTE: Final = '"'
_BRACKETS: Final = {"{": 1, "[": 1, "}": -1, "]": -1}

_FRAGMENT: Final = re.compile(r"<|\{\s*(?:[\"']|$)")
"""How a call begins: behind another call, at the end of the text, such a fragment is none of the answer."""

_MENTION: Final = ("`", "'", '"', ")", " tag", " token", " and ", " or ")
"""Behind a closing tag: it is only talked about."""


END_OF_THINKING: Final = "\ufdd0</think>"
"""Ends what a server has split off. No model writes it: its first character is none."""


class Begins(Enum):
    """What the first character of an answer belongs to."""

    ANSWER = auto()
    REASONING = auto()
    """the template ends with an opening tag"""
    THINKING = auto()
    """the server has split the reasoning off: all of it is, whatever tags it speaks of, up to `END_OF_THINKING`"""
    UNKNOWN = auto()
    """found out when the text is complete: nothing is said before"""


class Reader:
    """Reads one answer from a cursor."""

    def __init__(self, cursor: Cursor, tools: Tools, dialects: Sequence[Dialect]) -> None:
        self._cursor = cursor
        self._lexicon = lexicon(tuple(dialects), tools)
        self._offer = Offer(tools, self._lexicon.roles, self._blocks)
        self._called = False
        """was there a call?"""
        self._closing: set[str] = set()
        """words that close the answer's own wrapping"""
        self._struck = False
        """was there a `<s>`?"""
        self._reasoned = False
        """was there reasoning?"""

    def answer(self, begins: Begins) -> Parse[None]:
        """Say all of the answer."""
        ends = self._lexicon.reasoning_ends
        place = Place.START
        try:
            if begins is Begins.REASONING:
                place = yield from self._reasoning(Section("reasoning", ends))
            elif begins is Begins.THINKING:
                place = yield from self._reasoning(Section("reasoning", (END_OF_THINKING,)))
            elif begins is Begins.UNKNOWN:
                if (yield from self._in_doubt(self._content(place, ends))) is None:
                    return
                yield from self._skip(self._lexicon.stray_ends, ())
                place = Place.REASONED
            yield from self._content(place, ())
        except Cut:
            # The answer ended inside a call. What was said of it stays; the rest is no text either.
            yield from self._cursor.drop()

    def _content(self, place: Place, stop: tuple[str, ...]) -> Parse[str | None]:
        """Say the answer up to one of `stop`, and return that word; None at the end."""
        cursor, behind_block, spoken, owed = self._cursor, False, False, ""
        while True:
            lead = ""
            here = self._lexicon.words(place, stop)
            if place is Place.MIDDLE:
                word = (yield from cursor.until(here, Text, self._lexicon.run(stop))) or ""
            else:
                lead = yield from cursor.space()
                word = yield from cursor.peek_any(here)
            if word == NEWLINE:
                place = Place.LINE
                continue
            if not word and cursor.at_end:
                if lead and not behind_block:
                    yield Text(lead)
                return None
            if word in stop and not (yield from self._is_mention(word)):
                if lead:
                    yield Text(lead)
                cursor.take(len(word))
                return word
            after = (yield from self._block(word, _place(place, lead), stop)) if word else None
            if after:
                place, behind_block = after, True
                owed = owed or (lead or NEWLINE if spoken else "")
                stop = () if after is Place.REASONED else stop
                continue
            # White space before a block is not said, unless nothing else parts the words around it.
            text = (lead or owed) + cursor.take(len(word))
            spoken, owed = True, ""
            if text:
                yield Text(text)
            yield from self._rest_of(word, place, stop)
            if word in self._lexicon.reasoning_begins:
                stop = ()
            place, behind_block = Place.MIDDLE, False

    def _rest_of(self, word: str, place: Place, stop: tuple[str, ...]) -> Parse[None]:
        """Say what belongs to a word that opened no block: in code and in other JSON nothing is a call."""
        if word == SPAN:
            yield from self._said_until((SPAN, NEWLINE), ())
        elif word in FENCES and place is not Place.MIDDLE:
            yield from self._said_until((NEWLINE + word,), ())
        elif word in {"{", "["}:
            yield from self._other_json(stop)
        elif word == STRIKE:
            self._struck = True

    def _said_until(self, ends: tuple[str, ...], stop: tuple[str, ...]) -> Parse[None]:
        """Say text up to one of `ends`, and that word unless it ends the line."""
        word = yield from self._cursor.until(words(*ends, *stop), Text)
        if word in ends and word != NEWLINE:
            yield Text(self._cursor.take(len(word)))

    def _other_json(self, stop: tuple[str, ...]) -> Parse[None]:
        """Say the rest of JSON that is no call, up to its last bracket, a blank line or a mark of a call."""
        cursor, depth = self._cursor, 1
        structure = self._lexicon.words(None, (*_BRACKETS, _QUOTE, _BLANK_LINE, *stop))
        while depth > 0:
            word = yield from cursor.until(structure, Text)
            if word == _QUOTE:
                yield Text(cursor.take(len(word)))
                yield from self._said_until((_QUOTE, NEWLINE), stop)
            elif word in _BRACKETS:
                yield Text(cursor.take(len(word)))
                depth += _BRACKETS[word]
            else:
                return

    def _is_mention(self, word: str) -> Parse[bool]:
        """Is a closing tag only talked about: quoted, or in the middle of a sentence?"""
        inside = self._cursor.before == " "
        behind = (yield from self._cursor.peek(len(word) + 7))[len(word) :]
        return behind.startswith(_MENTION) or (inside and behind[:1] == " " and behind[1:2].islower())

    # ---- blocks

    def _block(self, word: str, place: Place, stop: tuple[str, ...]) -> Parse[Place | None]:
        """Read what `word` opens, and return where that leaves us; None, and nothing consumed: it opens nothing."""
        cursor = self._cursor
        if cursor.wasted > MAX_WASTE + 4 * cursor.place:
            return None
        if word in noise.TURN_BEGINS and place in {Place.START, Place.REASONED}:
            cursor.take(len(word))
            return place
        if word in self._closing and (yield from attempt(cursor, self._closed(word))):
            return Place.LINE
        if word in noise.RESULTS and self._called:
            yield Repair("invented-result", word, "")
            yield from cursor.drop()
            return Place.LINE
        if word in noise.TURN_ENDS + noise.MESSAGE_ENDS:
            return Place.LINE if (yield from attempt(cursor, self._last_words())) else None
        cursor.starved = False
        owners = self._lexicon.owners(word, Place.LINE if word in FENCES else place)
        taken = (yield from self._try(owners, place)) or (yield from self._wrapping(word))
        if taken is None and self._called and cursor.starved and _FRAGMENT.match(cursor.rest):
            raise Unsaid  # behind a call, what is cut off before it can be told is one, too
        if taken is None:
            return None
        return (yield from self._entered(taken.result)) if taken.result else (yield from self._behind_call(stop))

    def _wrapping(self, word: str) -> Parse[Taken[None] | None]:
        """A word that opens calls in one dialect, directly before a call in another: models mix."""
        if word not in self._lexicon.wrappers and not self._lexicon.is_tag(word):
            return None
        return (yield from attempt(self._cursor, self._wrapped(word, 1)))

    def _wrapped(self, word: str, depth: int) -> Parse[None]:
        cursor = self._cursor
        cursor.take(len(word))
        yield from cursor.space()
        inner = yield from cursor.peek_any(self._lexicon.words(Place.LINE, ()))
        owners = self._lexicon.owners(inner, Place.LINE)
        taken = yield from self._try(owners, Place.LINE)
        if taken is None and self._lexicon.is_tag(inner) and depth < _MAX_WRAPPING:
            yield from self._wrapped(inner, depth + 1)
        elif taken is None or taken.result:
            raise Malformed(word)

    def _closed(self, word: str) -> Parse[None]:
        """Consume the end of the answer's wrapping, if what can follow it follows: else it is only talked about."""
        cursor = self._cursor
        cursor.take(len(word))
        mark = cursor.mark()
        yield from cursor.space()
        if not cursor.at_end and not (yield from cursor.peek_any(self._lexicon.words(Place.LINE, ()))):
            raise Malformed(word)
        cursor.rewind(mark)

    def _entered(self, section: Section) -> Parse[Place]:
        if section.kind == "answer":
            if section.quoted:
                yield from self._cursor.until(words(*section.close), Text)
            self._closing.update(section.close)
            return Place.LINE
        place = yield from self._reasoning(section)
        yield from self._skip(self._lexicon.stray_ends, ())
        return place

    def _behind_call(self, stop: tuple[str, ...] = ()) -> Parse[Place]:
        """Consume the closing words that are left behind a call, but none of `stop`."""
        self._called = True
        yield from self._skip(self._lexicon.closers, stop)
        rest = self._cursor.rest.strip()
        if self._cursor.closed and len(rest) > 1 and self._lexicon.left_behind.are_begun_by(rest):
            yield from self._cursor.drop()  # a closing word, or an invented result, that was cut off
        return Place.LINE

    def _skip(self, noise_words: Words, stop: tuple[str, ...], *, most: int = _MANY) -> Parse[None]:
        """Consume words that mean nothing here, and the white space before them."""
        for _ in range(most):
            self._cursor.mark()
            yield from self._cursor.space()
            word = yield from self._cursor.accept_any(noise_words)
            if not word or word in stop:
                self._cursor.rewind()
                return
            self._cursor.release()

    def _last_words(self) -> Parse[None]:
        """Consume end-of-turn tokens at the end of the answer."""
        ends = self._lexicon.all_ends if self._closing else self._lexicon.turn_ends
        while (word := (yield from self._cursor.accept_any(ends))) and not (self._struck and word == _END_OF_STRIKE):
            yield from self._cursor.space()
        if not self._cursor.at_end:
            raise Malformed

    def _blocks(self) -> Parse[bool]:
        """Say the calls that stand here in a row; the only text between them is white space."""
        found = False
        while True:
            self._cursor.mark()
            yield from self._cursor.space()
            word = yield from self._cursor.peek_any(self._lexicon.words(Place.LINE, ()))
            owners = [owner for owner in self._lexicon.owners(word, Place.LINE) if word not in FENCES]
            taken = (yield from self._try(owners, Place.LINE)) or (yield from self._wrapping(word))
            if taken is None or taken.result:
                self._cursor.rewind()
                return found
            self._cursor.release()
            yield from self._behind_call()
            found = True

    def _try(self, owners: list[Owner], place: Place) -> Parse[Taken[Section | None] | None]:
        """Let the owners of the word at the cursor try in order."""
        cursor = self._cursor
        for owner in owners:
            try:
                taken = yield from attempt(cursor, self._parse(owner, place))
            except Malformed:
                return Taken(None)  # it had begun and went wrong: what follows is text
            except Unsaid:
                if owner.grammar.marked or self._called:
                    raise
                continue
            if taken:
                return taken
        return None

    def _parse(self, owner: Owner, place: Place) -> Parse[Section | None]:
        """The grammar's own parse, with the dialect's name on its calls."""
        self._cursor.take(len(owner.opening))
        parse = owner.grammar.parse(self._cursor, self._offer, owner.opening)
        while True:
            try:
                item = next(parse)
            except StopIteration as stop:
                section: Section | None = stop.value
                break
            if isinstance(item, CallStart) and not item.dialect:
                item.dialect = owner.dialect.name
            yield item
        if section and section.kind == "reasoning" and place is Place.LINE and (yield from self._cursor.peek()) == " ":
            raise Malformed(owner.opening)  # in the middle of an answer: talked about, not opened
        return section

    # ---- reasoning

    def _reasoning(self, section: Section) -> Parse[Place]:
        """Say reasoning up to the end of its section, and return where that leaves us."""
        cursor, ends = self._cursor, section.close + section.until
        marks = self._lexicon.words(None, ends)
        if self._reasoned:
            yield Reasoning(NEWLINE)
        self._reasoned = True
        yield from self._skip(self._lexicon.doubled_begins, (), most=1)
        while True:
            word = yield from cursor.until(marks, Reasoning)
            if word is None:
                return Place.REASONED
            if word in section.close:
                cursor.take(len(word))
                return Place.REASONED
            if word in section.until:
                place = yield from self._block(word, Place.REASONED, ())
                if place:
                    return place
                yield Reasoning(cursor.take(len(word)))
                continue
            called = self._called
            try:
                closed = yield from self._in_doubt(self._called_in_reasoning(word, ends))
            except Malformed:
                yield Reasoning(cursor.take(len(word)))
                continue
            self._called = called if closed else self._called
            return Place.REASONED

    def _called_in_reasoning(self, word: str, ends: tuple[str, ...]) -> Parse[str | None]:
        taken = yield from self._try(self._lexicon.marked[word], Place.MIDDLE)
        if taken is None:
            raise Malformed(word)
        place = yield from self._behind_call(ends)
        return (yield from self._content(place, ends))

    def _in_doubt(self, parse: Parse[str | None]) -> Parse[str | None]:
        """Hold back what `parse` says until it ends: with a closing word, all of it was reasoning."""
        cursor, said = self._cursor, list[Said]()
        mark = cursor.mark()
        try:
            word = yield from held(parse, said)
        except Malformed:
            cursor.rewind(mark)
            raise
        except Cut:
            cursor.release(mark)
            yield from said
            raise
        text = cursor.since(mark)
        cursor.release(mark)
        if word is None:
            yield from said
        else:
            yield Reasoning(text[: -len(word)])
        return word


def _place(place: Place, lead: str) -> Place:
    """The place for what may open here: behind a deep indent only marked blocks count."""
    _, newline, indent = lead.rpartition("\n")
    return Place.MIDDLE if newline and len(indent) > _MAX_INDENT else place
