"""What a grammar is: where its blocks may begin, and how they are read."""

from dataclasses import dataclass
from typing import Literal, Protocol

from proxy.core.cursor import Cursor, Parse
from proxy.core.offer import Offer
from proxy.core.tools import Tools


@dataclass(frozen=True, slots=True)
class Openings:
    """The words that may open a block, by where they count."""

    anywhere: tuple[str, ...] = ()
    line: tuple[str, ...] = ()
    """only at the start of a line, or behind another block"""
    start: tuple[str, ...] = ()
    """only at the start of the answer"""
    reasoned: tuple[str, ...] = ()
    """only directly behind reasoning"""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the answer that is reasoning, or plain answer, up to one of its closing words."""

    kind: Literal["reasoning", "answer"]
    close: tuple[str, ...] = ()
    quoted: bool = False
    """a call in it is only an example"""
    until: tuple[str, ...] = ()
    """words that end it, too, but belong to what follows"""


class Grammar(Protocol):
    """A form that blocks are written in. Its fields spell it for one dialect."""

    @property
    def marked(self) -> bool:
        """Do the words of this dialect vouch for a call, so that one is believed inside open reasoning?"""

    @property
    def closers(self) -> tuple[str, ...]:
        """Words that close a block; behind a call they are noise."""

    def openings(self, tools: Tools) -> Openings:
        """The words that may open such a block."""

    def parse(self, cursor: Cursor, offer: Offer, opening: str) -> Parse[Section | None]:
        """Say the calls of a block whose `opening` is consumed, or return the section that begins here.

        `Malformed` before the first word: this is no such block.
        """
