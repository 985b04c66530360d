"""A part: what one line of a model server's answer says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from proxy.core.schema import Json


@dataclass(slots=True)
class CallPart:
    """A piece of a structured call; the first of each call has its name."""

    index: int
    """which call of the answer it belongs to"""
    name: str = ""
    id: str = ""
    arguments: Json = ""
    """a piece of the text, or all of it as an object"""
    whole: bool = False
    """is this all of the call?"""


@dataclass(slots=True)
class Usage:
    """How many tokens there were."""

    prompt: int = 0
    completion: int = 0


@dataclass(slots=True)
class Part:
    """One line, understood."""

    content: str = ""
    thinking: str = ""
    calls: list[CallPart] = field(default_factory=list)
    finish: str = ""
    """why the answer ended; "" while it goes on"""
    usage: Usage | None = None
    error: str = ""
    last: bool = False
    """is this the end of the stream?"""


class Garbage(Exception):  # noqa: N818 - what it is
    """A line that is not of the protocol."""


def text(said: Mapping[str, Any], name: str) -> str:
    """A piece of text in what a server said; absent or null: none."""
    found = said.get(name) or ""
    if not isinstance(found, str):
        raise TypeError(name)
    return found


def id_of(call: Mapping[str, Any]) -> str:
    """The id of a call; one that is no string is as good as none."""
    found = call.get("id")
    return found if isinstance(found, str) else ""


def count(said: Mapping[str, Any], name: str) -> int:
    """A number in what a server said; one that it does not tell is 0."""
    found = said.get(name)
    return found if isinstance(found, int) else 0


class Wire(Protocol):
    """How a kind of model server puts an answer into lines."""

    def plain(self, line: bytes) -> bytes | None:
        """The text of a line that brings nothing else, still encoded and without escapes; None: any other line.

        Most lines are such, and need not be parsed (see `Pipe`).
        """

    def part(self, line: bytes) -> Part | None:
        """What a line says; None: nothing."""
