"""Reasoning and answers between tags: `<think>...</think>`, `<|START_TEXT|>...<|END_TEXT|>`."""

from dataclasses import dataclass

from proxy.core.cursor import Cursor, Parse
from proxy.core.grammar import Openings, Section
from proxy.core.offer import Offer
from proxy.core.tools import Tools


@dataclass(frozen=True, slots=True)
class Thinking:
    """Reasoning between two words. The opening one may be in the prompt already."""

    open: tuple[str, ...]
    close: tuple[str, ...]
    prose: bool = False
    """the words are ordinary prose: they count only at the start of the answer"""

    marked = False
    closers = ()

    def openings(self, tools: Tools) -> Openings:
        if self.prose:
            return Openings(start=self.open)
        return Openings(start=self.open, reasoned=self.open, line=self.open)

    def parse(self, cursor: Cursor, offer: Offer, opening: str) -> Parse[Section]:
        yield from ()
        return Section("reasoning", self.close)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer between two words that are not part of it."""

    open: tuple[str, ...]
    close: tuple[str, ...]
    only_behind_reasoning: bool = False
    """the words are ordinary tags"""

    marked = False

    @property
    def closers(self) -> tuple[str, ...]:
        return self.close

    def openings(self, tools: Tools) -> Openings:
        return (
            Openings(reasoned=self.open)
            if self.only_behind_reasoning
            else Openings(start=self.open, reasoned=self.open)
        )

    def parse(self, cursor: Cursor, offer: Offer, opening: str) -> Parse[Section]:
        yield from ()
        return Section("answer", self.close)
