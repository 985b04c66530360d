"""JSON-RPC messages as text, and what to say to text that is none."""

import json

import mcp_types as types
from pydantic import ValidationError

from db.characters import whole


class BadMessage(Exception):  # noqa: N818 - what it is
    """What came is no message; `answer` says so to the client."""

    def __init__(self, code: int, message: str, request: types.RequestId | None = None) -> None:
        super().__init__(message)
        error = types.ErrorData(code=code, message=message)
        self.answer = as_text(types.JSONRPCError(jsonrpc="2.0", id=request, error=error))


def read(text: bytes | str) -> types.JSONRPCMessage:
    """A message; `BadMessage` if it is none."""
    try:
        message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError:
        return _read_closely(text)
    # A request passes for a notification if its id is none, and then nobody would answer.
    return _read_closely(text) if isinstance(message, types.JSONRPCNotification) else message


def as_text(message: types.JSONRPCMessage) -> str:
    """A message as it travels."""
    return message.model_dump_json(by_alias=True, exclude_unset=True)


def _read_closely(text: bytes | str) -> types.JSONRPCMessage:
    """As Python reads JSON: with a mark at its beginning, and with halves of characters, which JavaScript writes."""
    try:
        found = json.loads(text)
        written = whole(json.dumps(found, ensure_ascii=False))
    except (ValueError, RecursionError):
        raise BadMessage(types.PARSE_ERROR, "this is not JSON; wanted one JSON-RPC 2.0 message") from None
    request = found.get("id") if isinstance(found, dict) and "method" in found else None
    known = request if isinstance(request, str | int) and not isinstance(request, bool) else None
    try:
        message = types.jsonrpc_message_adapter.validate_json(written, by_name=False)
    except ValidationError:
        raise BadMessage(types.INVALID_REQUEST, "this is not one JSON-RPC 2.0 message", known) from None
    if isinstance(message, types.JSONRPCNotification) and "id" in found:
        raise BadMessage(types.INVALID_REQUEST, "the id of a request is text or an integer; send one, or none at all")
    return message
