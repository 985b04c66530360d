"""What a client asks a model, whatever protocol it asked in: `accept` reads it, `wire` says it to a model server.

Everything odd about a request is mended when it is read, so an `Ask` has one form: text is text, arguments are objects,
a choice of tools is already made (`tool_choice: none` leaves no tools, a named one leaves that one).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from proxy.core.schema import Json
from proxy.core.tools import Tool

Role = Literal["system", "user", "assistant", "tool"]


class BadRequest(Exception):  # noqa: N818 - whose fault it is, is its name
    """The client's request cannot be served: what was wanted, what was found, what to do."""

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.param = param


@dataclass(frozen=True, slots=True)
class PastCall:
    """A call that an assistant made earlier in the conversation."""

    id: str
    name: str
    arguments: dict[str, Json]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the conversation."""

    role: Role
    text: str = ""
    parts: tuple[Mapping[str, Any], ...] = ()
    """what is not text, as OpenAI writes it: `{"type": "image_url", ...}`"""
    calls: tuple[PastCall, ...] = ()
    reasoning: str = ""
    answers: str = ""
    """in the result of a tool: the id of its call"""
    tool: str = ""
    """in the result of a tool: the name of the tool"""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the answer is drawn; None: as the model's makers think best."""

    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Function:
    """A tool on offer.

    Clients send the same tools with every request, so what is made of one is kept with it; it is found by identity.
    """

    name: str
    description: str = ""
    parameters: Mapping[str, Json] = field(default_factory=dict)

    @cached_property
    def tool(self) -> Tool:
        """What calls to it are read by."""
        return Tool(self.name, self.parameters)

    @cached_property
    def text(self) -> str:
        """All of it, about as long as a model reads it."""
        return f"{self.name}{self.description}{self.parameters}"


@dataclass(frozen=True, slots=True)
class Ask:
    """One request for an answer."""

    model: str
    messages: tuple[Message, ...]
    tools: tuple[Function, ...] = ()
    required: bool = False
    """must the answer be a call?"""
    parallel: bool = True
    """may there be more than one call?"""
    stream: bool = False
    usage: bool = False
    """does the client want the usage at the end of its stream?"""
    sampling: Sampling = Sampling()
    format: Json = None
    """`"json"`, or the schema that the answer must fit"""
    think: bool | str | None = None
    """whether, or how hard, to reason; None: as the model does by itself"""
    rest: Mapping[str, Any] = field(default_factory=dict)
    """what else the client said, for a server that speaks the client's protocol"""

    @property
    def about_tools(self) -> bool:
        """Are there tools on offer, or calls and results in the conversation?"""
        return bool(self.tools) or any(message.calls or message.role == "tool" for message in self.messages)

    @property
    def ids(self) -> frozenset[str]:
        """The ids of all calls so far."""
        return frozenset(call.id for message in self.messages for call in message.calls)
