"""One request and its answer, as it is logged and counted: facts only, never what was said."""

import json
import logging
from dataclasses import asdict, dataclass, field
from time import monotonic
from typing import Any, Final

from proxy.core.pipe import Pipe

_log: Final = logging.getLogger("strictcall.request")
_LONGEST: Final = 120
"""Characters of a name that a client made up, in a line for the eye."""


@dataclass(slots=True)
class Exchange:
    """What is known of a request so far."""

    path: str
    model: str = "-"
    mode: str = "-"
    upstream: str = "-"
    stream: bool = False
    status: int = 0
    calls: list[tuple[str, str]] = field(default_factory=list)
    """the dialect of each call, and how it ended: complete or cut"""
    repairs: list[str] = field(default_factory=list)
    prompt_tools: bool = False
    """were the tools said in the prompt?"""
    context: str = ""
    """`cut` if the model server has dropped a part of the prompt"""
    error: str = ""
    began: float = field(default_factory=monotonic)
    first: float | None = None
    ended: float = 0.0

    def spoken(self, pipe: Pipe) -> None:
        """Take over what an answer was like."""
        tally = pipe.tally
        complete = tally.calls - tally.cut
        listed = [dialect for dialect, count in tally.dialects.items() for _ in range(count)]
        self.calls = [(dialect, "complete" if at < complete else "cut") for at, dialect in enumerate(listed)]
        self.repairs = [repair.name for repair in pipe.repairs]

    @property
    def dialects(self) -> str:
        """The dialects that the calls were in."""
        return ",".join(dict.fromkeys(dialect for dialect, _ in self.calls))

    def close(self) -> None:
        """The request is over: one line in the log."""
        self.ended = monotonic()
        _log.info("%s", self, extra={"exchange": self})

    @property
    def facts(self) -> dict[str, Any]:
        """All of it as JSON."""
        facts = asdict(self)
        first, began = facts.pop("first"), facts.pop("began")
        facts["first_ms"] = None if first is None else round(1000 * (first - began), 1)
        facts["duration_ms"] = round(1000 * (facts.pop("ended") - began), 1)
        facts["calls"] = [{"dialect": dialect, "outcome": outcome} for dialect, outcome in self.calls]
        return facts

    def __str__(self) -> str:
        words = [_word(self.path), _word(self.model), self.mode, f"upstream={self.upstream}", str(self.status)]
        words.append(f"{self.ended - self.began:.2f}s")
        if self.first is not None:
            words.append(f"first={1000 * (self.first - self.began):.0f}ms")
        words.append(f"calls={len(self.calls)}")
        if self.calls:
            words.append(f"dialect={self.dialects}")
        if any(outcome == "cut" for _, outcome in self.calls):
            words.append("cut=yes")
        if self.repairs:
            words.append(f"repairs={','.join(dict.fromkeys(self.repairs))}")
        if self.prompt_tools:
            words.append("tools=prompt")
        if self.context:
            words.append(f"context={self.context}")
        if self.error:
            words.append(f"error={self.error}")
        return " ".join(words)


def _word(said: str) -> str:
    """What a client said, as one word of a line: nothing in it begins another line or moves the cursor."""
    return "".join(char if char.isprintable() and char != " " else "?" for char in said[:_LONGEST])


class JsonLines(logging.Formatter):
    """A log record as one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        """The record, with the facts of a request beside its level and time."""
        line: dict[str, Any] = {"time": self.formatTime(record), "level": record.levelname.lower()}
        exchange = getattr(record, "exchange", None)
        line |= exchange.facts if exchange else {"message": record.getMessage()}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)
