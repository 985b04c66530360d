"""One member of a JSON text put in or taken out; every other character of the text stays as it is.

put('{"a": [1,2]}', ("b", "c"), 3)   ->   '{"a": [1,2], "b": {"c": 3}}'

The text is JSON, its outermost value is an object, and so is whatever else the path leads through.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

_SPACE = re.compile(r"[ \t\r\n]*")
_INDENTED = re.compile(r'\{\s*\n([ \t]+)"')
_EMPTY = re.compile(r"\s*\{\s*\}\s*")


def put(text: str, path: Sequence[str], value: Any) -> str:
    """The text with this value at the end of the path; what is missing on the way is made."""
    return _put(text, _Style.of(text), text.index("{"), 0, path, value)


def without(text: str, path: Sequence[str]) -> str:
    """The text without the member at the end of the path, which is there."""
    at = text.index("{")
    for key in path[:-1]:
        at = _member(_members(text, at), key).value
    members = _members(text, at)
    gone = _member(members, path[-1])
    place = members.index(gone)
    if place + 1 < len(members):
        return text[: gone.start] + text[members[place + 1].start :]
    if place:
        return text[: members[place - 1].end] + text[gone.end :]
    return text[: at + 1] + text[text.index("}", gone.end) :]


class _Member(NamedTuple):
    """Where a member stands: `start` is its key, `value` its value, `end` what comes behind it."""

    key: str
    start: int
    value: int
    end: int


class _Style(NamedTuple):
    """How the text is laid out; no `unit`: on one line."""

    newline: str
    unit: str

    @classmethod
    def of(cls, text: str) -> "_Style":
        indented = _INDENTED.search(text)
        unit = indented[1] if indented else "  " if _EMPTY.fullmatch(text) else ""
        return cls("\r\n" if "\r\n" in text else "\n", unit)

    def line(self, depth: int) -> str:
        """What begins a line."""
        return self.newline + self.unit * depth if self.unit else ""

    def written(self, value: Any, depth: int) -> str:
        text = json.dumps(value, ensure_ascii=False, indent=self.unit or None)
        return text.replace("\n", self.line(depth))


def _put(text: str, style: _Style, at: int, depth: int, path: Sequence[str], value: Any) -> str:
    """Put the value into the object that begins at `at`."""
    members = _members(text, at)
    key, *rest = path
    if key in {member.key for member in members}:
        there = _member(members, key)
        if rest:
            return _put(text, style, there.value, depth + 1, rest, value)
        return text[: there.value] + style.written(value, depth + 1) + text[there.end :]
    for outer in reversed(rest):
        value = {outer: value}
    line = style.line(depth + 1)
    added = f"{json.dumps(key, ensure_ascii=False)}: {style.written(value, depth + 1)}"
    if members:
        return text[: members[-1].end] + "," + (line or " ") + added + text[members[-1].end :]
    return text[: at + 1] + line + added + style.line(depth) + text[text.index("}", at) :]


def _member(members: list[_Member], key: str) -> _Member:
    """The member of this key; of several, the one that readers of JSON take."""
    return [member for member in members if member.key == key][-1]


def _members(text: str, at: int) -> list[_Member]:
    """The members of the object that begins at `at`."""
    decoder = json.JSONDecoder()
    members = []
    at = _after_space(text, at + 1)
    while text[at] != "}":
        key, colon = decoder.raw_decode(text, at)
        value = _after_space(text, _after_space(text, colon) + 1)
        _, end = decoder.raw_decode(text, value)
        members.append(_Member(key, at, value, end))
        at = _after_space(text, end)
        if text[at] == ",":
            at = _after_space(text, at + 1)
    return members


def _after_space(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr] # no space is a match, too
