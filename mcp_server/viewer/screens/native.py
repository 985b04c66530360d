"""Windows of our own, without a browser: those of pywebview, which is there if the extra `native` is installed."""

import asyncio
import itertools
import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from mcp_server.viewer.limits import SIZES
from mcp_server.viewer.screens.screen import NotShown

PATIENCE: Final = 20.0
"""Seconds for one thing to be done: the first window from a slow disk takes some."""


class Native:
    """The windows of one process, which is started when it is needed and ends with its last window."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._turn = asyncio.Lock()
        self._numbers = itertools.count(1)
        self._process: asyncio.subprocess.Process | None = None

    async def show(self, window_id: str, url: str, page: str, size: str, *, foreground: bool) -> None:  # noqa: ARG002
        """Open a window."""
        request = {"do": "show", "window": window_id, "url": url, "size": SIZES[size], "foreground": foreground}
        async with self._turn:
            # There may be none yet, or it has ended with its last window.
            if not await self._done(request):
                await self._start()
                if not await self._done(request):
                    raise NotShown("pywebview can show no window here")

    async def change(self, window_id: str, *, title: str, pinned: bool) -> None:
        """Give a window its title, and keep it above all others or not."""
        async with self._turn:
            await self._done({"do": "change", "window": window_id, "title": title, "pinned": pinned})

    async def hide(self, window_id: str) -> None:
        """Close a window."""
        async with self._turn:
            await self._done({"do": "hide", "window": window_id})

    async def end(self) -> None:
        """End the process."""
        async with self._turn:
            await self._stop()

    async def _start(self) -> None:
        await self._stop()
        command = [sys.executable, "-m", "mcp_server.viewer.screens.native_windows"]
        pipe, silent = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        self._process = await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, stderr=silent, env=self._environ
        )

    async def _stop(self) -> None:
        if self._process:
            with suppress(ProcessLookupError):
                self._process.kill()  # it may hang, and has nothing to put in order
            await self._process.wait()

    async def _done(self, request: dict[str, Any]) -> bool:
        """Whether the process has done it."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return False
        number = next(self._numbers)
        with suppress(OSError, TimeoutError):  # it has ended, or hangs
            async with asyncio.timeout(PATIENCE):
                process.stdin.write(json.dumps({"number": number, **request}).encode() + b"\n")
                await process.stdin.drain()
                async for line in process.stdout:
                    if line.strip() == str(number).encode():  # others may print too
                        return True
        return False
