"""The body of a request: read whole and no larger than allowed, and written to be passed on."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import orjson

from proxy.core.ask import BadRequest
from proxy.errors import Problem

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class ClientLeft(Exception):  # noqa: N818 - what happened
    """The client has closed the connection."""


async def read_body(scope: Scope, receive: Receive, limit: int) -> bytes:
    """All of the body."""
    headers = dict(scope["headers"])
    encoding = headers.get(b"content-encoding", b"identity").decode("latin-1")
    if encoding.lower() != "identity":
        raise Problem(415, f"the body is compressed ({encoding}), which is not read here; send it as it is", "encoding")
    announced = headers.get(b"content-length", b"0")
    if announced.isdigit() and int(announced) > limit:
        raise _too_large(limit)
    pieces, size = list[bytes](), 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientLeft
        pieces.append(message.get("body", b""))
        size += len(pieces[-1])
        if size > limit:
            raise _too_large(limit)
        if not message.get("more_body"):
            return b"".join(pieces)


def written(body: Any) -> bytes:
    """A body that was read from JSON, as JSON again."""
    try:
        return orjson.dumps(body)
    except orjson.JSONEncodeError:  # it reads deeper than it writes
        raise BadRequest("the body is nested too deep to be passed on; make it flatter") from None


def _too_large(limit: int) -> Problem:
    return Problem(413, f"the body is larger than {limit} bytes; send less, or raise max_body", "body_too_large")
