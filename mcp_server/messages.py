"""JSON-RPC messages as text, and what to say to text that is none."""

import mcp_types as types
from pydantic import ValidationError


class BadMessage(Exception):  # noqa: N818 - what it is
    """What came is no message; `answer` says so to the client."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        error = types.ErrorData(code=code, message=message)
        self.answer = as_text(types.JSONRPCError(jsonrpc="2.0", id=None, error=error))


def read(text: bytes | str) -> types.JSONRPCMessage:
    """A message; `BadMessage` if it is none."""
    try:
        return types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as error:
        if any(one["type"] == "json_invalid" for one in error.errors(include_input=False)):
            raise BadMessage(types.PARSE_ERROR, "this is not JSON; wanted one JSON-RPC 2.0 message") from None
        raise BadMessage(types.INVALID_REQUEST, "this is not one JSON-RPC 2.0 message") from None


def as_text(message: types.JSONRPCMessage) -> str:
    """A message as it travels."""
    return message.model_dump_json(by_alias=True, exclude_unset=True)
