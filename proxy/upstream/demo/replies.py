"""Answers of the demo server."""

from typing import Any

import orjson
from starlette.responses import Response


def json_reply(value: Any, status: int = 200) -> Response:
    """A JSON answer, with the header that Ollama sends."""
    return Response(orjson.dumps(value), status, media_type="application/json; charset=utf-8")
