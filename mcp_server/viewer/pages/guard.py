"""Who may ask for a page, and what every answer says of itself: checked before anything is read.

A window is for whoever knows its token. Still, pages of other origins (another port of this machine is one, too) shall
not even come as far as to be told that a token is wrong: they may send their visitor here, which shows them nothing,
and neither ask, nor embed, nor connect. `Host` must be a name of this machine, or a name that somebody points to
127.0.0.1 would make a foreign page one of ours.
"""

from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SAID_OF_EVERYTHING: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    # Else a browser asks for the host of a link as soon as the pointer is on it, and a host's name can carry data out.
    "X-DNS-Prefetch-Control": "off",
}
_REFUSED: Final = 1008
"""The code of a WebSocket that is closed for what its page may not."""


class Guard:
    """Lets requests through to an ASGI app, or refuses them."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request."""
        if scope["type"] == "lifespan" or self._may(scope):
            await self._app(scope, receive, _saying(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _REFUSED})
        else:
            refused = PlainTextResponse("this is only for the viewer's own pages, on 127.0.0.1\n", 403)
            await refused(scope, receive, _saying(send))

    def _may(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        names_itself = origin is not None or scope["type"] == "websocket"
        if host not in self._hosts or (names_itself and origin != f"http://{host}"):
            return False
        ours = headers.get("sec-fetch-site", "none") in {"none", "same-origin"}
        visit = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        return ours or visit


def _saying(send: Send) -> Send:
    async def say(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _SAID_OF_EVERYTHING.items():
                headers.setdefault(name, value)
        await send(message)

    return say
