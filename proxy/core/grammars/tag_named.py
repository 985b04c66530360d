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
from proxy.core.calls import arguments, call, call_of_nothing, ending_a_line
from proxy.core.cursor import Cursor, Cut, Malformed, Parse
from proxy.core.grammar import Openings
from proxy.core.grammars.tags import raw_member
from proxy.core.layout import look
from proxy.core.offer import Offer
from proxy.core.strings import RawText
from proxy.core.tools import Tool, Tools

_NAME_END: Final = re.compile(r"[^\w.\-]")


@dataclass(frozen=True, slots=True)
class TagNamedCall:
    """`<tool><parameter>value</parameter></tool>`."""

    marked = False
    closers = ()

    def openings(self, tools: Tools) -> Openings:
        names = {spelling for name in tools.all for spelling in (name, _camel(name))}
        return Openings(line=tuple(f"<{name}{end}" for name in sorted(names) for end in (">", "/>", " />")))

    def parse(self, cursor: Cursor, offer: Offer, opening: str) -> Parse[None]:
        tool = offer.tools.find(opening.strip("</ >"))
        if tool is None:
            raise Malformed(opening)
        state = Arguments()
        if opening.endswith("/>"):
            yield from ending_a_line(cursor, call_of_nothing(tool, marked=False))
            return
        if (yield from look(cursor)) == "{":
            body = arguments(cursor, tool, state)
        else:
            body = parameters(cursor, tool, state, opening.strip("</ >"))
        yield from call(cursor, tool, body, state, marked=False)
        yield from cursor.space()
        yield from cursor.accept(f"</{opening.strip('</ >')}>")


@dataclass(frozen=True, slots=True)
class NameTagCall:
    """`<invoke><tool_name>find_ferry</tool_name><parameters><to>Coll</to></parameters></invoke>`."""

    open: tuple[str, ...]
    name: str
    parameters: str

    marked = True

    @property
    def closers(self) -> tuple[str, ...]:
        return tuple(word.replace("<", "</") for word in (*self.open, f"<{self.parameters}>", f"<{self.name}>"))

    def openings(self, tools: Tools) -> Openings:
        return Openings(anywhere=self.open)

    def parse(self, cursor: Cursor, offer: Offer, opening: str) -> Parse[None]:
        yield from cursor.space()
        yield from cursor.expect(f"<{self.name}>")
        name = yield from cursor.take_while(_NAME_END)
        tool = offer.tools.find(name)
        if tool is None:
            raise Malformed(name)
        yield from cursor.expect(f"</{self.name}>")
        yield from cursor.space()
        yield from cursor.expect(f"<{self.parameters}>")
        state = Arguments()
        if (yield from look(cursor)) == "{":
            body = arguments(cursor, tool, state)
        else:
            body = parameters(cursor, tool, state, self.parameters)
        yield from call(cursor, tool, body, state, marked=True)


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def parameters(cursor: Cursor, tool: Tool, state: Arguments, end: str) -> Parse[None]:
    """Say parameters that are tags, up to the closing tag `end`."""
    lead = "{"
    while True:
        yield from cursor.space()
        if cursor.at_end and lead != "{":
            break
        yield from cursor.expect("<")
        if (yield from cursor.accept(f"/{end}>")):
            break
        name = yield from cursor.take_while(_NAME_END)
        key = tool.schema.key(name)
        if key not in tool.schema.properties:
            raise Malformed(name)
        yield from cursor.expect(">")
        lead = yield from _value(cursor, tool, state, key, name, lead)
    yield "{}" if lead == "{" else "}"


def _value(cursor: Cursor, tool: Tool, state: Arguments, key: str, name: str, lead: str) -> Parse[str]:
    if not (yield from cursor.accept("\r\n")):
        yield from cursor.accept("\n")
    inside = _text(cursor, RawText((f"</{name}>", f"\n</{name}>", f"\r\n</{name}>")))
    return (yield from raw_member(cursor, inside, key, tool, state, lead))


def _text(cursor: Cursor, raw: RawText) -> Parse[None]:
    word = yield from raw.say(cursor)
    if word is None:
        raise Cut
    cursor.take(len(word))
