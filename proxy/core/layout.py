"""What stands between the tokens of JSON and means nothing: white space, and comments where models put them."""

import re
from typing import Final

from proxy.core.cursor import Cursor, Malformed, Parse
from proxy.core.events import Repair

_SPACE_END: Final = re.compile(r"[^\s\ufeff]")
_LINE_END: Final = re.compile(r"\n")
_STAR: Final = re.compile(r"\*")


def look(cursor: Cursor) -> Parse[str]:
    """The next character that is neither space nor comment; "" at the end."""
    while True:
        _, found = cursor.find(_SPACE_END)
        if found is None:
            if not (yield from cursor.wait()):
                return ""
            continue
        char = found.group()
        if char == "#":
            cursor.take(1)
            yield from _line(cursor)
            continue
        if char == "/" and (yield from _comment(cursor)):
            continue
        return char


def _line(cursor: Cursor) -> Parse[None]:
    """Consume the rest of a line."""
    while True:
        _, found = cursor.find(_LINE_END)
        if found or not (yield from cursor.wait()):
            return


def _comment(cursor: Cursor) -> Parse[bool]:
    opening = yield from cursor.peek(2)
    if opening not in {"//", "/*"}:
        return False
    cursor.take(2)
    end = _LINE_END if opening == "//" else _STAR
    while True:
        _, found = cursor.find(end)
        if found is None:
            if not (yield from cursor.wait()):
                if opening == "/*":
                    raise Malformed(opening)
                return True
        elif opening == "//" or (yield from cursor.accept("*/")):
            yield Repair("comment", opening, "")
            return True
        else:
            cursor.take(1)
