"""What a call of a tool comes to: one type, whoever asks. It is an MCP result, and an OpenAI tool message.

ToolResult.of({"days": 3})       text     {"success": true, "result": {"days": 3}}
ToolResult.failed("failed", …)   text     {"success": false, "error": …}
ToolResult.said("# 규정", {…})    text     # 규정, with an object of the tool's own beside it

Invariant: the text is never empty, and both it and the structured content can be written in UTF-8.
"""

import json
from typing import Any, Final, Literal, NamedTuple

from db.schema import Json

Reason = Literal["unknown_tool", "switched_off", "bad_arguments", "failed", "timeout", "cancelled", "too_long", "bug"]
"""Why there is no result: the first three are the caller's, `failed` is the tool's word, `bug` is ours."""

MAX_OUTPUT: Final = 1_000_000
"""Characters of a text: no model reads more, and some clients stop working at it."""


class ToolFailed(Exception):  # noqa: N818 - what happened
    """A tool cannot do what it was asked; the message says what to do."""


class Failure(NamedTuple):
    """Why there is no result, and what to do."""

    reason: Reason
    message: str


class ToolResult(NamedTuple):
    """The one result type: a text, the same (or more) as an object, and what else is to be seen or heard."""

    text: str
    structured: Json
    failure: Failure | None = None
    blocks: tuple[Json, ...] = ()

    @classmethod
    def of(cls, value: Any) -> "ToolResult":
        """The result that a tool's plain data is; `ValueError` or `TypeError` if it is not plain."""
        if isinstance(value, ToolResult):
            return value
        text = _json({"success": True, "result": value})
        return cls(text, json.loads(text))

    @classmethod
    def said(cls, text: str, structured: Json | None = None, blocks: tuple[Json, ...] = ()) -> "ToolResult":
        """A text of the tool's own, an object beside it, and blocks after it."""
        said = _whole(text)
        written = _json({"success": True, "result": said} if structured is None else structured)
        return cls(said or written, json.loads(written), None, blocks)

    @classmethod
    def failed(cls, reason: Reason, message: str) -> "ToolResult":
        """A failure."""
        said = _whole(message)
        structured = {"success": False, "error": said}
        return cls(_json(structured), structured, Failure(reason, said))

    @property
    def value(self) -> Any:
        """What the tool returned."""
        return self.structured.get("result")

    def as_json(self) -> Json:
        """`{"success": true, "result": …}` or `{"success": false, "error": …}`, or the tool's own object."""
        return self.structured

    def as_mcp(self) -> Json:
        """As the result of MCP's `tools/call`."""
        return {
            "content": [{"type": "text", "text": self.text}, *self.blocks],
            "structuredContent": self.structured,
            "isError": self.failure is not None,
        }

    def as_openai(self, call_id: str) -> Json:
        """As the message that answers a call in an OpenAI conversation."""
        return {"role": "tool", "tool_call_id": call_id, "content": self.text}


def image(data: bytes, mime: str) -> Json:
    """A picture, as a block."""
    from binascii import b2a_base64  # noqa: PLC0415 - few tools draw

    return {"type": "image", "data": b2a_base64(data, newline=False).decode(), "mimeType": mime}


_written: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def _json(value: Json) -> str:
    return _whole(_written(value))


def _whole(text: str) -> str:
    """The text without halves of characters (lone surrogates), which nobody can write down."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
