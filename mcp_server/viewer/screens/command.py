"""Windows that a command opens, such as the default browser's: once they are open, nothing more is known of them."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from typing import Final

from mcp_server.crossing import in_thread
from mcp_server.viewer.screens.browsers import URL
from mcp_server.viewer.screens.screen import NotShown

PATIENCE: Final = 2.0
"""Seconds in which a command fails, if it does. One that goes on after that is the browser itself."""


class Command:
    """Runs a command for each window. Its page closes itself, if the browser lets it."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str]) -> None:
        self._command = command
        self._environ = environ
        self._running: list[subprocess.Popen[bytes]] = []

    async def show(self, window_id: str, url: str, page: str, size: str, *, foreground: bool) -> None:  # noqa: ARG002
        """Open a window, of whatever size it will be."""
        try:
            code = await in_thread(self._run, [word.replace(URL, url) for word in self._command])
        except OSError as error:
            raise NotShown(f"{self._command[0]} cannot be started: {error.strerror}") from None
        if code:
            raise NotShown(f"{self._command[0]} has ended with exit code {code}")

    async def change(self, window_id: str, *, title: str, pinned: bool) -> None:
        """Nothing: the window is not ours."""

    async def hide(self, window_id: str) -> None:
        """Nothing, likewise."""

    async def end(self) -> None:
        """Nothing, likewise."""

    def _run(self, command: list[str]) -> int:
        """Its exit code; 0 if it goes on."""
        self._running = [process for process in self._running if process.poll() is None]
        silent = subprocess.DEVNULL
        process = subprocess.Popen(  # noqa: S603 - it is the person's own, or the system's
            command,
            stdin=silent,
            stdout=silent,
            stderr=silent,
            env=dict(self._environ),
            start_new_session=os.name != "nt",
        )
        try:
            return process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._running.append(process)
            return 0
