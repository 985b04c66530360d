"""Calls whose parameters are elements, and nest: MiniMax M3. A namespace word stands before every tag.

    ]<]minimax[>[<tool_call>
    ]<]minimax[>[<invoke name="find_ferry">]<]minimax[>[<to>Coll]<]minimax[>[</to>]<]minimax[>[</invoke>
    ]<]minimax[>[</tool_call>

An array is a row of `<item>`s, or of elements of the same name.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from proxy.core.arguments import MAX_NESTING, Arguments, from_text, typed
from proxy.core.calls import call
from proxy.core.coerce import is_dropped
from proxy.core.cursor import Cursor, Cut, Malformed, Parse, collect
from proxy.core.events import Repair
from proxy.core.grammar import Openings
from proxy.core.grammars.tags import is_raw, typed_member
from proxy.core.offer import Offer
from proxy.core.scalars import dumped
from proxy.core.schema import Json, Schema
from proxy.core.strings import RawText, decoded, escaped
from proxy.core.tools import Tool, Tools

_TAG_END: Final = re.compile(r"[>\n]")
_ITEM: Final = "item"


@dataclass(frozen=True)
class ElementCall:
    """Elements, each tag behind `prefix`."""

    prefix: str
    around: str
    call: str

    marked = True

    @property
    def closers(self) -> tuple[str, ...]:
        return tuple(f"{self.prefix}{gap}</{name}>" for name in (self.around, self.call) for gap in ("", " ", "\n"))

    def openings(self, tools: Tools) -> Openings:
        tags = (f"<{self.around}>", f"<{self.call} ")
        return Openings(anywhere=tuple(f"{self.prefix}{gap}{tag}" for tag in tags for gap in ("", " ", "\n")))

    @cached_property
    def _text(self) -> RawText:
        return RawText((self.prefix,))

    def parse(self, cursor: Cursor, offer: Offer, opening: str) -> Parse[None]:
        if self.around in opening:
            yield from cursor.space()
            yield from cursor.expect(self.prefix)
            yield from cursor.space()
            yield from cursor.expect(f"<{self.call} ")
        head = yield from cursor.take_while(_TAG_END)
        name = head.partition("=")[2].strip(" \"'")
        tool = offer.tools.find(name)
        if tool is None:
            raise Cut if cursor.at_end and offer.tools.begins(name) else Malformed(name)
        yield from cursor.expect(">")
        state = Arguments()
        yield from call(cursor, tool, self._members(cursor, tool, state), state, marked=True)

    def _members(self, cursor: Cursor, tool: Tool, state: Arguments) -> Parse[None]:
        lead = yield from self._untagged(cursor, tool, state)
        while True:
            tag = yield from self._tag(cursor)
            if tag is None or tag == f"/{self.call}":
                break
            if tag.startswith("/") or not tag:
                raise Malformed(tag)
            key = tool.schema.key(tag)
            schema = tool.schema.property(key)
            if key in state.seen:
                yield from collect(self._value(cursor, schema, 1), cursor)
                yield Repair("duplicate-key", key, "")
                continue
            state.seen.add(key)
            if is_raw(schema):
                yield f'{lead}"{escaped(key)}":"'
                yield from self._raw(cursor)
                yield '"'
            else:
                found = typed((yield from self._value(cursor, schema, 1)), schema)
                while isinstance(found, list) and (yield from self._is_again(cursor, tag)):
                    found += typed((yield from self._value(cursor, schema, 1)), schema)
                if found is None and is_dropped(key, tool.schema):
                    continue
                yield f'{lead}"{escaped(key)}":{dumped(found)}'
            lead = ","
        yield "{}" if lead == "{" else "}"

    def _untagged(self, cursor: Cursor, tool: Tool, state: Arguments) -> Parse[str]:
        """M3 checkpoints leave out the opening tag of the first parameter; the closing tag names it (vLLM #51075)."""
        yield from cursor.space()
        if cursor.at_end or (yield from cursor.peek_while(self.prefix)) == self.prefix:
            return "{"
        text, word = yield from collect(self._text.say(cursor), cursor)
        if word is None:
            raise Cut
        tag = (yield from self._tag(cursor)) or ""
        key = tool.schema.key(tag[1:])
        if not tag.startswith("/") or key not in tool.schema.properties:
            raise Malformed(tag)
        state.seen.add(key)
        yield Repair("missing-tag", f"</{key}>", f"<{key}>")
        return (yield from typed_member(decoded(text), key, tool, "{"))

    def _is_again(self, cursor: Cursor, tag: str) -> Parse[bool]:
        """Consume the next tag if it is the same: a row of siblings is an array."""
        mark = cursor.mark()
        try:
            if (yield from self._tag(cursor)) == tag:
                cursor.release(mark)
                return True
        except (Malformed, Cut):
            pass
        cursor.rewind(mark)
        return False

    def _tag(self, cursor: Cursor) -> Parse[str | None]:
        """The next tag; None at the end of the text, where only closing tags may be missing."""
        yield from cursor.space()
        if cursor.at_end:
            if cursor.cut:
                raise Cut
            return None
        yield from cursor.expect(self.prefix)
        yield from cursor.space()
        yield from cursor.expect("<")
        tag = yield from cursor.take_while(_TAG_END)
        if cursor.at_end:
            raise Cut
        yield from cursor.expect(">")
        return tag

    def _raw(self, cursor: Cursor) -> Parse[None]:
        """Say text up to and with the next closing tag."""
        if (yield from self._text.say(cursor)) is None:
            raise Cut
        tag = yield from self._tag(cursor)
        if not tag or not tag.startswith("/"):
            raise Malformed(tag or "")

    def _value(self, cursor: Cursor, schema: Schema, depth: int) -> Parse[Json]:
        """The value of an element whose opening tag is consumed, with its closing tag."""
        if depth > MAX_NESTING:
            raise Malformed("nesting")
        text, word = yield from collect(self._text.say(cursor), cursor)
        if word is None:
            raise Cut
        fields: list[tuple[str, Json]] = []
        while True:
            tag = yield from self._tag(cursor)
            if tag is None or tag.startswith("/"):
                break
            inner = schema.items if tag == _ITEM else schema.property(schema.key(tag))
            fields.append((tag, (yield from self._value(cursor, inner, depth + 1))))
        if fields:
            return _gathered(fields)
        if not text.strip() and schema.types & {"array", "object"}:
            return [] if "array" in schema.types else {}
        return from_text(decoded(text), schema)


def _gathered(fields: list[tuple[str, Json]]) -> Json:
    if all(name == _ITEM for name, _ in fields):
        return [value for _, value in fields]
    result: dict[str, Json] = {}
    for name, value in fields:
        if name not in result:
            result[name] = value
        elif isinstance(result[name], list):
            result[name].append(value)
        else:
            result[name] = [result[name], value]
    return result
