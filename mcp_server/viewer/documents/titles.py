"""Titles: what was written as one line, fit to be said anywhere.

A title is on a person's terminal and in a list that a model reads. A line break would begin an entry that nobody made
there, the terminal would obey an escape, and what turns the direction of writing would turn the rest of the line, too.
"""

import unicodedata
from typing import Final

_MOST: Final = 200
_NEVER: Final = frozenset({"Cc", "Cs"})
"""Categories of characters: controls, and halves of others."""
_TURNS: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def one_line(text: str) -> str:
    """A text as a title; it may be empty then."""
    shown = (character for character in " ".join(text.split()) if _is_shown(character))
    return "".join(shown)[:_MOST].strip()


def _is_shown(character: str) -> bool:
    return character not in _TURNS and unicodedata.category(character) not in _NEVER
