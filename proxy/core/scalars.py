"""Numbers, literals and words without quotes, said as strict JSON once they are complete."""

import json
import math
import re
from typing import Final

from proxy.core.cursor import Cursor, Cut, Malformed, Parse
from proxy.core.events import Repair
from proxy.core.schema import Json

MAX_WORD: Final = 4096
"""How long an unquoted value may be. Numbers and literals are short; this is for sentences without quotes."""

MAX_DIGITS: Final = 400
"""How long a number may be: longer ones are no numbers that anybody means."""

_WORD_END: Final = re.compile(r"[,}\])\n<`]")
_JSON_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?", re.ASCII)
_LITERALS: Final[dict[str, Json]] = {
    "true": True,
    "false": False,
    "null": None,
    "none": None,
    "nil": None,
    "undefined": None,
    "nan": None,
}


def loaded(text: str) -> Json:
    """The value of strict JSON; a number that Python or JSON cannot hold stays the text that it is."""
    return json.loads(text, parse_float=_number_or_text, parse_int=_number_or_text)


def _number_or_text(written: str) -> int | float | str:
    if len(written) > MAX_DIGITS:
        return written
    if written.lstrip("-").isdecimal():
        return int(written)
    number = float(written)
    return number if math.isfinite(number) else written


def dumped(value: Json) -> str:
    """Strict JSON, as compact as what models are taught on."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def scalar(cursor: Cursor) -> Parse[None]:
    """Say a number, a literal, or a word without quotes."""
    written = yield from word(cursor)
    if _JSON_NUMBER.fullmatch(written):
        yield written
        return
    meant = dumped(meaning(written))
    yield meant
    if meant != written:
        yield Repair("literal" if written.lower() in _LITERALS else "unquoted-value", written, meant)


def word(cursor: Cursor) -> Parse[str]:
    """Consume a word that is not quoted."""
    taken = ""
    while True:
        piece, found = cursor.find(_WORD_END)
        taken += piece
        if len(taken) > MAX_WORD:
            raise Malformed(taken)
        if found or not (yield from cursor.wait()):
            break
    taken = taken.rstrip()
    if not found and (not taken or cursor.cut or _is_half(taken)):
        raise Cut
    if not taken.strip("."):
        raise Malformed(taken)  # nothing, or an ellipsis: an example
    return taken


def _is_half(word: str) -> bool:
    """Is this the beginning of a literal that was cut off?"""
    return any(
        literal.startswith(word.lower()) and literal != word.lower() for literal in ("true", "false", "null", "none")
    )


def meaning(word: str) -> Json:
    """The value that a word without quotes stands for."""
    if word.lower() in _LITERALS:
        return _LITERALS[word.lower()]
    plain = word.replace("_", "") if word[:1] in "+-.0123456789" else ""
    try:
        if plain.lower().startswith(("0x", "-0x")):
            return int(plain, 16)
        if plain.isdecimal() and len(plain) > 1 and plain.startswith("0"):
            return int(plain)
        number = float(plain)
        if not math.isfinite(number) or len(plain) > MAX_DIGITS:
            return word
        return int(number) if number.is_integer() and "." not in plain and "e" not in plain.lower() else number
    except (ValueError, OverflowError):
        return word
