"""JSON that is a call, wraps calls or lists them.

    {"name": "find_ferry", "arguments": {"to": "Coll"}}        one call
    {"tool_calls": [{"function": {"name": ...}}, ...]}         wrapped
    [{"type": "text", "text": "..."}, {"type": "tool_use"...}] a list, with something said before
    {"find_ferry": {"to": "Coll"}}                             the key is the tool
    {"name": "find_ferry", "to": "Coll"}                       the arguments beside the name

Keys are read in the order they come. A call is said as soon as its tool and its arguments are there; arguments that
come before the name are kept as they were written and read when the name is known.
"""

import re
from typing import Final

from proxy.core.arguments import MAX_NESTING, Arguments, is_doubled, members, next_key, value, value_of
from proxy.core.calls import arguments, attempt, call, call_of_nothing, fitting_whole, with_text
from proxy.core.cursor import Cursor, Cut, Malformed, Parse, collect
from proxy.core.events import Repair, Text
from proxy.core.layout import look
from proxy.core.offer import Offer
from proxy.core.schema import ANYTHING
from proxy.core.strings import QUOTES, decoded, string
from proxy.core.tools import Tool

_SEPARATORS: Final = {",", ";"}
_WRAPPING_NAMES: Final = {"multi_tool_use.parallel", "parallel", "tool_call", "function_call", "tool_use"}
"""Names that models give to a call that only holds others."""
_NAME_END: Final = re.compile(r"[^\w.\-]")


def further_calls(cursor: Cursor, offer: Offer, *, marked: bool) -> Parse[None]:
    """Say calls that follow in a row, with or without something between them."""
    while (yield from attempt(cursor, _next_call(cursor, offer, marked=marked))):
        pass


def _next_call(cursor: Cursor, offer: Offer, *, marked: bool) -> Parse[None]:
    char = yield from look(cursor)
    if char in _SEPARATORS:
        cursor.take(1)
        char = yield from look(cursor)
    yield from _bracketed(cursor, offer, char, marked=marked, depth=0)


def calls_at(cursor: Cursor, offer: Offer, *, marked: bool) -> Parse[None]:
    """Say the calls of the object or list that stands here."""
    char = yield from look(cursor)
    yield from _bracketed(cursor, offer, char, marked=marked, depth=0)


def _bracketed(cursor: Cursor, offer: Offer, char: str, *, marked: bool, depth: int) -> Parse[None]:
    if char not in {"{", "["}:
        raise Malformed(char)
    cursor.take(1)
    yield from calls_in(cursor, offer, char, marked=marked, depth=depth)


def calls_in(cursor: Cursor, offer: Offer, bracket: str, *, marked: bool, depth: int = 0) -> Parse[None]:
    """Say the calls of an object or list whose bracket is consumed; `Malformed` if it holds none."""
    if depth > MAX_NESTING:
        raise Malformed("nesting")
    if bracket == "{":
        yield from CallObject(cursor, offer, marked=marked, depth=depth).parse()
    else:
        yield from _list(cursor, offer, marked=marked, depth=depth)


def _list(cursor: Cursor, offer: Offer, *, marked: bool, depth: int) -> Parse[None]:
    said = False
    texts: list[str] = []
    while True:
        char = yield from look(cursor)
        if char in _SEPARATORS:
            cursor.take(1)
        elif char != "{":
            break
        elif said:
            block = yield from _text_block(cursor)
            if block is not None:
                yield Text("\n" + block)
                continue
            item = _bracketed(cursor, offer, char, marked=marked, depth=depth + 1)
            if (yield from attempt(cursor, item)) is None:
                yield Text((yield from _written(cursor)))
        else:
            block = yield from _text_block(cursor)
            if block is not None:
                texts.append(block)
                continue
            item = with_text(_bracketed(cursor, offer, char, marked=marked, depth=depth + 1), texts)
            said = (yield from attempt(cursor, item)) is not None
            if not said and not marked:
                raise Malformed(char)
            if not said:
                texts.append((yield from _unknown(cursor)))
    if not said:
        raise Malformed(char)
    yield from cursor.accept("]")


def _unknown(cursor: Cursor) -> Parse[str]:
    """An object that is no call, as it was written."""
    try:
        return (yield from _written(cursor))
    except Cut:
        raise Malformed("cut before it named a tool") from None


def _text_block(cursor: Cursor) -> Parse[str | None]:
    """The text of `{"type": "text", "text": "..."}`; None, and nothing consumed, if this is something else."""
    cursor.mark()
    cursor.take(1)
    text: str | None = None
    try:
        while (key := (yield from next_key(cursor, first=text is None))) in {"type", "text"}:
            found = yield from plain_string(cursor)
            if key == "text":
                text = found
        if key is None and text is not None:
            cursor.release()
            return text
    except (Malformed, Cut):
        pass
    cursor.rewind()
    return None


def _written(cursor: Cursor) -> Parse[str]:
    """Consume a value; return it as it was written."""
    mark = cursor.mark()
    try:
        yield from collect(value(cursor, ANYTHING, "array", 0), cursor)
        return cursor.since(mark)
    finally:
        cursor.release(mark)


def strays(cursor: Cursor) -> Parse[None]:
    """Consume brackets and separators that the model wrote too many."""
    while True:
        cursor.mark()
        yield from cursor.space()
        if (yield from cursor.peek()) not in {"}", "]", ";", ","}:
            cursor.rewind()
            return
        stray = cursor.take(1)
        yield from cursor.peek()
        if stray in {";", ","} and cursor.char not in {"", "\n"}:
            cursor.rewind()
            return
        cursor.release()
        yield Repair("extra-bracket", stray, "")


# ---- one object


class CallObject:
    """One JSON object, and what it has told so far about its call."""

    def __init__(self, cursor: Cursor, offer: Offer, *, marked: bool, depth: int) -> None:
        self.cursor, self.offer, self.marked, self.depth = cursor, offer, marked, depth
        self.tool: Tool | None = None
        self.held = ""
        """arguments that came before the name, as they were written"""
        self.texts: list[str] = []
        self.begun = False
        """a tool is being named, or a call said"""
        self.said = False
        self.braceless = False
        self.wraps = False
        """the name is none of a tool: the arguments are calls"""
        self.by_key = False
        """the keys are the tools' names, so there may be several calls"""
        self.ended = False
        """the closing brace is consumed"""

    def parse(self, first_key: str = "") -> Parse[None]:
        """Say the call or calls of an object whose `{`, and perhaps first key, is consumed."""
        self.braceless = bool(first_key)
        try:
            yield from self._members(first_key)
        except Cut:
            if self.begun:
                raise
            raise Malformed("cut before it named a tool") from None
        if not self.said:
            yield from self._without_arguments()

    def _members(self, first_key: str) -> Parse[None]:
        doubled = not first_key and (yield from is_doubled(self.cursor))
        if first_key:
            yield from look(self.cursor)
            yield from self.cursor.expect(":")
            yield from self._part(first_key)
        first = not first_key
        while not self.ended and (key := (yield from next_key(self.cursor, first=first))) is not None:
            first = False
            yield from self._part(key)
        if doubled:
            yield from self.cursor.accept("}")

    def _part(self, key: str) -> Parse[None]:
        """Read the value of `key` for what it means."""
        role = self.offer.role(key)
        char = yield from look(self.cursor)
        opens = char in {"{", "["}
        if self.said and not self.by_key:
            if "text" in role and char in QUOTES:
                yield Text((yield from plain_string(self.cursor)))
            else:
                yield from _written(self.cursor)
        elif self.tool and self._is_flattened(key, role, self.tool):
            yield from self._flattened(key, self.tool)
        elif opens and ("wrapper" in role or (self.wraps and "arguments" in role)):
            self.cursor.take(1)
            nested = calls_in(self.cursor, self.offer, char, marked=self.marked, depth=self.depth + 1)
            yield from self._say(nested)
        elif "name" in role and (char in QUOTES or char.isalpha()):
            self.begun = True
            name = yield from _name(self.cursor, self.offer)
            self.wraps = name.lower() in _WRAPPING_NAMES and not self.offer.tools.find(name)
            self.tool = None if self.wraps else (yield from _named(name, self.offer))
            if self.held and self.tool:
                yield from self._say_arguments(Cursor(self.held, closed=True), self.tool)
        elif "arguments" in role and self.tool:
            yield from self._say_arguments(self.cursor, self.tool)
        elif "arguments" in role:
            self.held = yield from _written(self.cursor)
        elif "text" in role and char in QUOTES:
            self.texts.append((yield from plain_string(self.cursor)))
        elif role or (self.tool and self.marked):
            yield from _written(self.cursor)
        else:
            yield from self._named_by_key(key, opens=opens)

    def _is_flattened(self, key: str, role: frozenset[str], tool: Tool) -> bool:
        """Are the arguments written beside the name: `{"name": "set", "room": "attic"}`?"""
        schema = tool.schema
        return schema.key(key) in schema.properties and "arguments" not in role and not self.braceless

    def _flattened(self, key: str, tool: Tool) -> Parse[None]:
        state = Arguments()
        body = members(self.cursor, tool.schema, state, 1, key)
        self.ended = True
        flat = call(self.cursor, tool, body, state, marked=False)
        yield from self._say(flat if self.marked else fitting_whole(self.cursor, flat, tool, state))
        yield Repair("flattened-arguments", key, "")

    def _named_by_key(self, key: str, *, opens: bool) -> Parse[None]:
        """`{"find_ferry": {...}}`: the key is the tool. Without a mark it must be all there is, and fit."""
        tool = self.offer.tools.find(key)
        if not tool or not opens or self.tool:
            raise Malformed(key)
        if self.marked:
            self.by_key = True
            yield from self._say_arguments(self.cursor, tool)
            return
        written = yield from _written(self.cursor)
        found = value_of(written)
        if (yield from next_key(self.cursor)) is not None or not isinstance(found, dict):
            raise Malformed(key)
        if not {tool.schema.key(name) for name in found} <= tool.schema.properties.keys():
            raise Malformed(key)
        self.ended = True
        yield from self._say_arguments(Cursor(written, closed=True), tool)

    def _say_arguments(self, cursor: Cursor, tool: Tool) -> Parse[None]:
        state = Arguments()
        yield from self._say(call(cursor, tool, arguments(cursor, tool, state), state, marked=self.marked))

    def _without_arguments(self) -> Parse[None]:
        if not self.tool:
            raise Malformed("no tool is named")
        yield from self._say(call_of_nothing(self.tool, marked=self.marked))

    def _say(self, parse: Parse[None]) -> Parse[None]:
        self.begun = True
        yield from with_text(parse, self.texts)
        self.said = True


def _name(cursor: Cursor, offer: Offer) -> Parse[str]:
    """A name, in quotes or not; `Cut` if the text ends inside one that may become a tool's."""
    mark = cursor.mark()
    try:
        quoted = (yield from look(cursor)) in QUOTES
        return (yield from plain_string(cursor) if quoted else cursor.take_while(_NAME_END))
    except Cut:
        if not offer.tools.begins(cursor.since(mark)):
            raise Malformed("name") from None
        raise
    finally:
        cursor.release(mark)


def _named(name: str, offer: Offer) -> Parse[Tool]:
    """The tool of that name."""
    tool = offer.tools.find(name)
    if not tool:
        raise Malformed(name)
    if tool.name != name:
        yield Repair("tool-name", name, tool.name)
    return tool


def plain_string(cursor: Cursor) -> Parse[str]:
    """A string, read whole."""
    quote = yield from look(cursor)
    if quote not in QUOTES or not quote:
        raise Malformed(quote)
    cursor.take(1)
    text, _ = yield from collect(string(cursor, quote, "object"), cursor)
    return decoded(text)
