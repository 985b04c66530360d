"""What is on offer for one answer: the client's tools, and everything the dialects in use have words for."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from typing import Final

from proxy.core.cursor import Parse
from proxy.core.tools import Tools


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys by which call-shaped JSON names its parts. Dialects add theirs; all are understood everywhere."""

    name: tuple[str, ...] = ()
    """holds the tool's name"""
    arguments: tuple[str, ...] = ()
    """holds the arguments: an object, or a string that spells one"""
    wrapper: tuple[str, ...] = ()
    """holds a call, or a list of calls"""
    text: tuple[str, ...] = ()
    """holds what the model says beside the call"""
    label: tuple[str, ...] = ()
    """says nothing that a call needs: an id, a type"""

    def __add__(self, other: "Keys") -> "Keys":
        return Keys(*(getattr(self, part.name) + getattr(other, part.name) for part in fields(Keys)))


COMMON: Final = Keys(
    name=("name", "function"),
    arguments=("arguments", "parameters", "args"),
    wrapper=("function",),
    label=("type", "id", "index"),
)
"""What nearly every JSON dialect has."""


Blocks = Callable[[], Parse[bool]]


def _no_blocks() -> Parse[bool]:
    yield from ()
    return False


@dataclass(frozen=True, slots=True)
class Offer:
    """The tools and the vocabulary of an answer."""

    tools: Tools
    roles: dict[str, frozenset[str]] = field(default_factory=dict)
    """key -> what it may hold: name, arguments, wrapper, text, label"""
    blocks: Blocks = _no_blocks
    """reads the calls that stand at the cursor, in any dialect, and tells whether there were any"""

    def role(self, key: str) -> frozenset[str]:
        """What a key may hold."""
        return self.roles.get(key) or self.roles.get(_snake(key)) or frozenset()


def roles(keys: Iterable[Keys]) -> dict[str, frozenset[str]]:
    """The vocabularies of several dialects, melted."""
    together = sum(keys, COMMON)
    found: dict[str, set[str]] = {}
    for part in fields(Keys):
        for key in getattr(together, part.name):
            found.setdefault(key, set()).add(part.name)
    return {key: frozenset(parts) for key, parts in found.items()}


def _snake(key: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).lower().strip().replace("-", "_").replace(" ", "_")
