"""What the grammars in tags share: values that are raw text, and how a block ends."""

from proxy.core.arguments import Arguments, from_text, typed, value_of
from proxy.core.coerce import is_dropped
from proxy.core.cursor import Cursor, Cut, Malformed, Parse, collect
from proxy.core.events import Repair
from proxy.core.scalars import dumped
from proxy.core.schema import Schema
from proxy.core.strings import decoded, escaped
from proxy.core.tools import Tool
from proxy.core.words import Words


def is_raw(schema: Schema) -> bool:
    """May raw text for this schema go out as a string while it is written?"""
    return schema.choices is None and schema.types <= {"string"}


def raw_member(
    cursor: Cursor,
    inside: Parse[None],
    key: str,
    tool: Tool,
    state: Arguments,
    lead: str,
    *,
    encoded: bool = False,
    strip: bool = False,
) -> Parse[str]:
    """Say a parameter whose raw text `inside` says, with what leads to it; return what leads to the next.

    A plain string goes out as it is written, unless the dialect says that the text is JSON (`encoded`) or that the
    white space around it is not its own (`strip`).
    """
    if key in state.seen:
        yield from collect(inside, cursor)
        yield Repair("duplicate-key", key, "")
        return lead
    state.seen.add(key)
    if is_raw(tool.schema.property(key)) and not encoded and not strip:
        yield f'{lead}"{escaped(key)}":"'
        yield from inside
        yield '"'
        return ","
    text, _ = yield from collect(inside, cursor)
    raw = decoded(text)
    return (yield from typed_member(raw.strip() if strip else raw, key, tool, lead, encoded=encoded))


def typed_member(text: str, key: str, tool: Tool, lead: str, *, encoded: bool = False) -> Parse[str]:
    """Say a parameter whose raw text had to be whole before it could be typed; return what leads to the next.

    `encoded`: the dialect says that the text is JSON.
    """
    schema = tool.schema.property(key)
    try:
        plain = schema.types == {"string"} and not text.lstrip().startswith('"')
        found = typed(value_of(text), schema) if encoded and not plain else from_text(text, schema)
    except Malformed:
        found = from_text(text, schema)
    if found is None and is_dropped(key, tool.schema):
        yield Repair("null-dropped", key, "")
        return lead
    yield f'{lead}"{escaped(key)}":{dumped(found)}'
    return ","


def is_over(cursor: Cursor, ends: Words, tags: Words, *, begun: bool) -> Parse[bool]:
    """Is a call in tags over? Consumes its closing tag, which may be missing or cut off at the end of the text."""
    if (yield from cursor.accept_any(ends)):
        return True
    if cursor.at_end or (cursor.closed and tags.are_begun_by(cursor.rest)):
        if cursor.cut or not (cursor.at_end or ends.are_begun_by(cursor.rest)):
            raise Cut
        yield from cursor.drop()
        return True
    return begun


def look_past_space(cursor: Cursor) -> Parse[str]:
    """The next character that is not space, without consuming the space."""
    cursor.mark()
    yield from cursor.space()
    char = yield from cursor.peek()
    cursor.rewind()
    return char
