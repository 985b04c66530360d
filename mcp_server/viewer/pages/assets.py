"""The files that every page uses, under a path that changes with them, so that a browser may keep them for ever."""

import hashlib
from importlib.resources import files
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

_TYPES: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_FILES: Final = {
    one.name: one.read_bytes() for one in (files("mcp_server.viewer.pages") / "static").iterdir() if one.name[0] != "."
}
ROOT: Final = f"/static/{hashlib.sha256(b''.join(_FILES[name] for name in sorted(_FILES))).hexdigest()[:16]}"
"""Below it are the files, by name."""


async def answer(request: Request) -> Response:
    """One of the files."""
    name = request.path_params["name"]
    if name not in _FILES:
        return Response(status_code=404)
    media_type = _TYPES[name[name.rindex(".") :]]
    return Response(
        _FILES[name], headers={"Cache-Control": "public, max-age=31536000, immutable"}, media_type=media_type
    )
