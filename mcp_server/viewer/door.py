"""The door of the viewer's app: who listens there, and who knocks.

It is a Unix socket that only its user may open. Where Python knows no such sockets (Windows) it is a port of loopback,
and at the path of the socket is a file that only its user may read, with the port and a token to be said first.
"""

import json
import os
import secrets
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from mcp_server.viewer.place import VARIABLE, BadPlace, Place, private

UNIX: Final = hasattr(socket, "AF_UNIX")
_MAX_PATH: Final = 103
"""Bytes of the path of a Unix socket: macOS takes no more, Linux four."""
_BACKLOG: Final = 128
_SECONDS: Final = 1.0
"""For a connection on one's own machine."""


class Door(NamedTuple):
    """A socket that accepts connections, and the token that is to be said there first, if any."""

    place: Place
    listener: socket.socket
    token: str
    file: tuple[int, int]
    """which file stands at the place"""

    def is_found(self) -> bool:
        """Whether it is still there: what runs in a session is cleared away at its end, and what is temporary, too."""
        try:
            return _file(self.place.socket) == self.file
        except OSError:
            return False

    def close(self) -> None:
        """Let nobody in any more, and leave no socket that is deaf: who finds one takes it for an app."""
        if self.is_found():  # else it may be that of another app
            self.place.clear()
        self.listener.close()


@contextmanager
def listening(place: Place, *, unix: bool = UNIX) -> Iterator[Door]:
    """Listen as long as the block lasts. The place is held."""
    listener = _at_path(place.socket) if unix else socket.create_server(("127.0.0.1", 0), backlog=_BACKLOG)
    token = "" if unix else secrets.token_urlsafe(32)
    with listener:
        if token:
            _write(place.socket, json.dumps({"strictcall_viewer": {"port": listener.getsockname()[1], "token": token}}))
        door = Door(place, listener, token, _file(place.socket))
        try:
            yield door
        finally:
            door.close()


def connect(place: Place) -> socket.socket:
    """A connection; `OSError` if nobody listens."""
    place.check()
    family, address, greeting = _known(place)
    connection = socket.socket(family)
    try:
        connection.settimeout(_SECONDS)
        connection.connect(address)
        place.check_owner()  # now: what was put there later is not what we are connected to
        connection.sendall(greeting)
    except BaseException:
        connection.close()
        raise
    return connection


def _at_path(path: str) -> socket.socket:
    if len(os.fsencode(path)) > _MAX_PATH:
        raise BadPlace(
            f"{path} is too long for a socket, {_MAX_PATH} bytes are the most; set {VARIABLE} to a shorter path"
        )
    listener = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)  # it is closed to others from its first moment
    try:
        listener.bind(path)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise BadPlace(f"cannot listen at {path}: {error.strerror}; set {VARIABLE} to another path") from None
    finally:
        os.umask(before)
    return listener


def _file(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_dev, status.st_ino


def _write(path: str, text: str) -> None:
    """Write a file in one go: who reads it finds all of it, or none."""
    draft = f"{path}.new"
    with open(private(draft, os.O_WRONLY | os.O_TRUNC), "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(draft, path)


def _known(place: Place) -> tuple[socket.AddressFamily, str | tuple[str, int], bytes]:
    """Which way it goes, where to, and what to say there first."""
    if stat.S_ISSOCK(os.stat(place.socket).st_mode):
        return socket.AF_UNIX, place.socket, b""
    try:
        with open(place.socket, encoding="utf-8") as file:
            known = json.load(file)["strictcall_viewer"]
    except (ValueError, TypeError, KeyError):
        raise ConnectionRefusedError from None
    if not place.is_held():  # whoever has the port now should not hear the token, nor what comes then
        raise ConnectionRefusedError
    return socket.AF_INET, ("127.0.0.1", known["port"]), json.dumps({"token": known["token"]}).encode() + b"\n"
