"""What can go wrong, as clients are told: OpenAI's error object with the right status, and the fix in its message.

Clients repeat a request after 408, 409, 429 and 5xx (OpenAI's SDKs twice, Void nine times in all), so those are kept
for what another try can mend.
"""

from typing import Any, Final

import orjson

from proxy.core.ask import BadRequest

_TYPES: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    405: "invalid_request_error",
    413: "invalid_request_error",
    415: "invalid_request_error",
}


class Problem(Exception):  # noqa: N818 - the user's word for it
    """A request that cannot be answered: what was wanted, what was found, what to do."""

    def __init__(self, status: int, message: str, code: str | None = None, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.param = param

    @classmethod
    def of(cls, error: Exception) -> "Problem":
        """The problem that an exception is for the client; what nobody foresaw is our own fault."""
        match error:
            case Problem():
                return error
            case BadRequest():
                return cls(400, str(error), "bad_request", error.param)
            case _:
                return cls(500, "strictcall failed on this request; its log has the traceback", "internal_error")

    @property
    def error(self) -> dict[str, Any]:
        """OpenAI's error object."""
        kind = _TYPES.get(self.status, "api_error")
        return {"message": self.message, "type": kind, "param": self.param, "code": self.code}

    @property
    def body(self) -> bytes:
        """The body of a response."""
        return orjson.dumps({"error": self.error})

    @property
    def ollama_body(self) -> bytes:
        """The body of a response to a client of Ollama's own protocol, whose errors are text."""
        return orjson.dumps({"error": self.message})


class UpstreamError(Problem):
    """A model server refused, failed or fell silent."""


class Refusal(UpstreamError):  # noqa: N818 - what it is
    """A model server refused a request, for a reason that is about the request or its own state."""
