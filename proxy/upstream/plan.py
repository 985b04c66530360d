"""How an answer is to be had: what a model server can do, and the request that asks for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from proxy.core.ask import Ask
from proxy.core.reader import Begins
from proxy.core.wire.parts import Wire
from proxy.errors import Refusal


@dataclass(frozen=True, slots=True)
class Plan:
    """One request to a model server."""

    url: str
    body: Mapping[str, Any]
    wire: Wire
    native: bool
    """are the tools in the request, and not in the prompt?"""
    begins: Begins = Begins.ANSWER
    num_ctx: int = 0
    """the context that the model will have, as far as that is known"""
    estimate: int = 0
    """how many tokens the prompt has, by a guess that is rather too low"""


@dataclass(frozen=True, slots=True)
class Model:
    """A model that a server has."""

    name: str
    created: int = 0


class Upstream(Protocol):
    """A model server."""

    name: str
    url: str
    headers: dict[str, str]
    """what it wants to be told with every request"""
    is_ollama: bool

    async def close(self) -> None:
        """Let go of what it holds."""

    async def models(self) -> list[Model]:
        """All models that it has now."""

    async def plan(self, ask: Ask, *, prompt: bool = False) -> Plan:
        """How to ask for this answer; `prompt`: with the tools in the prompt, whatever the model can do."""

    def learn(self, ask: Ask, refusal: Refusal) -> bool:
        """Does a refusal mean that the tools have to go into the prompt? Then that is remembered."""

    def passage(self, path: str) -> str:
        """The address for a request that is passed on as it is."""
