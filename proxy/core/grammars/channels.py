"""Messages with a header that says whom they are for: Harmony (gpt-oss) and Muse Glimmer.

    <|channel|>analysis<|message|>Need it.<|end|>
    <|start|>assistant<|channel|>commentary to=functions.find_ferry <|constrain|>json<|message|>{"to": "Coll"}<|call|>
    to=self<|message|>Need it.<|eom|><|start|>assistant to=user<|message|>At noon.<|eot|>

A message to a tool is a call, one to oneself (or on the analysis channel) is reasoning, the others are the answer.
"""

import re
from dataclasses import dataclass
from typing import Final

from proxy.core.arguments import Arguments
from proxy.core.calls import arguments, call, call_of_nothing, plain_text_until
from proxy.core.cursor import BOUND, Cursor, Cut, Malformed, Parse
from proxy.core.grammar import Openings, Section
from proxy.core.grammars.call_objects import calls_at
from proxy.core.layout import look
from proxy.core.offer import Offer
from proxy.core.tools import Tool, Tools
from proxy.core.words import Words

_BODY: Final = "<|message|>"
_RECIPIENT: Final = re.compile(r"to=([\w.\-/:]+)")
_HEADER: Final = re.compile(
    r"(?:<\|start\|>)?\s*(?:assistant)?\s*(?:to=\S+?)?\s*(?:<\|channel\|>)?\s*"
    r"(?:analysis|commentary|final|\w+)?\s*(?:to=[^\s<]+)?\s*(?:<\|(?:constrain|channel)\|>\s*\w+|json|code|text)?\s*"
)
_HEADER_END: Final = re.compile(r"<\|message\|>|\{")
"""What ends a header; a server that hides special tokens leaves `to=name json{...}`."""
_NO_HEADER: Final = re.compile(r"[^\w\s.=:/<|>\-]|\n\n|<\|(?:end|call|return|eom|eot)\|>")
"""What a header never holds: the word that opened it was only talked about."""
_FORMAT: Final = re.compile(r"(?:json|code)$")
"""What is glued to the recipient where a token between them was eaten."""
_ENDS: Final = ("<|end|>", "<|call|>", "<|return|>", "<|eom|>", "<|eot|>")
_END_WORDS: Final = Words(_ENDS)
_STARTS: Final = ("<|start|>", "<|channel|>")
_ANSWERS: Final = {"assistant", "all"}


@dataclass(frozen=True, slots=True)
class Channels:
    """A header up to `<|message|>`, then a body."""

    open: tuple[str, ...]
    line: tuple[str, ...] = ()
    """openings that elsewhere are only talked about"""
    start: tuple[str, ...] = ()
    """how a header may begin at the start of the answer, its first tokens being in the prompt"""

    marked = True
    closers = _ENDS

    def openings(self, tools: Tools) -> Openings:
        return Openings(anywhere=self.open, line=self.line, start=self.start)

    def parse(self, cursor: Cursor, offer: Offer, opening: str) -> Parse[Section | None]:
        header = yield from self._header(cursor, offer, opening)
        found = _RECIPIENT.search(header)
        recipient = found.group(1) if found else ""
        tool = offer.tools.find(recipient) or offer.tools.find(_FORMAT.sub("", recipient)) if recipient else None
        if tool:
            return (yield from self._call(cursor, tool))
        if recipient == "self" or (not recipient and "analysis" in header):
            return Section("reasoning", _ENDS, until=_STARTS)
        if recipient == "user":
            return Section("answer", _ENDS, quoted=True)
        if recipient in _ANSWERS or (not recipient and ("final" in header or "commentary" in header)):
            return Section("answer", _ENDS)
        raise Malformed(header)

    def _header(self, cursor: Cursor, offer: Offer, opening: str) -> Parse[str]:
        """The header, consumed with the word that ends it."""
        while True:
            ahead = cursor.window
            found = _HEADER_END.search(ahead)
            header = ahead[: found.start()] if found else ahead
            if len(header) == BOUND or _NO_HEADER.search(header):
                raise Malformed(header)
            if found:
                cursor.take(len(header))
                yield from cursor.accept(_BODY)
                return _checked(opening + header)
            if not (yield from cursor.wait()):
                recipient = _RECIPIENT.search(opening + ahead)
                raise Cut if recipient and offer.tools.begins(recipient.group(1)) else Malformed(opening)

    def _call(self, cursor: Cursor, tool: Tool) -> Parse[Section | None]:
        state = Arguments()
        char = yield from look(cursor)
        if (yield from cursor.peek_any(_END_WORDS)) and not tool.schema.required:
            yield from call_of_nothing(tool)
            return None
        if char == "<":
            # The body is in tags of its own.
            return Section("answer", _ENDS)
        if char == "{" or not tool.schema.only_string:
            body = arguments(cursor, tool, state)
        else:
            body = plain_text_until(cursor, tool, state, _ENDS + _STARTS)
        yield from call(cursor, tool, body, state, marked=True)
        return None


def _checked(header: str) -> str:
    if not _HEADER.fullmatch(header):
        raise Malformed(header)
    return header.replace("<|channel|>", " ")


@dataclass(frozen=True, slots=True)
class TypedBlocks:
    """Inkling: blocks whose type is a word between header and body.

    <|message_model|>find_ferry<|content_invoke_tool_json|>{"name": "find_ferry", "args": {}}<|end_message|>
    """

    open: str
    text: str
    thinking: str
    tool_text: str
    tool_json: str
    close: tuple[str, ...]

    marked = True

    @property
    def closers(self) -> tuple[str, ...]:
        return self.close

    def openings(self, tools: Tools) -> Openings:
        return Openings(line=(self.open, self.text, self.thinking))

    def parse(self, cursor: Cursor, offer: Offer, opening: str) -> Parse[Section | None]:
        kind, header = opening, ""
        if opening == self.open:
            header = yield from cursor.take_while(re.compile("<"))
            for kind in (self.text, self.thinking, self.tool_text, self.tool_json, ""):
                if kind and (yield from cursor.accept(kind)):
                    break
        if kind == self.thinking:
            return Section("reasoning", self.close)
        if kind == self.text:
            return Section("answer", self.close)
        if kind == self.tool_text:
            tool = offer.tools.find(header)
            if tool is None:
                raise Malformed(header)
            state = Arguments()
            yield from call(cursor, tool, plain_text_until(cursor, tool, state, self.close), state, marked=True)
            return None
        if kind == self.tool_json:
            yield from calls_at(cursor, offer, marked=True)
            return None
        raise Malformed(header)
