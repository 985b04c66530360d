"""The viewer for tests: a place of its own, apps that listen there, and a client that sees every byte."""

import asyncio
import json
import os
import shlex
import shutil
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from serving import SOON, until

from mcp_server.viewer import control, door
from mcp_server.viewer.place import VARIABLE, Place

Json = dict[str, Any]
ROOT = Path(__file__).parent.parent


@contextmanager
def own_place() -> Iterator[Place]:
    """A place of its own, with a short path; an app that was started there is ended."""
    above = Path(tempfile.mkdtemp(prefix="viewer-"))
    place = Place(str(above / "v" / "v.sock"), chosen=True)
    Path(place.socket).parent.mkdir()
    try:
        yield place
    finally:
        app = int(Path(place.lock).read_text("utf-8")) if place.is_held() else 0
        shutil.rmtree(above)  # first, and both: one that waits for the place, or comes late, must not take it now
        if app not in {0, os.getpid()}:
            os.kill(app, signal.SIGKILL)


def environ_of(place: Place, **more: str) -> dict[str, str]:
    """What a process needs to find this place; no window is opened on a screen."""
    return {VARIABLE: place.socket, "STRICTCALL_VIEWER_BROWSER": "none", **more}


def an_app(how: str) -> str:
    """The command of an app for tests (viewer_app.py)."""
    return shlex.join([sys.executable, str(ROOT / "tests" / "viewer_app.py"), how])


def app_of(place: Place) -> int:
    """The process of the app that is there."""
    until(lambda: Path(place.socket).exists())
    return int(Path(place.lock).read_text("utf-8"))


def asked(place: Place, times: int = 1) -> None:
    """Wait until the slow app has been asked so often."""
    seen = Path(place.socket + ".asked")
    until(lambda: seen.exists() and seen.read_text().count("asked") == times)


def end_app(place: Place) -> None:
    """End the app, if there is one, as nobody would like to be."""
    if place.is_held():
        os.kill(int(Path(place.lock).read_text("utf-8")), signal.SIGKILL)
        until(lambda: not place.is_held())


@contextmanager
def listening(place: Place, actions: Mapping[str, control.Action], *, unix: bool = True) -> Iterator[None]:
    """An app of these actions, in a thread."""
    began = threading.Event()
    loop = asyncio.new_event_loop()
    ended = asyncio.Event()

    async def serve() -> None:
        with place.held(), door.listening(place, unix=unix) as opened:
            async with control.serve(opened, actions):
                began.set()
                await ended.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=[serve()], daemon=True)
    thread.start()
    try:
        assert began.wait(SOON)
        yield
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(SOON)
        loop.close()


class Raw:
    """A connection to the app, line by line."""

    def __init__(self, place: Place) -> None:
        self.socket: socket.socket = door.connect(place)
        self.socket.settimeout(SOON)
        self._file = self.socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self.socket.close()

    def send(self, line: bytes | Json) -> None:
        self.socket.sendall((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n")

    def receive(self) -> Json:
        return dict(json.loads(self._file.readline()))

    def ask(self, line: bytes | Json) -> Json:
        self.send(line)
        return self.receive()

    def has_ended(self) -> bool:
        return self._file.readline() == b""
