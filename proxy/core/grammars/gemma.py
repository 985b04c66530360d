"""Gemma's braces: bare keys, and strings between a word that is no quote.

    <|tool_call>call:find_ferry{to:<|"|>Coll<|"|>,days:2}<tool_call|>

Nothing is escaped in a string. A string whose closing word is missing ends at the end of the call, which shows only
when no closing word comes before the next call.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from proxy.core.arguments import MAX_NESTING, Arguments, typed, value
from proxy.core.calls import call, call_of_nothing
from proxy.core.coerce import is_dropped
from proxy.core.cursor import Cursor, Cut, Malformed, Parse, collect
from proxy.core.events import Repair
from proxy.core.grammar import Openings
from proxy.core.layout import look
from proxy.core.offer import Offer
from proxy.core.scalars import dumped, loaded, scalar, word
from proxy.core.schema import ANYTHING, Schema
from proxy.core.strings import QUOTES, RawText, Where, escaped
from proxy.core.tools import Tools
from proxy.core.words import words

_NAME_END: Final = re.compile(r"[^\w.\-:/]")
_KEY_END: Final = re.compile(r"[:={}<,\s]")


@dataclass(frozen=True)
class GemmaCall:
    """`call:name{key:value,...}`, strings between `quote`s."""

    open: tuple[str, ...]
    close: tuple[str, ...]
    quote: str
    stripped: tuple[str, ...] = ("call:",)
    """what is left of the opening when a server has eaten the special token"""

    marked = True

    @property
    def closers(self) -> tuple[str, ...]:
        return self.close

    def openings(self, tools: Tools) -> Openings:
        return Openings(anywhere=self.open, line=self.stripped)

    @cached_property
    def _text(self) -> RawText:
        return RawText((self.quote, *("}" + word for word in self.close)))

    @cached_property
    def _next(self) -> RawText:
        return RawText((self.quote, *self.open))

    def parse(self, cursor: Cursor, offer: Offer, opening: str) -> Parse[None]:
        yield from cursor.space()
        if opening not in self.stripped:
            yield from cursor.accept("call:")
        yield from cursor.space()
        name = yield from cursor.take_while(_NAME_END)
        tool = offer.tools.find(name)
        if tool is None:
            raise Cut if cursor.at_end and offer.tools.begins(name) else Malformed(name)
        yield from cursor.space()
        if cursor.at_end and cursor.cut:
            raise Cut
        state = Arguments()
        if not tool.schema.required and (yield from cursor.accept_any(words(*self.close))):
            yield from call_of_nothing(tool)
            return
        yield from cursor.expect("{")
        yield from call(cursor, tool, self._members(cursor, tool.schema, state, 1), state, marked=True)

    def _members(self, cursor: Cursor, schema: Schema, state: Arguments, depth: int) -> Parse[None]:
        if depth > MAX_NESTING:
            raise Malformed("nesting")
        lead = "{"
        while not (yield from self._at_end(cursor, "}")):
            key = schema.key((yield from self._key(cursor)))
            if key in state.seen:
                yield from collect(self._value(cursor, ANYTHING, "object", depth), cursor)
                yield Repair("duplicate-key", key, "")
                continue
            state.seen.add(key)
            char = yield from look(cursor)
            if char == "n" and is_dropped(key, schema):
                text, _ = yield from collect(self._value(cursor, ANYTHING, "object", depth), cursor)
                if text == "null":
                    yield Repair("null-dropped", key, "")
                    continue
                yield f'{lead}"{escaped(key)}":{text}'
            else:
                yield f'{lead}"{escaped(key)}":'
                yield from self._value(cursor, schema.property(key), "object", depth)
            lead = ","
        yield "{}" if lead == "{" else "}"

    def _key(self, cursor: Cursor) -> Parse[str]:
        char = yield from look(cursor)
        if (yield from cursor.accept(self.quote)):
            key = yield from cursor.take_while(re.compile("<"))
            yield from cursor.expect(self.quote)
        elif char in QUOTES:
            cursor.take(1)
            key = yield from cursor.take_while(re.compile(re.escape(QUOTES[char])))
            cursor.take(1)
        else:
            key = yield from cursor.take_while(_KEY_END)
        mark = yield from look(cursor)
        if not mark:
            raise Cut
        if mark not in ":=" or not key:
            raise Malformed(key)
        cursor.take(1)
        if not (yield from look(cursor)):
            raise Cut
        return key

    def _value(self, cursor: Cursor, schema: Schema, where: Where, depth: int) -> Parse[None]:
        char = yield from look(cursor)
        types = schema.types
        if char == "{" and (not types or "object" in types):
            cursor.take(1)
            yield from self._members(cursor, schema, Arguments(), depth + 1)
        elif char == "[" and (not types or "array" in types):
            cursor.take(1)
            yield "["
            yield from self._elements(cursor, schema.items, depth + 1)
        elif char == "<" and schema.streams and (yield from cursor.accept(self.quote)):
            yield '"'
            yield from self._string(cursor)
            yield '"'
        elif types <= {"string"} and types and char.isalnum():
            written = yield from word(cursor)
            yield from cursor.accept(self.quote)
            yield dumped(typed(written, schema))
        elif types:
            text, _ = yield from collect(self._value(cursor, ANYTHING, where, depth), cursor)
            yield dumped(typed(loaded(text), schema))
        elif char in QUOTES:
            yield from value(cursor, schema, where, depth)
        else:
            yield from scalar(cursor)
            yield from cursor.accept(self.quote)  # a string whose opening word is missing

    def _elements(self, cursor: Cursor, schema: Schema, depth: int) -> Parse[None]:
        if depth > MAX_NESTING:
            raise Malformed("nesting")
        lead = ""
        while not (yield from self._at_end(cursor, "]")):
            yield lead
            yield from self._value(cursor, schema, "array", depth)
            lead = ","
        yield "]"

    def _at_end(self, cursor: Cursor, end: str) -> Parse[bool]:
        char = yield from look(cursor)
        commas = 0
        while char == ",":
            cursor.take(1)
            commas += 1
            char = yield from look(cursor)
        if char == end:
            cursor.take(1)
            return True
        if not char:
            if commas or cursor.cut:
                raise Cut
            return True
        return char in "}]" or (char == "<" and (yield from cursor.peek_while(self.quote)) != self.quote)

    def _string(self, cursor: Cursor) -> Parse[None]:
        """Say a string up to and with its closing word."""
        while True:
            word = yield from self._text.say(cursor)
            if word == self.quote:
                cursor.take(len(word))
                return
            if word is None:
                raise Cut
            if (yield from self._ends_here(cursor, word)):
                yield Repair("missing-quote", word, self.quote + word)
                return

    def _ends_here(self, cursor: Cursor, word: str) -> Parse[bool]:
        """The end of the call inside a string: is the string's own end missing? If not, say what it was."""
        mark = cursor.mark()
        cursor.take(len(word))
        yield from collect(self._next.say(cursor), cursor)
        missing = (yield from cursor.peek_while(self.quote)) != self.quote
        if missing:
            cursor.rewind()
            return True
        said = cursor.since(mark)
        cursor.release()
        yield escaped(said)
        return False
