"""Asks the viewer's app, and starts it if it is not running. Every request has a connection of its own.

request("list_viewers", {})   ->   {"windows": []}

What is slow to import is imported when it is needed: most who import this do not ask.
"""

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from db.progress import Cancelled, Progress
from mcp_server.viewer.texts import explain, say

if TYPE_CHECKING:
    from socket import socket

    from mcp_server.viewer.place import Place

Json = dict[str, Any]
TIMEOUT: Final = 10.0
"""Seconds for a request, once there is a connection."""
_TRIES: Final = 10
_PAUSE: Final = 0.5
"""How often, and after how many seconds each time, one looks for an app that was started."""
_CHUNK: Final = 1 << 16


class ViewerError(Exception):
    """There is no result. `code` is what the app says, or `unreachable`, `timeout`, `lost`; `hint` is what may help."""

    def __init__(self, code: str, message: str = "", hint: str = "") -> None:
        super().__init__(message or explain(code))
        self.code = code
        self.hint = hint


def request(action: str, params: Json, progress: Progress | None = None) -> Json:
    """Have the app do this, and return its result; `Cancelled` if nobody waits any more."""
    from mcp_server.viewer.place import Place  # noqa: PLC0415

    line = _Line()
    if progress:
        progress.when_cancelled(line.cut)
    try:
        try:
            answer = _asked(line, Place.of(), action, params)
        except _Unread:  # so nothing was done, and it can be asked again
            answer = _asked(line, Place.of(), action, params)
        return _result(answer, params)
    except ViewerError:
        if line.was_cut.is_set():
            raise Cancelled from None
        raise


class _Unread(ViewerError):  # noqa: N818 - what the request is
    """The app has ended before it had read the request: one that is killed takes connections until the last moment."""


class _Line:
    """The line to the app, which another thread may cut."""

    def __init__(self) -> None:
        self.was_cut = threading.Event()
        self._connection: socket | None = None

    def cut(self) -> None:
        """Break off what waits for it."""
        self.was_cut.set()
        if self._connection:
            with suppress(OSError):  # it has ended
                self._connection.shutdown(2)

    def connected(self, place: "Place") -> "socket":
        """A connection to the app, which is started if nobody listens."""
        from mcp_server.viewer.place import BadPlace  # noqa: PLC0415

        try:
            connection = self._found(place)
        except BadPlace as error:
            raise ViewerError("unreachable", hint=str(error)) from None
        # First this, then the look: `cut` does it the other way round, so one of them sees the other.
        self._connection = connection
        if self.was_cut.is_set():
            connection.close()
            raise Cancelled
        return connection

    def _found(self, place: "Place") -> "socket":
        from mcp_server.viewer.door import connect  # noqa: PLC0415
        from mcp_server.viewer.launch import NotStarted, start  # noqa: PLC0415

        with suppress(OSError):
            return connect(place)
        try:
            app = start(place)
        except NotStarted as error:
            raise _unreachable(str(error), place) from None
        for _ in range(_TRIES):
            if self.was_cut.wait(_PAUSE):
                raise Cancelled
            with suppress(OSError):
                return connect(place)
        raise _unreachable(app.fate(), place)


def _asked(line: _Line, place: "Place", action: str, params: Json) -> Json:
    with line.connected(place) as connection:
        return _answer(connection, action, params)


def _unreachable(why: str, place: "Place") -> ViewerError:
    return ViewerError("unreachable", hint=f"{why}. {say('reach_it', log=place.log)}")


def _answer(connection: "socket", action: str, params: Json) -> Json:
    """The frame that answers; the time for it counts from here."""
    deadline = time.monotonic() + TIMEOUT
    request_id = os.urandom(8).hex()
    frame = {"id": request_id, "action": action, "params": params}
    try:
        connection.settimeout(TIMEOUT)
        connection.sendall(json.dumps(frame, ensure_ascii=False).encode() + b"\n")
        for line in _lines(connection, deadline):
            answer = json.loads(line)
            if answer["id"] in {request_id, None}:  # what has none is meant for us, too: nobody else asks here
                return dict(answer)
    except TimeoutError:
        raise ViewerError("timeout") from None
    except (ConnectionResetError, BrokenPipeError):
        raise _Unread("lost") from None
    except OSError:
        pass
    except (ValueError, TypeError, KeyError):
        raise ViewerError("nonsense") from None
    raise ViewerError("lost")


def _lines(connection: "socket", deadline: float) -> Iterator[bytes]:
    """The lines that come until the deadline, or the end of the connection."""
    begun = b""
    while chunk := _more(connection, deadline):
        *lines, begun = (begun + chunk).split(b"\n")
        yield from lines


def _more(connection: "socket", deadline: float) -> bytes:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    connection.settimeout(left)
    return connection.recv(_CHUNK)


def _result(answer: Json, params: Json) -> Json:
    match answer:
        case {"result": dict() as result}:
            return result
        case {"error": {"code": str() as code, "message": str() as message}}:
            hint = say("look_again") if code == "not_open" else ""
            raise ViewerError(code, explain(code, message, **params), hint)
        case _:
            raise ViewerError("nonsense")
