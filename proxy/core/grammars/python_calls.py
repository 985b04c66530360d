"""Calls as Python: `[find_ferry(to='Coll', day=None), ping()]`.

Values are Python literals, or JSON's (`null`, `true`). Where nothing vouches for the call only keyword arguments are
believed; in a `tool_code` block the first positional arguments are taken in the order of the schema.
"""

import re
from dataclasses import dataclass
from typing import Final

from proxy.core.arguments import Arguments, member
from proxy.core.calls import arguments, attempt, call, ending_a_line, held, with_text
from proxy.core.cursor import Cursor, Cut, Malformed, Parse, Said, collect
from proxy.core.events import Repair, Text
from proxy.core.grammar import Openings
from proxy.core.layout import look
from proxy.core.offer import Offer
from proxy.core.scalars import meaning
from proxy.core.strings import QUOTES
from proxy.core.tools import Tool, Tools
from proxy.core.words import Words

_NAME_END: Final = re.compile(r"[^\w.\-]")
_WORD_END: Final = re.compile(r"[^\w]")
_LINE_END: Final = re.compile(r"[\n`]")
_PASSED_OVER: Final = Words(("import ", "from "))
_PREFIXES: Final = re.compile(r"[rbfuRBFU]{1,2}")


@dataclass(frozen=True, slots=True)
class PythonCalls:
    """A list of calls, or one a line, behind `open`; without `open` the brackets are needed."""

    open: tuple[str, ...] = ()
    close: tuple[str, ...] = ()

    @property
    def marked(self) -> bool:
        return bool(self.open)

    @property
    def closers(self) -> tuple[str, ...]:
        return self.close

    def openings(self, tools: Tools) -> Openings:
        return Openings(anywhere=self.open) if self.open else Openings(line=("[",))

    def parse(self, cursor: Cursor, offer: Offer, opening: str) -> Parse[None]:
        calls = self._calls(cursor, offer)
        yield from calls if self.open else ending_a_line(cursor, calls)

    def _calls(self, cursor: Cursor, offer: Offer) -> Parse[None]:
        if self.open:
            yield from cursor.space()
            yield from cursor.accept("[")
        said, unknown = False, list[str]()
        while True:
            char = yield from look(cursor)
            if char in {",", ";"}:
                cursor.take(1)
                continue
            if not char.isidentifier():
                break
            item = with_text(python_call(cursor, offer, marked=self.marked), unknown)
            if (yield from attempt(cursor, item)):
                said = True
            elif (self.marked or said) and (written := (yield from _unknown(cursor))):
                unknown.append(written)
            else:
                break
        if not said:
            raise Malformed(char)
        if unknown:
            yield Text("\n".join(unknown))
        yield from cursor.accept("]")


def _unknown(cursor: Cursor) -> Parse[str]:
    """A call to a tool that is not on offer, as it was written; "", and nothing consumed, if this is none."""
    mark = cursor.mark()
    try:
        yield from cursor.take_while(_NAME_END)
        yield from cursor.expect("(")
        yield from collect(_keywords(cursor, Tool("", None), Arguments(), positional=True), cursor)
    except (Malformed, Cut):
        cursor.rewind(mark)
        return ""
    written = cursor.since(mark)
    cursor.release(mark)
    return written


@dataclass(frozen=True, slots=True)
class WholePythonCall:
    """An answer that is one call, or several, and nothing else: `find_ferry(to='Coll')`."""

    marked = False
    closers = ()

    def openings(self, tools: Tools) -> Openings:
        return Openings(start=tuple(f"{name}(" for name in tools.all))

    def parse(self, cursor: Cursor, offer: Offer, opening: str) -> Parse[None]:
        said: list[Said] = []
        tool = offer.tools.find(opening[:-1])
        if tool is None:
            raise Malformed(opening)
        yield from held(_call(cursor, tool, marked=False), said)
        while char := (yield from look(cursor)):
            if char == ";":
                cursor.take(1)
                continue
            yield from held(python_call(cursor, offer, marked=False), said)
        yield from said


def statements(cursor: Cursor, offer: Offer) -> Parse[bool]:
    """Say the calls of a block of Python: bare, printed or assigned; other lines are passed over."""
    found = False
    while True:
        char = yield from look(cursor)
        if not char or char == "`":
            return found
        if char == "#":
            yield from cursor.take_while(_LINE_END)
        elif (yield from attempt(cursor, _statement(cursor, offer))):
            found = True
        elif found or (yield from cursor.peek_any(_PASSED_OVER)):
            yield from cursor.take_while(_LINE_END)
        else:
            raise Malformed(char)


def _statement(cursor: Cursor, offer: Offer) -> Parse[None]:
    """`name(...)`, `print(name(...))`, `x = name(...)`."""
    cursor.mark()
    word = yield from cursor.take_while(_WORD_END)
    if word and (yield from look(cursor)) == "=":
        cursor.take(1)
        yield from look(cursor)
        cursor.release()
    else:
        cursor.rewind()
    wrapped = yield from cursor.accept("print(")
    for word in ("return ", "await "):
        yield from cursor.accept(word)
    yield from cursor.accept("[")
    yield from python_call(cursor, offer, marked=True, positional=True)
    yield from cursor.accept("]")
    if wrapped:
        yield from cursor.accept(")")


def python_call(cursor: Cursor, offer: Offer, *, marked: bool, positional: bool = False) -> Parse[None]:
    """Say one call."""
    yield from look(cursor)
    name = yield from cursor.take_while(_NAME_END)
    tool = offer.tools.find(name)
    if cursor.at_end and not tool and offer.tools.begins(name):
        raise Cut
    if tool is None or not (yield from cursor.accept("(")):
        raise Malformed(name)
    if tool.name != name:
        yield Repair("tool-name", name, tool.name)
    yield from _call(cursor, tool, marked=marked, positional=positional)


def _call(cursor: Cursor, tool: Tool, *, marked: bool, positional: bool = False) -> Parse[None]:
    """Say a call whose opening parenthesis is consumed."""
    state = Arguments()
    yield from look(cursor)
    yield from cursor.accept("**")
    if (yield from look(cursor)) == "{":
        yield from call(cursor, tool, _object(cursor, tool, state), state, marked=marked)
    else:
        body = _keywords(cursor, tool, state, positional=positional or marked)
        yield from call(cursor, tool, body, state, marked=marked)


def _object(cursor: Cursor, tool: Tool, state: Arguments) -> Parse[None]:
    yield from arguments(cursor, tool, state)
    yield from cursor.accept(")")


def _keywords(cursor: Cursor, tool: Tool, state: Arguments, *, positional: bool) -> Parse[None]:
    lead = "{"
    rest = list(tool.schema.properties)
    while True:
        char = yield from look(cursor)
        if char == ",":
            cursor.take(1)
            continue
        if char == ")":
            cursor.take(1)
            break
        if not char and (lead == "{" or cursor.cut):
            raise Cut
        if not char or char in "]}<`":
            yield Repair("missing-bracket", char, ")")
            break
        key = yield from _keyword(cursor)
        if not key:
            key = rest[0] if rest else ""
            if not positional or not key:
                raise Malformed(char)
            yield Repair("positional", char, key)
        key = tool.schema.key(key)
        if key in rest:
            rest.remove(key)
        yield from _prefix(cursor)
        if not positional and (yield from _is_variable(cursor)):
            raise Malformed(key)
        lead = yield from member(cursor, key, tool.schema, state, lead, "call", 1)
    if lead == "{" and tool.schema.required:
        raise Malformed(tool.name)
    yield "{}" if lead == "{" else "}"


def _keyword(cursor: Cursor) -> Parse[str]:
    """The name before an equals sign; "", and nothing consumed, if there is none."""
    cursor.mark()
    try:
        name = yield from cursor.take_while(_WORD_END)
        mark = yield from look(cursor)
        if name and mark in {"=", ":"}:
            cursor.take(1)
            cursor.release()
            return name
        if name and not mark and not name.isdigit():
            raise Cut
    except Malformed:
        pass
    cursor.rewind()
    return ""


def _is_variable(cursor: Cursor) -> Parse[bool]:
    """Does the name of a variable stand here? Then this is code, not a call."""
    if not (yield from look(cursor)).isidentifier():
        return False
    mark = cursor.mark()
    name = yield from cursor.take_while(_WORD_END)
    cursor.rewind(mark)
    return isinstance(meaning(name), str)


def _prefix(cursor: Cursor) -> Parse[None]:
    """Consume the letters before a string: r'', f""."""
    yield from look(cursor)
    ahead = yield from cursor.peek(3)
    found = _PREFIXES.match(ahead)
    if found and ahead[found.end() : found.end() + 1] in set(QUOTES):
        cursor.take(found.end())
