"""Saying a call: when to announce it, and how its arguments are read whatever form they have.

A call is announced with the first piece of its arguments, not earlier: until then the grammar may still find that
this is no call. Where no mark of a dialect vouches for it (JSON on a line of its own, `name(...)`), the announcement
waits until every required argument has begun: an example in prose, a tool's own definition or a half-filled form
does not get that far.
"""

import re
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from proxy.core.arguments import Arguments, members, typed, value
from proxy.core.cursor import Cursor, Cut, Malformed, Parse, Said, Unsaid, collect
from proxy.core.events import CallEnd, CallStart, Repair, Text
from proxy.core.layout import look
from proxy.core.scalars import dumped, loaded
from proxy.core.schema import ANYTHING, Json
from proxy.core.strings import QUOTES, RawText, decoded, escaped, string
from proxy.core.tools import Tool

_BLANKS: Final = re.compile(r"[ \t]*")
_MAX_ENCODED: Final = 4
"""How many times arguments may be wrapped in a JSON string. Twice has been seen."""


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Taken(Generic[T]):
    """A grammar took the block, and this is what it returned."""

    result: T


def call(
    cursor: Cursor, tool: Tool, body: Parse[None], state: Arguments, *, marked: bool, call_id: str = ""
) -> Parse[None]:
    """Say a call whose arguments `body` says, once it is certain that it is one."""
    pieces: list[str] = []
    cursor.quiet += 1
    try:
        for item in body:
            if not isinstance(item, str):
                yield item
                continue
            pieces.append(item)
            if marked or _is_certain(tool, state):
                break
        else:
            if not marked and not _is_possible(tool, state):
                raise Malformed(tool.name)
    except Cut:
        if not pieces and not marked:
            raise
        body = _cut()  # it is announced all the same: a call that was cut off is better seen than lost
    finally:
        cursor.quiet -= 1
    yield CallStart(tool.name, id=call_id)
    try:
        yield "".join(pieces)
        yield from body
        _refuse_half(cursor, tool, state)
    except (Cut, Malformed):
        yield CallEnd(complete=False)
        raise
    yield CallEnd()


def call_of_nothing(tool: Tool, *, marked: bool = True) -> Parse[None]:
    """Say a call without arguments; `Malformed` if the tool needs some."""
    if tool.schema.required:
        raise Malformed(tool.name)
    empty, state = Cursor("{}", closed=True), Arguments()
    yield from call(empty, tool, arguments(empty, tool, state), state, marked=marked)


def _refuse_half(cursor: Cursor, tool: Tool, state: Arguments) -> None:
    """At the end of all text brackets may have been supplied although the model had more to say."""
    if cursor.at_end and not tool.schema.required <= state.seen:
        raise Cut


def _cut() -> Parse[None]:
    yield ""
    raise Cut


def _is_certain(tool: Tool, state: Arguments) -> bool:
    known = state.seen & tool.schema.properties.keys()
    return bool(known) and tool.schema.required <= state.seen - state.unfit


def _is_possible(tool: Tool, state: Arguments) -> bool:
    """All of it was read: can these be arguments, and not the definition of the tool?"""
    echoed = {"type", "properties"} <= state.seen and "properties" not in tool.schema.properties
    return tool.schema.required <= state.seen - state.unfit and not echoed


def attempt(cursor: Cursor, parse: Parse[T]) -> Parse[Taken[T] | None]:
    """Let `parse` try; if it finds before its first word that this is not its own, nothing has happened (None)."""
    mark = cursor.mark()
    repairs: list[Repair] = []
    try:
        while True:
            item = next(parse)
            if isinstance(item, Repair):
                repairs.append(item)
            elif item is None:
                yield None
            else:
                break
    except StopIteration as stop:
        cursor.release(mark)
        yield from repairs
        return Taken(stop.value)
    except Malformed:
        cursor.starved = cursor.starved or cursor.at_end
        cursor.rewind(mark)
        return None
    except Cut:
        cursor.rewind(mark)
        raise Unsaid from None
    cursor.release(mark)
    yield from repairs
    yield item
    try:
        return Taken((yield from parse))
    except Unsaid:
        raise Cut from None  # of the next call nothing was said, but of this block there was


def with_text(parse: Parse[None], texts: list[str]) -> Parse[None]:
    """Say `texts` before the first word of `parse`."""
    for item in parse:
        if texts and item is not None and not isinstance(item, Repair):
            yield Text("\n".join(texts))
            texts.clear()
        yield item


def held(parse: Parse[T], said: list[Said]) -> Parse[T]:
    """Run `parse`, but keep all that it says."""
    while True:
        try:
            item = next(parse)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        if item is None:
            yield None
        else:
            said.append(item)


def _whole(cursor: Cursor, parse: Parse[None]) -> Parse[list[Said]]:
    """What `parse` says, once it is over; what was said of a call that was cut off is said at once."""
    said: list[Said] = []
    cursor.quiet += 1
    try:
        yield from held(parse, said)
    except Cut:
        yield from said
        raise
    finally:
        cursor.quiet -= 1
    return said


def fitting_whole(cursor: Cursor, parse: Parse[None], tool: Tool, state: Arguments) -> Parse[None]:
    """Say what `parse` says once it is over, if the tool knows every argument: else it is data about something else."""
    said = yield from _whole(cursor, parse)
    if not state.seen <= tool.schema.properties.keys():
        raise Malformed(tool.name)
    yield from said


def ending_a_line(cursor: Cursor, parse: Parse[None]) -> Parse[None]:
    """Say what `parse` says, if it leaves the cursor at the end of a line: a sentence that goes on is about it."""
    said = yield from _whole(cursor, parse)
    cursor.skim(_BLANKS)
    while not cursor.char and (yield from cursor.wait()):
        cursor.skim(_BLANKS)
    if cursor.char not in {"", "\n", "\r", "<", "`", ";", "{", "["}:
        raise Malformed(cursor.char)
    yield from said


# ---- the forms that arguments have


def arguments(cursor: Cursor, tool: Tool, state: Arguments, depth: int = 0) -> Parse[None]:
    """Say arguments that stand here as an object, as a string that spells one, as a list, or not at all."""
    char = yield from look(cursor)
    if char == "{":
        cursor.take(1)
        yield from members(cursor, tool.schema, state, 1)
    elif char == '"' and (yield from _is_forgotten_escape(cursor)):
        cursor.take(1)
        yield Repair("arguments-as-string", '"{"', "{")
        yield from arguments(cursor, tool, state)
        yield from cursor.accept('"')
    elif char in QUOTES and char and depth < _MAX_ENCODED:
        yield from _spelled(cursor, cursor.take(1), tool, state, depth)
    else:
        text, _ = yield from collect(value(cursor, ANYTHING, "object", 1), cursor)
        yield dumped(from_value(loaded(text), tool, state))


def from_value(found: Json, tool: Tool, state: Arguments) -> dict[str, Json]:
    """Arguments out of a value that was read whole."""
    schema = tool.schema
    match found:
        case dict():
            named = found
        case None | "" | []:
            named = {}
        case [dict() as only]:
            named = only
        case list() if all(
            isinstance(item, dict) and "value" in item and isinstance(item.get("name"), str) for item in found
        ):
            named = {item["name"]: item["value"] for item in found}
        case list() if len(found) <= len(schema.properties):
            named = dict(zip(schema.properties, found, strict=False))
        case _ if schema.only_string:
            named = {schema.only_string: found}
        case _:
            raise Malformed(str(found))
    result = typed(named, schema)
    state.seen.update(result)
    return result  # type: ignore[no-any-return]  # an object stays an object


def _is_forgotten_escape(cursor: Cursor) -> Parse[bool]:
    """`"{"port": ...}"`: a string that should spell an object, but its own quotes are not escaped."""
    if (yield from cursor.peek(2)) != '"{':
        return False
    return (yield from cursor.peek(3))[2:] == '"'


def _spelled(cursor: Cursor, quote: str, tool: Tool, state: Arguments, depth: int) -> Parse[None]:
    """Say arguments that a string spells: a JSON object with its quotes escaped."""
    inner = Cursor()
    reader = _in_text(inner, tool, state, depth)
    cursor.quiet += 1
    try:
        refused = None
        for item in string(cursor, quote, "object"):
            if not isinstance(item, str):
                yield item
            elif not refused:
                inner.feed(decoded(item))
                refused = yield from _drain(reader)
    finally:
        cursor.quiet -= 1
    inner.close(cut=False)
    refused = refused or (yield from _drain(reader))
    if refused:
        raise refused  # behind the string, wherever in it the trouble was: its pieces are no place to stop at


def _drain(reader: Parse[None]) -> Parse[Malformed | None]:
    """Say what `reader` says until it needs data; return its refusal, if it refuses."""
    try:
        for item in reader:
            if item is None:
                break
            yield item
    except (Malformed, Cut) as refusal:
        return Malformed(str(refusal))
    return None


def _in_text(inner: Cursor, tool: Tool, state: Arguments, depth: int) -> Parse[None]:
    char = yield from look(inner)
    if not char:
        yield "{}"
    elif char in "{[" or (char in QUOTES and not tool.schema.only_string):
        yield Repair("arguments-as-string", char, char)
        yield from arguments(inner, tool, state, depth + 1)
    elif char == '"' and depth == 0:
        yield from arguments(inner, tool, state, depth + 1)
    else:
        yield from plain_text(inner, tool, state)


def plain_text(cursor: Cursor, tool: Tool, state: Arguments) -> Parse[None]:
    """Say all the text that is left as the one string that the tool asks for."""
    name = tool.schema.only_string
    if not name:
        raise Malformed(tool.name)
    state.seen.add(name)
    yield f'{{"{escaped(name)}":"'
    while True:
        text, at = cursor.ahead()
        yield escaped(cursor.take(len(text) - at))
        if not (yield from cursor.wait()):
            break
    yield '"}'
    yield Repair("plain-string", tool.name, name)


def plain_text_until(cursor: Cursor, tool: Tool, state: Arguments, ends: tuple[str, ...]) -> Parse[None]:
    """Say the text up to one of `ends` as the one string that the tool asks for."""
    name = tool.schema.only_string
    if not name:
        raise Malformed(tool.name)
    state.seen.add(name)
    text, end = yield from collect(RawText(ends).say(cursor), cursor)
    plain = decoded(text).strip()
    if not plain:
        raise Cut if end is None and cursor.cut else Malformed(tool.name)
    yield f'{{"{escaped(name)}":"{escaped(plain)}'
    if end is None and cursor.cut:
        raise Cut
    yield '"}'
    yield Repair("plain-string", tool.name, name)
