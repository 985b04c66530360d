"""The argument writer: reads JSON as models write it, says strict JSON typed by the tool's schema, in one pass.

    {'port': 'Brest', "days": "3", unit: None,}      with days: integer, unit: optional string
    {"port":"Brest","days":3}

Strings go out as they are written. A scalar is short, so it waits until it is complete; a value of another type than
the schema's waits too, is read whole and coerced. A comma or a key goes out together with the first piece of its
value, so that a null that says nothing can be dropped with its key. No byte that was said is ever taken back.

Brackets that are missing at the end are supplied when every value is complete and the model stopped by itself; a
text that ends inside a value is `Cut`.
"""

import re
from typing import Final

from proxy.core.coerce import coerced, fits, is_dropped
from proxy.core.cursor import Cursor, Cut, Malformed, Parse, collect
from proxy.core.events import Repair
from proxy.core.layout import look
from proxy.core.scalars import dumped, loaded, meaning, scalar, word
from proxy.core.schema import ANYTHING, Json, Schema
from proxy.core.strings import QUOTES, Where, decoded, escaped, string, triple_quoted

MAX_NESTING: Final = 64
"""How deep arguments may nest. Real ones stay below ten; each level costs a few Python frames."""

_KEY_END: Final = re.compile(r"[^\w$.\-]")
_ARRAYS: Final = {"[": "]", "(": ")", "{": "}"}
"""What opens an array, a tuple or a set, and what closes it."""
_WRAPPERS: Final = {"arguments", "parameters", "input", "args", "kwargs", "params"}
"""Keys that some models wrap around the arguments once too often."""


class Arguments:
    """What is known so far about the arguments of one call."""

    __slots__ = ("seen", "unfit")

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.unfit: set[str] = set()
        """those whose value is not what the schema wants"""


def value_of(text: str) -> Json:
    """The value that a whole text spells, read leniently; raises `Malformed` if it spells none."""
    cursor = Cursor(text.strip(), closed=True)
    pieces = []
    try:
        pieces = [piece for piece in value(cursor, ANYTHING, "array", 0) if isinstance(piece, str)]
    except Cut:
        raise Malformed(text) from None
    rest, at = cursor.ahead()
    if rest[at:].strip():
        raise Malformed(rest)
    return loaded("".join(pieces))


def from_text(text: str, schema: Schema) -> Json:
    """What raw text means for a schema that does not simply want a string."""
    types = schema.types
    if types & {"array", "object"} and text.strip()[:1] in {"[", "{", "("}:
        try:
            found = value_of(text)
        except Malformed:
            found = text
        if not isinstance(found, str) and (fits(found, schema) or "string" not in types):
            return coerced(found, schema)
    if not types or (fits(text, schema) and schema.choices is None and "null" not in types):
        return text
    return coerced(text if types == {"string"} else _unquoted(text.strip()), schema)


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


# ---- values


def value(cursor: Cursor, schema: Schema, where: Where, depth: int) -> Parse[None]:
    """Say one value; its first piece comes when it is certain that there is one."""
    char = yield from look(cursor)
    if not is_direct(char, schema, where):
        text, _ = yield from _mended(cursor, schema, where, depth)
        yield text
    elif char == "{" and (not schema.types or "object" in schema.types):
        cursor.take(1)
        yield from members(cursor, schema, Arguments(), depth + 1)
    elif char in _ARRAYS:
        cursor.take(1)
        yield from elements(cursor, schema.items, _ARRAYS[char], depth + 1)
    elif char in QUOTES:
        yield from quoted(cursor, where)
    else:
        yield from scalar(cursor)


def is_direct(char: str, schema: Schema, where: Where) -> bool:
    """May a value that begins with `char` go out as it is written, its type being the schema's?"""
    types = schema.types
    if char == "{" and where != "call":
        return not types or "object" in types
    if char == "{":
        return not types or bool(types & {"object", "array"})  # Python has sets
    if char in _ARRAYS:
        return not types or "array" in types
    if char in QUOTES:
        return schema.streams
    return not types and not schema.choices


def quoted(cursor: Cursor, where: Where) -> Parse[None]:
    """Say a string with its quotes."""
    quote = cursor.take(1)
    yield '"'
    if (yield from _is_triple(cursor, quote, where)):
        cursor.take(2)
        yield from triple_quoted(cursor, quote)
    else:
        yield from string(cursor, quote, where)
    yield '"'
    if quote != '"' and where != "call":
        yield Repair("quotes", quote, '"')


def _is_triple(cursor: Cursor, quote: str, where: Where) -> Parse[bool]:
    """Is this the first of three quotes, and not of an empty string before one that went astray?"""
    if quote not in "\"'`" or (yield from cursor.peek(2)) != quote * 2:
        return False
    after = (yield from cursor.peek(3))[2:]
    return where == "call" or after not in {",", "}", "]", ":", ""}


def _mended(cursor: Cursor, schema: Schema, where: Where, depth: int) -> Parse[tuple[str, Json]]:
    """A value that has to be whole before it can be typed, as JSON text and as a value."""
    char = yield from look(cursor)
    if schema.types and schema.types <= {"string", "null"} and char not in {"{", "[", "(", *QUOTES}:
        return (yield from _as_written(cursor, schema))
    text, _ = yield from collect(value(cursor, ANYTHING, where, depth), cursor)
    found = loaded(text)
    if isinstance(found, dict) and "type" in found and "value" not in found and "object" not in schema.types:
        raise Malformed(text)  # the definition of a parameter, not its value
    fitting = typed(found, schema)
    if fitting == found and type(fitting) is type(found):
        return text, found
    yield Repair("coerced", text, dumped(fitting))
    return dumped(fitting), fitting


def _as_written(cursor: Cursor, schema: Schema) -> Parse[tuple[str, Json]]:
    """A word without quotes where a string is wanted: 00317 is not a number there."""
    written = yield from word(cursor)
    found = (
        None
        if meaning(written) is None
        else typed(written.lower() if written in {"True", "False"} else written, schema)
    )
    if dumped(found) != written:
        yield Repair("coerced", written, dumped(found))
    return dumped(found), found


def typed(found: Json, schema: Schema) -> Json:
    """A value that was read whole, as the schema wants it."""
    if isinstance(found, str) and not fits(found, schema):
        return from_text(found, schema)
    return coerced(found, schema)


# ---- containers


def members(cursor: Cursor, schema: Schema, state: Arguments, depth: int, key: str | None = None) -> Parse[None]:
    """Say the rest of an object whose `{`, and perhaps first `key`, is consumed."""
    lead = yield from _members(cursor, schema, state, depth, "{", key)
    yield "{}" if lead == "{" else "}"


def _members(
    cursor: Cursor, schema: Schema, state: Arguments, depth: int, lead: str, key: str | None = None
) -> Parse[str]:
    """Say members up to the end of their object; return what would lead to another."""
    if depth > MAX_NESTING:
        raise Malformed("nesting")
    doubled = key is None and (yield from is_doubled(cursor))
    key = key or (yield from next_key(cursor, first=True))
    while key is not None:
        if lead == "{" and depth == 1 and (yield from _is_wrapped(cursor, key, schema)):
            cursor.take(1)
            yield Repair("unwrapped", key, "")
            lead = yield from _members(cursor, schema, state, depth, lead)
        else:
            name = schema.key(key)
            if name != key:
                yield Repair("key", key, name)
            lead = yield from member(cursor, name, schema, state, lead, "object", depth)
        key = yield from next_key(cursor)
    if doubled:
        yield from cursor.accept("}")
    return lead


def _is_wrapped(cursor: Cursor, key: str, schema: Schema) -> Parse[bool]:
    """Is `key` wrapped around the arguments: an object whose first key is one of them?"""
    if not is_wrapper(key, schema) or (yield from look(cursor)) != "{":
        return False
    mark = cursor.mark()
    cursor.take(1)
    try:
        inner = yield from next_key(cursor, first=True)
    except Malformed:
        inner = None
    finally:
        cursor.rewind(mark)
    return inner is not None and schema.key(inner) in schema.properties


def is_wrapper(key: str, schema: Schema) -> bool:
    """May `key` be wrapped around the arguments, and not one of them?"""
    return key in _WRAPPERS and key not in schema.properties


def member(
    cursor: Cursor, name: str, schema: Schema, state: Arguments, lead: str, where: Where, depth: int
) -> Parse[str]:
    """Say one member with the comma or brace that leads to it; return what leads to the next."""
    if name in state.seen:
        yield from collect(value(cursor, ANYTHING, where, depth), cursor)
        yield Repair("duplicate-key", name, "")
        return lead
    state.seen.add(name)
    opening = f'{lead}"{escaped(name)}":'
    char = yield from look(cursor)
    if is_direct(char, schema.property(name), where):
        yield from _behind(opening, value(cursor, schema.property(name), where, depth))
        return ","
    text, found = yield from _mended(cursor, schema.property(name), where, depth)
    if found is None and is_dropped(name, schema):
        yield Repair("null-dropped", name, "")
        return lead
    if not fits(found, schema.property(name)):
        state.unfit.add(name)
    yield opening + text
    return ","


def _behind(opening: str, parse: Parse[None]) -> Parse[None]:
    """Say `opening` with the first piece of `parse`, and not before."""
    for item in parse:
        if isinstance(item, str):
            yield opening + item
            break
        yield item
    yield from parse


def elements(cursor: Cursor, schema: Schema, end: str, depth: int) -> Parse[None]:
    """Say an array whose bracket is consumed, up to `end`."""
    if depth > MAX_NESTING:
        raise Malformed("nesting")
    yield "["
    lead = ""
    while not (yield from _at_end(cursor, end)):
        yield lead
        yield from value(cursor, schema, "array", depth)
        lead = ","
    yield "]"


def next_key(cursor: Cursor, *, first: bool = False) -> Parse[str | None]:
    """Consume a key and its colon; None when the object ends, by its brace or because nothing else can be."""
    if (yield from _at_end(cursor, "}", bare=first)):
        return None
    char = yield from look(cursor)
    if char in QUOTES:
        cursor.take(1)
        text, _ = yield from collect(string(cursor, char, "key"), cursor)
        key = decoded(text)
        if char != '"':
            yield Repair("quotes", char, '"')
    else:
        key = yield from cursor.take_while(_KEY_END)
        if not key:
            raise Malformed(char)
        yield Repair("unquoted-key", key, f'"{key}"')
    mark = yield from look(cursor)
    if not mark:
        raise Cut
    if mark not in ":=：":
        raise Malformed(mark)
    cursor.take(1)
    if mark == "=":
        yield from cursor.accept(">")
        yield Repair("equals-sign", "=", ":")
    if not (yield from look(cursor)):
        raise Cut
    return key


def _at_end(cursor: Cursor, end: str, *, bare: bool = True) -> Parse[bool]:
    """Consume separators, and the end of this container if it is here.

    `bare`: may an item without quotes stand here even if no separator came before it?
    """
    commas = 0
    while True:
        char = yield from look(cursor)
        if char in {",", ";", "，", "；"} and char:
            cursor.take(1)
            commas += 1
            continue
        break
    if char == end:
        cursor.take(1)
        if commas:
            yield Repair("trailing-comma", "," + end, end)
        return True
    if not char:
        if commas or cursor.cut:
            raise Cut
        yield Repair("missing-bracket", "", end)
        return True
    # Another closer, or something that cannot begin an item: this container was not closed. Whoever opened what
    # closes here will consume it.
    prose = not bare and not commas and char not in QUOTES
    if prose or char in "}])" or (char in "<`~" and (yield from _is_aftermath(cursor, char))):
        yield Repair("missing-bracket", char, end + char)
        return True
    return False


def _is_aftermath(cursor: Cursor, char: str) -> Parse[bool]:
    return char == "<" or (yield from cursor.peek(3)) == char * 3


def is_doubled(cursor: Cursor) -> Parse[bool]:
    """`{{"a": 1}}`: braces doubled as in the template that the model was shown."""
    if (yield from look(cursor)) != "{":
        return False
    cursor.take(1)
    yield Repair("doubled-braces", "{{", "{")
    return True
