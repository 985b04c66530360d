"""Text in the columns of a terminal, where a Korean character takes two."""

import re
from shutil import get_terminal_size
from unicodedata import east_asian_width

from runner.printing import OUT

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What is no text: on a terminal it could move the cursor or change its title."""


def width(text: str) -> int:
    """The columns that a text takes."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


def padded(text: str, columns: int) -> str:
    """The text, and spaces up to so many columns."""
    return text + " " * (columns - width(text))


def cut(text: str, columns: int) -> str:
    """The text, or as much of it as these columns hold."""
    if width(text) <= columns:
        return text
    kept = 0
    while width(text[: kept + 1]) < columns:
        kept += 1
    return f"{text[:kept]}…" if columns > 0 else ""


def wrapped(text: str, columns: int | None, before: int = 0) -> str:
    """The text in lines that end at a space within these columns, if any; so many of them are taken already."""
    if columns is None:
        return text
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".lstrip()
        if lines[-1] and width(longer) > columns - before:
            lines.append(word)
        else:
            lines[-1] = longer
    return ("\n" + " " * before).join(lines)


def room() -> int | None:
    """The columns of the terminal that is written to; None if it is none."""
    return get_terminal_size().columns if OUT.isatty() else None


def plain(text: str) -> str:
    """The text without what is none."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)
