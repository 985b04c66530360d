"""Calls in which the tags are the names: Cline's and Void's XML.

    <write_file>
    <path>todo.txt</path>
    <content>
    buy rope
    </content>
    </write_file>

Any HTML could look like this, so a call is believed only when all its required parameters are there.
"""

import re
from dataclasses import dataclass
from typing import Final

from proxy.core.arguments import Arguments
from proxy.core.calls import call
from proxy.core.cursor import Cursor, Cut, Malformed, Parse, collect
from proxy.core.grammar import Openings
from proxy.core.grammars.tagged import is_raw, said_text
from proxy.core.offer import Offer
from proxy.core.strings import RawText, decoded, escaped
from proxy.core.tools import Tool, Tools

_NAME_END: Final = re.compile(r"[^\w.\-]")


@dataclass(frozen=True, slots=True)
class TagNamedCall:
    """`<tool><parameter>value</parameter></tool>`."""

    marked = False
    closers = ()

    def openings(self, tools: Tools) -> Openings:
        return Openings(anywhere=tuple(f"<{name}>" for name in tools.all))

    def parse(self, cursor: Cursor, offer: Offer, opening: str) -> Parse[None]:
        tool = offer.tools.find(opening[1:-1])
        if tool is None:
            raise Malformed(opening)
        state = Arguments()
        yield from call(cursor, tool, self._parameters(cursor, tool, state), state, marked=False)

    def _parameters(self, cursor: Cursor, tool: Tool, state: Arguments) -> Parse[None]:
        lead = "{"
        while True:
            yield from cursor.space()
            if cursor.at_end and lead != "{":
                break
            yield from cursor.expect("<")
            if (yield from cursor.accept(f"/{tool.name}>")):
                break
            name = yield from cursor.take_while(_NAME_END)
            key = tool.schema.key(name)
            if key not in tool.schema.properties:
                raise Malformed(name)
            yield from cursor.expect(">")
            state.seen.add(key)
            yield f'{lead}"{escaped(key)}":'
            yield from self._value(cursor, tool, key, name)
            lead = ","
        yield "{}" if lead == "{" else "}"

    def _value(self, cursor: Cursor, tool: Tool, key: str, name: str) -> Parse[None]:
        schema = tool.schema.property(key)
        if not (yield from cursor.accept("\r\n")):
            yield from cursor.accept("\n")
        inside = _text(cursor, RawText((f"</{name}>", f"\n</{name}>", f"\r\n</{name}>")))
        if is_raw(schema):
            yield '"'
            yield from inside
            yield '"'
        else:
            text, _ = yield from collect(inside, cursor)
            yield said_text(decoded(text), schema)


def _text(cursor: Cursor, raw: RawText) -> Parse[None]:
    word = yield from raw.say(cursor)
    if word is None:
        raise Cut
    cursor.take(len(word))
