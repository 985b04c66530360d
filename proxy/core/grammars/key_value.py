"""Calls as pairs of key and value tags.

<tool_call>find_ferry
<arg_key>to</arg_key>
<arg_value>Coll</arg_value>
</tool_call>
"""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from proxy.core.arguments import Arguments
from proxy.core.calls import call
from proxy.core.cursor import Cursor, Cut, Malformed, Parse
from proxy.core.grammar import Openings
from proxy.core.grammars.tags import is_over, raw_member
from proxy.core.offer import Offer
from proxy.core.strings import RawText
from proxy.core.tools import Tool, Tools
from proxy.core.words import Words, words

_NAME_END: Final = re.compile(r"[^\w.:\-/]")
_KEY_END: Final = re.compile(r"[<\n]")


@dataclass(frozen=True)
class KeyValueCall:
    """A name, then keys and values in tags. Shipping tokenizers add a `suffix` to every tag."""

    open: tuple[str, ...] = ("<tool_call>",)
    close: tuple[str, ...] = ("</tool_call>",)
    around: tuple[str, ...] = ()
    """what may stand before the first `open`"""
    suffix: str = ""
    nameline: bool = False
    """a server may have eaten the opening word: the name stands at the start of a line, a key behind it"""

    marked = True

    @property
    def closers(self) -> tuple[str, ...]:
        return self.close

    def openings(self, tools: Tools) -> Openings:
        return Openings(anywhere=self.open + self.around, line=tuple(tools.all) if self.nameline else ())

    def _tag(self, name: str) -> str:
        return f"<{name}{self.suffix}>"

    @cached_property
    def _value_text(self) -> RawText:
        return RawText((self._tag("/arg_value"),))

    @cached_property
    def _tags(self) -> Words:
        return Words((self._tag("arg_key"), self._tag("arg_value"), *self.close))

    @cached_property
    def _ends(self) -> Words:
        return Words(self.close)

    def parse(self, cursor: Cursor, offer: Offer, opening: str) -> Parse[None]:
        if opening in self.around:
            yield from cursor.space()
            if not (yield from cursor.accept_any(words(*self.open))):
                raise Malformed(opening)
        yield from cursor.space()
        bare = opening not in self.open + self.around
        name = opening if bare else (yield from cursor.take_while(_NAME_END))
        tool = offer.tools.find(name)
        if tool is None:
            raise Cut if cursor.at_end and offer.tools.begins(name) else Malformed(name)
        yield from cursor.space()
        yield from cursor.accept(self._tag("tool_sep"))
        if bare and (yield from cursor.peek_while(self._tag("arg_key"))) != self._tag("arg_key"):
            raise Malformed(name)
        state = Arguments()
        yield from call(cursor, tool, self._pairs(cursor, tool, state), state, marked=True)

    def _pairs(self, cursor: Cursor, tool: Tool, state: Arguments) -> Parse[None]:
        lead, key = "{", ""
        while True:
            yield from self._space(cursor)
            if (yield from cursor.accept(self._tag("arg_key"))):
                # A key without a value is replaced by the next one.
                key = tool.schema.key((yield from cursor.take_while(_KEY_END)).strip())
                yield from cursor.accept(self._tag("/arg_key"))
            elif key and (yield from cursor.accept(self._tag("arg_value"))):
                lead, key = (yield from raw_member(cursor, self._text(cursor), key, tool, state, lead)), ""
            elif not key and (yield from is_over(cursor, self._ends, self._tags, begun=lead != "{")):
                break
            else:
                raise Cut if cursor.at_end else Malformed(tool.name)
        if lead == "{" and tool.schema.required:
            raise Malformed(tool.name)
        yield "{}" if lead == "{" else "}"

    def _space(self, cursor: Cursor) -> Parse[None]:
        """White space, and line breaks that were written out as a backslash and an n."""
        yield from cursor.space()
        while (yield from cursor.accept("\\n")):
            yield from cursor.space()

    def _text(self, cursor: Cursor) -> Parse[None]:
        word = yield from self._value_text.say(cursor)
        if word is None:
            raise Cut
        cursor.take(len(word))
