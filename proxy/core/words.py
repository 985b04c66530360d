"""A set of words to look for in text that arrives in pieces.

A word may be cut anywhere, and one word may begin another (`<tool_call` and `<tool_calls>`), so looking has three
answers: here is the longest word that stands there; nothing yet, but from here on a word may be beginning; nothing
at all. Letter case is ignored: models shout `<TOOL_CALL>` now and then.
"""

import re
from collections.abc import Callable, Iterable


class Words:
    """Words that can be found at any cut."""

    __slots__ = ("_longest", "_match", "_prefixes", "_spelled", "_starts", "search")

    def __init__(self, words: Iterable[str]) -> None:
        self._spelled: dict[str, str] = {}
        for word in words:
            self._spelled.setdefault(word.lower(), word)
        ordered = sorted(self._spelled, key=len, reverse=True)
        firsts = {case for word in ordered for case in (word[0], word[0].upper())}
        starts = re.compile("[" + "".join(map(re.escape, sorted(firsts))) + "]" if firsts else "(?!)")
        self._starts = starts
        self._match = re.compile("|".join(map(re.escape, ordered)) or "(?!)", re.IGNORECASE | re.ASCII).match
        self._prefixes = frozenset(word[:end] for word in ordered for end in range(1, len(word)))
        self._longest = len(ordered[0]) if ordered else 0
        self.search: Callable[[str], re.Match[str] | None] = starts.search
        """Does a text hold a character that begins a word? If not, there is nothing to find in it."""

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

    def begins_with(self, text: str) -> bool:
        """Is `text` the beginning of a word, and not all of it?"""
        return text.lower() in self._prefixes
