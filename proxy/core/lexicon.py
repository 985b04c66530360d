"""Every word that the dialects on offer open, close or end something with, and whose it is.

Made once for a set of dialects and tool names, and kept: clients send the same tools with each request.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from proxy.core import noise
from proxy.core.cursor import Run
from proxy.core.dialect import Dialect
from proxy.core.events import Text
from proxy.core.grammar import Grammar, Openings
from proxy.core.grammars.sections import Answer, Thinking
from proxy.core.offer import roles
from proxy.core.tools import Tools
from proxy.core.words import Words


class Place(Enum):
    """Where in the answer the cursor stands."""

    START = ("start", "line", "anywhere")
    REASONED = ("start", "reasoned", "line", "anywhere")
    """directly behind reasoning"""
    LINE = ("line", "anywhere")
    """at the start of a line, or behind a call"""
    MIDDLE = ("anywhere",)


FENCES = ("```", "~~~")
SPAN = "`"
NEWLINE = "\n"
STRIKE = "<s>"
"""Opens struck-through HTML, so that a later `</s>` is no token."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Who may read a block, and how it spells the opening."""

    dialect: Dialect
    grammar: Grammar
    opening: str


class Lexicon:
    """The words of some dialects."""

    def __init__(self, dialects: tuple[Dialect, ...], tools: Tools) -> None:
        self._owners: dict[Place, dict[str, list[Owner]]] = {place: {} for place in Place}
        closers = list(noise.TURN_ENDS + noise.MESSAGE_ENDS + noise.STRAY_ENDS + noise.TURN_BEGINS)
        hidden: list[str] = []
        begins: list[str] = []
        self._answer_ends: list[str] = []
        self.wrappers: list[str] = []
        """tags that mean nothing directly before a call"""
        seen: list[Grammar] = []
        for dialect in dialects:
            for grammar in dialect.grammars:
                if grammar in seen:
                    continue  # another dialect spells it the same way
                seen.append(grammar)
                self._add(dialect, grammar, grammar.openings(tools))
                closers += grammar.closers
                if isinstance(grammar, Thinking) and not grammar.prose:
                    hidden += grammar.close
                    begins += grammar.open
                if isinstance(grammar, Answer):
                    self._answer_ends += grammar.close
                    self.wrappers += grammar.open
        self._share()
        self.closers = Words(closers)
        """what means nothing behind a call"""
        self.turn_ends = Words(noise.TURN_ENDS)
        self.all_ends = Words(noise.TURN_ENDS + noise.MESSAGE_ENDS)
        self.stray_ends = Words((*noise.STRAY_ENDS, *hidden))
        self.doubled_begins = Words(begins)
        self.reasoning_begins = tuple(dict.fromkeys(begins))
        self.reasoning_ends = tuple(dict.fromkeys(hidden))
        """what closes reasoning that was opened in the prompt"""
        self.marked = {
            word: marked
            for word, owners in self._owners[Place.MIDDLE].items()
            if (marked := [owner for owner in owners if owner.grammar.marked])
        }
        """the words that open a call even inside reasoning, and whose they are"""
        self.left_behind = Words((*closers, *noise.RESULTS, *self.marked))
        """what may be cut off behind a call"""
        self.roles = roles(dialect.keys for dialect in dialects)
        """what the keys of call-shaped JSON hold"""
        self._runs: dict[tuple[str, ...], Run] = {}
        self._words: dict[tuple[Place | None, tuple[str, ...]], Words] = {}

    def _add(self, dialect: Dialect, grammar: Grammar, openings: Openings) -> None:
        for place in Place:
            for where in place.value:
                for word in getattr(openings, where):
                    owners = self._owners[place].setdefault(word, [])
                    owner = Owner(dialect, grammar, word)
                    if owner not in owners:
                        owners.append(owner)

    def _share(self) -> None:
        """Where one word begins another (`<function` and `<function=`), its owners may read the longer one, too."""
        for owners in self._owners.values():
            for word in sorted(owners, key=len, reverse=True):
                for end in range(len(word) - 1, 0, -1):
                    owners[word] += owners.get(word[:end], [])

    def _others(self, place: Place) -> Iterable[str]:
        """The words of the template that count here."""
        yield from noise.TURN_ENDS
        yield from noise.MESSAGE_ENDS
        yield from self._answer_ends
        yield SPAN
        yield from FENCES
        yield STRIKE
        if place is not Place.MIDDLE:
            yield from self.wrappers
            yield from noise.RESULTS
        if place in {Place.START, Place.REASONED}:
            yield from noise.TURN_BEGINS

    def owners(self, word: str, place: Place) -> list[Owner]:
        """The grammars that may read a block which `word` opens here."""
        return self._owners[place].get(word, [])

    def is_tag(self, word: str) -> bool:
        """Does `word` open blocks and look like a tag or a token?"""
        return len(word) > 2 and word[0] in "<[" and word in self._owners[Place.MIDDLE]

    def words(self, place: Place | None, stop: tuple[str, ...]) -> Words:
        """What to look for in this place (None: inside reasoning), `stop` among it."""
        key = (place, stop)
        if key not in self._words:
            newline = (NEWLINE,) if place is Place.MIDDLE else ()
            # A tag that opens reasoning, even if it is only talked about, tells whose the closing tag is.
            opened = self.reasoning_begins if stop and place else ()
            self._words[key] = Words([*self.listed(place), *newline, *stop, *opened])
        return self._words[key]

    def run(self, stop: tuple[str, ...]) -> Run:
        """Which deltas may pass as text in the middle of a line: no word begins there, nor at the head of a line."""
        if stop not in self._runs:
            opened = self.reasoning_begins if stop else ()
            anywhere = Words([*self.listed(Place.MIDDLE), *stop, *opened]).beginning
            heads = self.words(Place.LINE, stop).beginning
            self._runs[stop] = (re.compile(rf"{anywhere}|\n[^\S\n]*+(?:\Z|{heads})").search, Text)
        return self._runs[stop]

    def listed(self, place: Place | None) -> Iterable[str]:
        """All words that count in this place."""
        if place is None:
            return self.marked
        return [*self._owners[place], *self._others(place)]


@lru_cache(maxsize=64)
def _lexicon(dialects: tuple[Dialect, ...], names: tuple[str, ...]) -> Lexicon:
    return Lexicon(dialects, Tools.named(names))


def lexicon(dialects: tuple[Dialect, ...], tools: Tools) -> Lexicon:
    """The lexicon for these dialects and the names of these tools."""
    return _lexicon(dialects, tuple(tools.all))
