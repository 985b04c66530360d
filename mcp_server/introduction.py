"""Who a client is, kept by the client: a session id for a server that keeps no sessions.

`initialize` is the one message in which a client says its name. On `POST /sse` nothing is remembered, so the answer
gives the name back as the session id, which the client then sends with every message. It opens nothing: a wrong one
only makes a wrong name in the record of calls.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any, Final

import orjson

_MOST: Final = 200
"""Bytes of an introduction: it is sent with every message."""


def introduction(message: bytes) -> str | None:
    """The session id that a client gets for its `initialize`; None for any other message."""
    if b'"initialize"' not in message:
        return None
    try:
        request = orjson.loads(message)
        info = request["params"]["clientInfo"] if request["method"] == "initialize" else {}
        said = orjson.dumps({"name": info["name"], "version": info["version"]})
    except (orjson.JSONDecodeError, LookupError, TypeError):
        return None
    return urlsafe_b64encode(said).decode() if len(said) <= _MOST else None


def client_of(session_id: str | None) -> dict[str, Any] | None:
    """The name and version in a session id; None where there is none that we gave."""
    try:
        return dict(orjson.loads(urlsafe_b64decode(session_id or "")))
    except (ValueError, TypeError):
        return None
