"""What a call of a tool comes to: one type, whoever asks. It is an MCP result, and an OpenAI tool message.

ToolResult.of({"days": 3})       text     {"success": true, "result": {"days": 3}}
ToolResult.failed("failed", …)   text     {"success": false, "error": …}
ToolResult.said("# 규정", {…})    text     # 규정, with an object of the tool's own beside it

A tool that fails raises `ToolFailed`, which may have a text of the tool's own, too.

Invariant: the text is never empty, and both it and the structured content can be written in UTF-8.
"""

import json
from typing import Any, Final, Literal, NamedTuple

from db.characters import whole
from db.schema import Json

Reason = Literal["unknown_tool", "switched_off", "bad_arguments", "failed", "timeout", "cancelled", "too_long", "bug"]
"""Why there is no result: the first three are the caller's, `failed` is the tool's word, `bug` is ours."""

MAX_OUTPUT: Final = 1_000_000
"""Characters of a text: no model reads more, and some clients stop working at it."""


class ToolFailed(Exception):  # noqa: N818 - what happened
    """A tool cannot do what it was asked; the message says what to do, and `text` says it in the tool's own way."""

    def __init__(self, message: str, text: str = "", blocks: tuple[Json, ...] = ()) -> None:
        super().__init__(message)
        self.text = text
        self.blocks = blocks


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
            return _sound(value)
        text = _json({"success": True, "result": value})
        return cls(text, json.loads(text))

    @classmethod
    def said(cls, text: str, structured: Json | None = None, blocks: tuple[Json, ...] = ()) -> "ToolResult":
        """A text of the tool's own, an object beside it, and blocks after it."""
        return _sound(cls(text, {"success": True, "result": text} if structured is None else structured, None, blocks))

    @classmethod
    def failed(cls, reason: Reason, message: str, text: str = "", blocks: tuple[Json, ...] = ()) -> "ToolResult":
        """A failure, in a text of the tool's own if it has one, and blocks after it."""
        said = whole(message)
        return _sound(cls(text, {"success": False, "error": said}, Failure(reason, said), blocks))

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


_BLOCKS: Final = {
    "text": ("text",),
    "image": ("data", "mimeType"),
    "audio": ("data", "mimeType"),
    "resource_link": ("name", "uri"),
    "resource": ("resource",),
}
"""The kinds of blocks that there are, and what each must have: one that is wrong spoils a whole answer for a client."""


def image(data: bytes, mime: str) -> Json:
    """A picture, as a block."""
    from binascii import b2a_base64  # noqa: PLC0415 - few tools draw

    return {"type": "image", "data": b2a_base64(data, newline=False).decode(), "mimeType": mime}


def _sound(result: ToolResult) -> ToolResult:
    """The same, as everybody can write it down, whoever has made it."""
    written = _json(result.structured)
    blocks = tuple(_block(one) for one in result.blocks)
    return ToolResult(whole(result.text) or written, json.loads(written), result.failure, blocks)


def _block(block: Json) -> Json:
    plain: Json = json.loads(_json(block))
    needed = _BLOCKS.get(plain.get("type", ""))
    if needed is None or not all(name in plain for name in needed):
        raise ValueError(f"a block is one of {', '.join(_BLOCKS)}, with all that belongs to it")
    return plain


_written: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def _json(value: Json) -> str:
    return whole(_written(value))
