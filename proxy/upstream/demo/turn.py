"""One turn of a scripted model: what it says, in the pieces that it says it in, and why it ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from proxy.upstream.demo.mind import answer
from proxy.upstream.demo.models import Model
from proxy.upstream.demo.speech import spelled

Json = Any

PIECE: Final = 4
"""Characters of a token: about what real models average, and short enough to cut every mark of every dialect."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a request limits."""

    most: int | None = None
    """pieces"""
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """What is said."""

    pieces: tuple[str, ...]
    reason: Literal["stop", "length"]
    prompt_count: int
    """tokens of the prompt"""

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self.pieces)


def turn(model: Model, messages: Sequence[Mapping[str, Json]], tools: object, form: object, options: Options) -> Turn:
    """The next turn in a conversation; `form` is the `format` of the request."""
    found = answer(messages, tools, form)
    before = sum(len(calls) for message in messages if isinstance(calls := message.get("tool_calls"), list))
    text = spelled(model.dialect, found.calls, prose=found.text, number=before)
    prompt = "".join(str(message.get("content") or "") for message in messages)
    return said(text, prompt, options)


def said(text: str, prompt: str, options: Options) -> Turn:
    """`text` as a turn, as far as `options` let it go."""
    ends = [place for word in options.stop if word and (place := text.find(word)) >= 0]
    text = text[: min(ends)] if ends else text
    pieces = tuple(text[at : at + PIECE] for at in range(0, len(text), PIECE))
    prompt_count = len(prompt) // PIECE + 1
    if options.most is not None and len(pieces) > options.most:
        return Turn(pieces[: options.most], "length", prompt_count)
    return Turn(pieces, "stop", prompt_count)
