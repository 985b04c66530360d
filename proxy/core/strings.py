"""Strings as models write them, said as the inside of a strict JSON string.

Three things go wrong in the strings of models, and each is settled without looking back:

- a raw control character, a lone surrogate, an escape that JSON does not have: written as JSON has it;
- the quote itself, unescaped (`"say "hi" now"`): `closes` looks at what follows. A quote closes when what can follow
  a value follows it. For valid JSON that is always so: valid JSON is never changed;
- no closing quote at all: the text ended inside a value, `Cut`.
"""

import json
import re
from json.encoder import encode_basestring
from typing import Final, Literal

from proxy.core.cursor import BOUND, Cursor, Cut, Parse, Run
from proxy.core.events import ArgsDelta, Repair
from proxy.core.words import Words

Where = Literal["key", "object", "array", "call"]
"""What a string is: a key, or a value in an object, in an array, in the parentheses of a Python call."""

QUOTES: Final = {'"': '"', "'": "'", "`": "`", "“": "”", "”": "”", "‘": "’", "’": "’", "«": "»"}
"""The quotes that open a string, and what closes it."""

_REPLACEMENT: Final = "\\ufffd"
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_AWKWARD: Final = r'"\\\x00-\x1f\ud800-\udfff'
"""The characters that cannot stand in a strict JSON string as they are."""
_NEEDS_ESCAPE: Final = re.compile(f"[{_AWKWARD}]").search
_STOPS: Final = {end: re.compile(f"[{_AWKWARD}{re.escape(end)}]") for end in QUOTES.values()}
_PLAIN: Final = {
    # What may pass as it is: ordinary characters and the escapes that JSON has.
    end: re.compile(rf'(?:[^{_AWKWARD}{re.escape(end)}]+|\\["\\/bfnrt])*')
    for end in QUOTES.values()
}
_HEX_DIGITS: Final = {"x": 2, "u": 4, "U": 8}

_SPACE: Final = re.compile(r"\s*")
_QUOTED: Final = {
    end: re.compile(rf"[^{re.escape(end)}\\]*(?:\\.[^{re.escape(end)}\\]*)*{re.escape(end)}", re.DOTALL)
    for end in QUOTES.values()
}
"""The rest of a short string, and its closing quote."""
_BARE_KEY: Final = re.compile(r"[A-Za-z_$][\w$.-]*")
_VALUE: Final = re.compile(r"""["'`“‘«{\[(]|[-+]?\.?\d|(?:true|false|null|none|nan)\b""", re.IGNORECASE)
_HALF_LITERAL: Final = re.compile(r"[-+.a-z]{0,5}\Z", re.IGNORECASE)
_AFTERMATH: Final = re.compile(r"</|<[|｜]|```|~~~|//|/\*|\[/")
"""What may stand behind a value whose brackets the model forgot to close: an end mark, a fence, a comment."""


def escaped(text: str) -> str:
    """`text` as the inside of a strict JSON string."""
    inside = encode_basestring(text)[1:-1]
    return inside if _SURROGATE.search(inside) is None else _SURROGATE.sub(lambda _: _REPLACEMENT, inside)


def _raw_delta(text: str) -> ArgsDelta:
    return ArgsDelta(text if _NEEDS_ESCAPE(text) is None else escaped(text))


def decoded(inside: str) -> str:
    """The text that the inside of a strict JSON string stands for."""
    return str(json.loads(f'"{inside}"'))


class RawText:
    """Raw text up to one of some words, said as the inside of a JSON string."""

    def __init__(self, ends: tuple[str, ...]) -> None:
        self.words = Words(ends)
        self.run: Run = (self.words.search, _raw_delta)

    def say(self, cursor: Cursor) -> Parse[str | None]:
        """Say the text; stop before the word that ends it, or at the end of all text."""
        return (yield from cursor.until(self.words, escaped, self.run))


def string(cursor: Cursor, quote: str, where: Where) -> Parse[None]:
    """Say a string that began with `quote`, up to and with its end."""
    end = QUOTES[quote]
    while True:
        char = yield from _to_quote(cursor, end)
        if (yield from _is_closing(cursor, where)):
            return
        yield escaped(char)
        yield Repair("inner-quote", char, escaped(char))


def triple_quoted(cursor: Cursor, quote: str) -> Parse[None]:
    """Say a Python string in triple quotes; the opening ones are consumed."""
    while True:
        yield from _to_quote(cursor, quote, multiline=True)
        if (yield from cursor.accept(quote * 3)):
            return
        yield escaped(cursor.take(1))


def _to_quote(cursor: Cursor, end: str, *, multiline: bool = False) -> Parse[str]:
    """Say the text before the next quote that may close the string, and return that quote."""
    plain, run = _PLAIN[end], (_STOPS[end].search, ArgsDelta)
    while True:
        piece = cursor.skim(plain)
        if piece:
            yield piece
        char = cursor.char
        if not char:
            if cursor.closed:
                raise Cut
            yield from cursor.pause(run)
        elif char == "\\":
            yield from _escape(cursor, end)
        elif char == end or (char == '"' and end == "”"):
            return char
        else:
            cursor.take(1)
            yield escaped(char)
            if char != '"' and not multiline:
                yield Repair("raw-control", repr(char)[1:-1], escaped(char))


def _is_closing(cursor: Cursor, where: Where) -> Parse[bool]:
    """Consume the quote at the cursor and tell whether it closes the string."""
    while True:
        ahead = cursor.window
        verdict = closes(ahead, 1, where, final=cursor.closed and len(ahead) < BOUND)
        if verdict is None and len(ahead) < BOUND:
            yield from cursor.wait()
            continue
        cursor.take(1)
        return verdict is not False


def closes(text: str, at: int, where: Where, *, final: bool) -> bool | None:
    """Does the quote before `at` close its string? None: more text may tell."""
    if where == "key":
        return True
    begin = _skip_space(text, at)
    if begin == len(text):
        return True if final else None
    char = text[begin]
    if char in "}]" or (char == ")" and where in {"call", "array"}):
        return True
    if char in ",;，；":
        return _item(text, begin + 1, where, final=final)
    if text.count("\n", at, begin) > 1:
        return True  # a blank line: whatever follows, the value is over
    if char in "<`~/[":
        if not final and len(text) - begin < 3:
            return None
        if _AFTERMATH.match(text, begin):
            return True
    return begin > at and _item(text, begin, where, final=final)


def _item(text: str, at: int, where: Where, *, final: bool) -> bool | None:
    """Can the next item of a list begin at `at`?"""
    begin = _skip_space(text, at)
    if begin == len(text):
        return True if final else None
    if text[begin] == "/" and begin + 1 == len(text) and not final:
        return None
    if text[begin] in "}])#," or text.startswith(("//", "/*"), begin):
        return True
    if where != "object" and (_VALUE.match(text, begin)):
        return True
    if where == "array":
        return None if not final and _HALF_LITERAL.match(text, begin) else False
    return _key(text, begin, final=final)


def _key(text: str, at: int, *, final: bool) -> bool | None:
    """Does a key stand at `at`, with its colon or equals sign?"""
    if text[at] in QUOTES:
        found = _QUOTED[QUOTES[text[at]]].match(text, at + 1)
        if not found:
            return None if not final else False
    else:
        found = _BARE_KEY.match(text, at)
        if not found:
            return False
    begin = _skip_space(text, found.end())
    if begin == len(text):
        return None if not final else False
    return text[begin] in ":="


def _skip_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _escape(cursor: Cursor, end: str) -> Parse[None]:
    """Say one escape sequence as JSON has it; the cursor stands at the backslash, `end` closes the string."""
    kind = (yield from cursor.peek(2))[1:]
    if not kind:
        raise Cut
    if kind in '"\\/bfnrt':
        yield cursor.take(2)
    elif kind in _HEX_DIGITS:
        yield from _numeric_escape(cursor, _HEX_DIGITS[kind])
    elif kind in {"'", end}:
        yield Repair("escape", cursor.take(2), kind)
        yield kind
    else:
        # Not an escape: a Windows path, a regular expression. The backslash was meant.
        cursor.take(1)
        yield "\\\\"
        if kind != "\n":
            yield Repair("escape", "\\" + kind, "\\\\" + kind)


def _numeric_escape(cursor: Cursor, digits: int) -> Parse[None]:
    ahead = yield from cursor.peek(2 + digits)
    code = _hex(ahead[2:], digits)
    if code is None or code > 0x10FFFF:
        cursor.take(1)
        yield "\\\\"
        yield Repair("escape", ahead, "\\" + ahead)
        return
    cursor.take(2 + digits)
    if not 0xD800 <= code < 0xE000:
        yield ahead if digits == 4 else escaped(chr(code))
        return
    low = (yield from cursor.peek(6)) if code < 0xDC00 else ""
    second = _hex(low[2:], 4) if low.startswith("\\u") else None
    if second is not None and 0xDC00 <= second < 0xE000:
        yield ahead + cursor.take(6)
    else:
        yield _REPLACEMENT
        yield Repair("lone-surrogate", ahead, _REPLACEMENT)


def _hex(digits: str, count: int) -> int | None:
    if len(digits) != count or not all(char in "0123456789abcdefABCDEF" for char in digits):
        return None
    return int(digits, 16)
