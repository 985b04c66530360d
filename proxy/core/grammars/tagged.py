"""Calls in XML-like tags with raw text as values.

    <tool_call>
    <function=find_ferry>
    <parameter=to>
    Coll
    </parameter>
    </function>
    </tool_call>

Nothing is escaped in a value: it ends at its closing tag and holds anything else. Its type is the schema's.
"""

import html
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from proxy.core.arguments import Arguments, is_wrapper
from proxy.core.calls import arguments, call, call_of_nothing
from proxy.core.cursor import BOUND, Cursor, Cut, Malformed, Parse, collect
from proxy.core.events import Repair
from proxy.core.grammar import Openings
from proxy.core.grammars.tags import is_over, look_past_space, raw_member
from proxy.core.offer import Offer
from proxy.core.strings import RawText, escaped
from proxy.core.tools import Tool, Tools
from proxy.core.words import Words, words

Layout = Literal["verbatim", "line", "strip"]
"""Which white space around a value is not part of it: none, one newline on each side, all."""

_ATTRIBUTE: Final = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_CDATA: Final = "<![CDATA["
_CDATA_END: Final = "]]>"
_CDATA_TEXT: Final = RawText((_CDATA_END,))


@dataclass(frozen=True)
class TaggedCall:
    """A tag that names the tool, tags that name its parameters."""

    call: tuple[str, ...]
    """how the tag that names the tool begins: `<invoke`, `<function`"""
    parameter: tuple[str, ...]
    parameter_close: tuple[str, ...]
    call_close: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    """what may stand around the calls"""
    close: tuple[str, ...] = ()
    head_end: str = ">"
    """what ends a tag"""
    layout: Layout = "verbatim"
    needs_all: bool = False
    """a block without a required parameter is no call"""
    json: tuple[str, ...] = ()
    """what may stand before arguments that are one JSON object"""

    marked = True

    @property
    def closers(self) -> tuple[str, ...]:
        return self.close + self.call_close

    def openings(self, tools: Tools) -> Openings:
        return Openings(anywhere=self.open + self.call)

    @cached_property
    def _calls(self) -> Words:
        return Words(self.call)

    @cached_property
    def _around(self) -> Words:
        return Words(self.open)

    @cached_property
    def _parameters(self) -> Words:
        return Words(self.parameter)

    @cached_property
    def _ends(self) -> Words:
        return Words(self.call_close + self.close)

    @cached_property
    def _tags(self) -> Words:
        return Words(self.parameter + self.call_close)

    @cached_property
    def _raw(self) -> RawText:
        ends = self.parameter_close + self.parameter + self.call_close + self.close
        if self.layout == "line":
            ends += tuple(newline + word for word in ends for newline in ("\n", "\r\n"))
        return RawText(ends)

    @cached_property
    def _next(self) -> RawText:
        return RawText(self.parameter_close + self.call + self.open)

    def parse(self, cursor: Cursor, offer: Offer, opening: str) -> Parse[None]:
        if opening not in self.call:
            yield from cursor.space()
            while (yield from cursor.accept_any(self._around)):
                yield from cursor.space()
            if not (yield from cursor.accept_any(self._calls)):
                raise Malformed(opening)
        name, attributes = yield from self._head(cursor, offer)
        tool = offer.tools.find(name)
        if tool is None:
            raise Malformed(name)
        if tool.name != name:
            yield Repair("tool-name", name, tool.name)
        state = Arguments()
        yield from cursor.accept_any(words(*self.json))
        if attributes.get("/"):
            yield from call_of_nothing(tool)
            return
        if (yield from look_past_space(cursor)) == "{":
            body = arguments(cursor, tool, state)
        else:
            body = self._parameters_of(cursor, tool, state)
        yield from call(cursor, tool, body, state, marked=not self.needs_all)

    def _head(self, cursor: Cursor, offer: Offer | None = None) -> Parse[tuple[str, dict[str, str]]]:
        """The name and the attributes of a tag whose beginning is consumed; with an `offer`, of a tool's tag."""
        while True:
            ahead = cursor.window
            head, end, _ = ahead.partition(self.head_end)
            if "\n" in head or len(head) == BOUND:
                raise Malformed(head)
            if end:
                break
            if not (yield from cursor.wait()):
                name = ahead.rpartition("=")[2].strip(" \"'")
                raise Cut if offer is None or offer.tools.begins(name) else Malformed(name)
        cursor.take(len(head) + len(end))
        return _named(head)

    def _parameters_of(self, cursor: Cursor, tool: Tool, state: Arguments) -> Parse[None]:
        lead = "{"
        while True:
            yield from cursor.space()
            if (yield from cursor.accept_any(self._parameters)):
                written, attributes = yield from self._head(cursor)
                key = tool.schema.key(written)
                wrapped = lead == "{" and is_wrapper(written, tool.schema)
                if wrapped and (yield from look_past_space(cursor)) == "{":
                    yield from arguments(cursor, tool, state)
                    yield from self._rest(cursor)
                    return
                lead = yield from self._value(cursor, tool, state, key, attributes, lead)
            elif (yield from is_over(cursor, self._ends, self._tags, begun=lead != "{")):
                break
            else:
                raise Malformed(tool.name)
        if lead == "{" and tool.schema.required:
            raise Malformed(tool.name)
        yield "{}" if lead == "{" else "}"

    def _rest(self, cursor: Cursor) -> Parse[None]:
        """Consume the closing tags behind arguments that were an object."""
        for ends in (words(*self.parameter_close), self._ends):
            yield from cursor.space()
            yield from cursor.accept_any(ends)

    def _value(
        self, cursor: Cursor, tool: Tool, state: Arguments, key: str, attributes: dict[str, str], lead: str
    ) -> Parse[str]:
        """Say one parameter with what leads to it; return what leads to the next."""
        encoded = attributes.get("string") == "false" or attributes.get("type", "string") != "string"
        if (yield from self._is_cdata(cursor)):
            inside = self._cdata(cursor)
        else:
            if self.layout == "line" and not (yield from cursor.accept("\r\n")):
                yield from cursor.accept("\n")
            inside = self._text(cursor, tool, state)
        strip = self.layout == "strip"
        return (yield from raw_member(cursor, inside, key, tool, state, lead, encoded=encoded, strip=strip))

    def _is_cdata(self, cursor: Cursor) -> Parse[bool]:
        """Consume the beginning of a CDATA section, and the space before it."""
        if (yield from look_past_space(cursor)) != "<":
            return False
        mark = cursor.mark()
        yield from cursor.space()
        if (yield from cursor.accept(_CDATA)):
            cursor.release(mark)
            return True
        cursor.rewind(mark)
        return False

    def _cdata(self, cursor: Cursor) -> Parse[None]:
        if (yield from _CDATA_TEXT.say(cursor)) is None:
            raise Cut
        cursor.take(len(_CDATA_END))
        yield from cursor.space()
        for word in self.parameter_close:
            yield from cursor.accept(word)

    def _text(self, cursor: Cursor, tool: Tool, state: Arguments) -> Parse[None]:
        """Say a raw value up to and with its closing tag, or up to what shows that the tag is missing."""
        while True:
            word = yield from self._raw.say(cursor)
            if word is None:
                raise Cut
            bare = word.strip()
            if bare in self.parameter_close:
                cursor.take(len(word))
                return
            at_line_start = word != bare
            if (
                bare in self.parameter
                and at_line_start
                and (yield from self._begins_another(cursor, tool, state, word))
            ):
                yield Repair("missing-tag", word, self.parameter_close[0])
                return
            if bare in self.call_close + self.close:
                if (yield from self._ends_call(cursor, word)):
                    yield Repair("missing-tag", word, self.parameter_close[0])
                    return
            else:
                yield escaped(cursor.take(len(word)))

    def _begins_another(self, cursor: Cursor, tool: Tool, state: Arguments, word: str) -> Parse[bool]:
        """Is this tag, inside a value, the next parameter? Only one that the tool has and that is still missing."""
        cursor.mark()
        cursor.take(len(word))
        try:
            name, _ = yield from self._head(cursor)
        except (Malformed, Cut):
            name = ""
        cursor.rewind()
        key = tool.schema.key(name)
        return key in tool.schema.properties and key not in state.seen

    def _ends_call(self, cursor: Cursor, word: str) -> Parse[bool]:
        """A closing tag inside a value: is the value's own closing tag missing? If not, say what it was.

        It is missing if none comes before the next call, or the end of the text.
        """
        mark = cursor.mark()
        cursor.take(len(word))
        _, end = yield from collect(self._next.say(cursor), cursor)
        if end not in self.parameter_close:
            cursor.rewind(mark)
            return True
        said = cursor.since(mark)
        cursor.release(mark)
        yield escaped(said.removesuffix("\n") if self.layout == "line" else said)
        return False


def _named(head: str) -> tuple[str, dict[str, str]]:
    """The name that a tag gives, `=name` or `name="name"`, and its attributes; `/` for a tag that closes itself."""
    attributes: dict[str, str] = {}
    if head.endswith("/"):
        head, attributes["/"] = head[:-1], "/"
    if head.startswith(("=", ":")):
        return head[1:].strip().strip("\"'"), attributes
    for name, double, single, bare in _ATTRIBUTE.findall(head):
        attributes[name] = html.unescape(double or single or bare)
    return attributes.get("name") or attributes.get("tool") or attributes.get("key") or "", attributes
