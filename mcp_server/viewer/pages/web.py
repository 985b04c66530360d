"""The pages of all windows, as an ASGI application.

/open/<ticket>      goes to a window's page, once, and for its user: it may be on a command line, which others can see
/w/<token>/         what the window shows
/w/<token>/<path>   a document of its folder tree, as a page, or an image
/w/<token>/~live    what has changed
/static/…           what the pages are made with
"""

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import Receive, Scope, Send

from mcp_server.viewer.documents.folder import Refused
from mcp_server.viewer.documents.sanitizing import DOCUMENTS
from mcp_server.viewer.pages import assets
from mcp_server.viewer.pages.guard import Guard
from mcp_server.viewer.pages.labels import Labels, Notice, choose
from mcp_server.viewer.pages.live import Live
from mcp_server.viewer.pages.page import LIVE, notice, page, state_of, tree_of
from mcp_server.viewer.pages.peer import may_be_ours
from mcp_server.viewer.pages.readings import Readings
from mcp_server.viewer.windows import Window, Windows

THEME: Final = "strictcall-theme"
"""The cookie of the chosen theme. Storage of the page would forget it: the port, and so the origin, is always new."""
_IMAGE: Final = {"Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'"}
"""An image opened on its own is a page, and one of SVG could do what pages do."""


class Pages:
    """The pages of all windows; what leads out of them is opened by `leave`."""

    def __init__(self, windows: Windows, port: int, leave: Callable[[str], None]) -> None:
        self._windows = windows
        self._origin = f"http://127.0.0.1:{port}"
        self._readings = Readings()
        self._tickets: dict[str, str] = {}
        routes = [
            Route("/open/{ticket}", self._open),
            Route("/w/{token}/{path:path}", self._show),
            WebSocketRoute(f"/w/{{token}}/{LIVE}", Live(windows, self._readings, leave).attend),
            Route("/static/{hash}/{name}", assets.answer),
        ]
        app = Starlette(routes=routes, exception_handlers={HTTPException: self._nothing, Exception: self._failed})
        self._guarded = Guard(app, port)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        await self._guarded(scope, receive, send)

    def url(self, window: Window) -> str:
        """A window's own address, for whoever may see it."""
        return f"{self._origin}/w/{window.token}/"

    def ticket(self, window: Window) -> str:
        """An address that leads to a window once."""
        self._tickets = {one: token for one, token in self._tickets.items() if self._windows.with_token(token)}
        ticket = secrets.token_urlsafe(24)
        self._tickets[ticket] = window.token
        return f"{self._origin}/open/{ticket}"

    async def _open(self, request: Request) -> Response:
        tickets = self._tickets if may_be_ours(request) else {}
        token = tickets.pop(request.path_params["ticket"], "")
        if self._windows.with_token(token):
            return RedirectResponse(f"/w/{token}/", 303)
        return self._notice(request, 404, self._labels(request).used)

    async def _show(self, request: Request) -> Response:
        window = self._windows.with_token(request.path_params["token"])
        path = request.path_params["path"]
        labels = self._labels(request)
        if window is None:
            return self._notice(request, 410, labels.closed)
        if window.file and path == Path(window.file).name:
            return RedirectResponse(f"/w/{window.token}/")  # another document leads back to the opened one
        try:
            return await self._shown(request, window, path)
        except Refused as refused:
            status, words = 403, Notice(labels.refused, labels.reasons[refused.why])
        except OSError:
            status, words = 404, labels.missing
        state = state_of(window, path, await self._readings.version(window, path))
        tree = tree_of(window, self._readings.tree(window), path)
        return HTMLResponse(notice(words, labels, _theme(request), path, state, tree), status)

    async def _shown(self, request: Request, window: Window, path: str) -> Response:
        if path and not path.lower().endswith(DOCUMENTS):
            image, media_type = await self._readings.image(window, path)
            return Response(image, headers=_IMAGE, media_type=media_type)
        reading = await self._readings.read(window, path)
        if not path and reading.document.title:
            self._windows.entitle(window, reading.document.title)
        return HTMLResponse(page(window, reading, self._labels(request), _theme(request)))

    async def _nothing(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101 - it is registered for these
        return self._notice(request, error.status_code, self._labels(request).nowhere)

    async def _failed(self, request: Request, _: Exception) -> Response:
        return self._notice(request, 500, self._labels(request).failed)

    def _notice(self, request: Request, status: int, words: Notice) -> Response:
        return HTMLResponse(notice(words, self._labels(request), _theme(request)), status)

    def _labels(self, request: Request) -> Labels:
        return choose(request.headers.get("accept-language", ""))


def _theme(request: Request) -> str:
    return request.cookies.get(THEME, "")
