"""Documents that a person wants to see: a file, or what comes on standard input."""

import codecs
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any, Final

import click

from mcp_server.viewer.client import ViewerError, request
from mcp_server.viewer.limits import MOST_TEXT
from runner.printing import print_json, print_line
from runner.problem import Problem

_PAUSE: Final = 0.2
"""Seconds between two updates while standard input goes on; as long as an update took, if that is more."""
_CHUNK: Final = 1 << 16


def show_file(path: str, wanted: dict[str, Any], *, as_json: bool) -> None:
    """Show a file."""
    _tell(_asked("open_markdown", wanted | {"filePath": str(Path(path).expanduser().absolute())}), as_json=as_json)


def show_input(wanted: dict[str, Any], *, as_json: bool) -> None:
    """Show standard input: when it has ended, or as it comes; the end of the window ends that."""
    incoming = _Incoming()
    if not wanted["follow"]:
        incoming.ended.wait()
    text = incoming.first()
    window = _asked("open_markdown", wanted | {"content": text})
    _tell(window, as_json=as_json)
    shown = {"windowId": window["windowId"], "title": wanted["title"]}
    pause = _PAUSE
    while not incoming.ended.wait(pause) or incoming.text != text:
        if incoming.text != text:
            text, began = incoming.text, time.monotonic()
            try:
                request("update_markdown", shown | {"content": text})
            except ViewerError as error:
                if error.code == "not_open":
                    return  # the person has seen enough
                raise _problem(error) from None
            pause = max(_PAUSE, time.monotonic() - began)


def list_windows(*, as_json: bool) -> None:
    """List the windows that are open."""
    windows = _asked("list_viewers", {})["windows"]
    for window in windows:
        if as_json:
            print_json(window)
        else:
            print_line(f"{window['title']}\n  {window['windowId']}\n  {window['url']}")
    if not windows and not as_json:
        click.echo("No window is open.", err=True)


def _asked(action: str, params: dict[str, Any]) -> dict[str, Any]:
    try:
        return request(action, params)
    except ViewerError as error:
        raise _problem(error) from None


def _problem(error: ViewerError) -> Problem:
    return Problem(" ".join(filter(None, (str(error), error.hint))))


def _tell(window: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json({name: window[name] for name in ("windowId", "title", "url", "shown")})
    elif window["shown"]:
        click.echo(f"{window['title']}  (window {window['windowId']})", err=True)
    else:
        click.echo("No window can be opened here; this address shows it in any browser of this machine:", err=True)
        print_line(window["url"])


class _Incoming:
    """Standard input, read by a thread of its own, up to where it is too much to be shown."""

    def __init__(self) -> None:
        self.ended = threading.Event()
        self._some = threading.Event()
        self._bytes = bytearray()
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    @property
    def text(self) -> str:
        """What has come so far, without half a character at its end."""
        raw = bytes(self._bytes)
        try:
            return codecs.utf_8_decode(raw, "strict", self.ended.is_set())[0]
        except UnicodeDecodeError:
            return raw.decode("cp949", "replace")  # as Korean Windows pipes it

    def first(self) -> str:
        """What there is, once there is something."""
        self._some.wait()
        if not self.text:
            raise Problem("standard input is empty; pipe Markdown into it, or name a file")
        return self.text

    def _read(self) -> None:
        while len(self._bytes) <= MOST_TEXT and (chunk := os.read(sys.stdin.fileno(), _CHUNK)):
            self._bytes += chunk
            self._some.set()
        self.ended.set()
        self._some.set()
