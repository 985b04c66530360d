"""What a call of a tool comes to: text, structured content, nothing, or a failure. One type, whoever asks.

ToolResult.of("done")            text
ToolResult.of({"days": 3})       structured, with the same as JSON for those who read text
ToolResult.of(None)              empty
ToolResult.failed("failed", …)   a failure, and what to do about it
"""

import json
from typing import Any, Literal, NamedTuple

Reason = Literal["unknown_tool", "switched_off", "bad_arguments", "failed", "timeout", "bug"]
"""Why there is no result: the first three are the caller's, `failed` is the tool's word, `bug` is ours."""


class ToolFailed(Exception):  # noqa: N818 - what happened
    """A tool cannot do what it was asked; the message says what to do."""


class Failure(NamedTuple):
    """Why there is no result, and what to do."""

    reason: Reason
    message: str


class ToolResult(NamedTuple):
    """The one result type."""

    text: str = ""
    structured: Any = None
    failure: Failure | None = None

    @classmethod
    def of(cls, value: Any) -> "ToolResult":
        """The result that a tool's plain data is; `ValueError` or `TypeError` if it is not plain."""
        match value:
            case None:
                return cls()
            case str():
                return cls(text=value)
            case _:
                return cls(text=json.dumps(value, ensure_ascii=False, allow_nan=False), structured=value)

    @classmethod
    def failed(cls, reason: Reason, message: str) -> "ToolResult":
        """A failure."""
        return cls(text=message, failure=Failure(reason, message))

    @property
    def value(self) -> Any:
        """What the tool returned."""
        return self.structured if self.structured is not None else self.text or None

    def as_json(self) -> dict[str, Any]:
        """`{"success": true, "result": …}` or `{"success": false, "error": …}`."""
        if self.failure:
            return {"success": False, "error": self.failure.message}
        return {"success": True, "result": self.value}
