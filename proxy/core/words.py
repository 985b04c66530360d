"""A set of words to look for in text that arrives in pieces.

A word may be cut anywhere, and one word may begin another (`<tool_call` and `<tool_calls>`), so looking has three
answers: here is the longest word that stands there; nothing yet, but from here on a word may be beginning; nothing
at all. Letter case is ignored: models shout `<TOOL_CALL>` now and then.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache


class Words:
    """Words that can be found at any cut."""

    __slots__ = ("_longest", "_match", "_prefixes", "_spelled", "_starts", "beginning", "search")

    def __init__(self, words: Iterable[str]) -> None:
        self._spelled: dict[str, str] = {}
        for word in words:
            self._spelled.setdefault(word.lower(), word)
        ordered = sorted(self._spelled, key=len, reverse=True)
        self.beginning = _beginning(ordered)
        """A pattern for the places where a word may begin, to be part of a larger one."""
        self._starts = re.compile(self.beginning)
        self._match = re.compile("|".join(map(re.escape, ordered)) or "(?!)", re.IGNORECASE | re.ASCII).match
        self._prefixes = frozenset(word[:end] for word in ordered for end in range(1, len(word)))
        self._longest = len(ordered[0]) if ordered else 0
        self.search: Callable[[str], re.Match[str] | None] = self._starts.search
        """Does a text hold a place where a word may begin? If not, there is nothing to find in it."""

    def find(self, text: str, at: int, *, final: bool) -> tuple[int, str | None]:
        """Where the next word begins and which it is; None: not yet known from there on."""
        for start in self._starts.finditer(text, at):
            begin = start.start()
            word = self.here(text, begin, final=final)
            if word != "":
                return begin, word
        return len(text), None

    def here(self, text: str, at: int, *, final: bool) -> str | None:
        """The longest word that stands at `at`, as it was given; "" if none does, None if more text may tell."""
        left = len(text) - at
        if not final and left < self._longest and text[at:].lower() in self._prefixes:
            return None
        found = self._match(text, at)
        return self._spelled[found.group().lower()] if found else ""

    def are_begun_by(self, text: str) -> bool:
        """Is `text` the beginning of a word, and not all of it?"""
        return text.lower() in self._prefixes


@lru_cache(maxsize=1024)
def words(*each: str) -> Words:
    """The same `Words` for the same words: making them costs more than a look at a text."""
    return Words(each)


def _beginning(all_words: Iterable[str]) -> str:
    """Matches the first character of a word, if its second stands behind it or the text ends there."""
    seconds: dict[str, set[str]] = {}
    for word in all_words:
        seconds.setdefault(word[0], set()).add(word[1:2])
    choices = []
    for first, following in sorted(seconds.items()):
        begin = _either_case({first})
        choices.append(begin if "" in following else rf"{begin}(?={_either_case(following)}|\Z)")
    return "|".join(choices) or "(?!)"


def _either_case(chars: set[str]) -> str:
    return "[" + "".join(re.escape(case) for char in sorted(chars) for case in sorted({char, char.upper()})) + "]"
