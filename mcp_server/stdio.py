"""MCP over standard input and output: one message a line, and on standard output nothing else.

While it runs, what a tool prints goes to standard error, and what it reads is empty.
"""

import asyncio
import logging
import os
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Final

import mcp_types as types

from mcp_server.crossing import tell, wait_for
from mcp_server.engine import GRACE, McpEngine
from mcp_server.messages import BadMessage
from mcp_server.session import Session
from mcp_server.signals import handled

MAX_LINE: Final = 64 << 20
"""Bytes of a message."""
_CHUNK: Final = 1 << 16
_log: Final = logging.getLogger("strictcall")


async def serve_stdio(engine: McpEngine) -> None:
    """Serve the client that started this process, until it closes our input or a signal ends us."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    incoming, outgoing = _claimed()
    with handled(lambda *_: tell(loop, ended.set)):
        writer = _Writer(outgoing, loop, ended.set)
        async with engine.run():
            session = engine.open()
            writing = asyncio.create_task(_write(session, writer))
            writing.add_done_callback(lambda _: ended.set())
            reading = (incoming, session, writer, loop, ended.set)
            threading.Thread(target=_read, args=reading, name="stdin", daemon=True).start()
            _log.info("[strictcall-mcp] Server started")
            await ended.wait()
            await session.finish(GRACE)
            with suppress(TimeoutError):  # of a client that does not read
                await asyncio.wait_for(writing, GRACE)


async def _write(session: Session, writer: "_Writer") -> None:
    async for message in session.outbox():
        await writer.write(message)


def _read(
    incoming: int, session: Session, writer: "_Writer", loop: asyncio.AbstractEventLoop, ended: Callable[[], None]
) -> None:
    """Feed the session, line by line, no faster than it takes them."""
    with suppress(OSError):  # a terminal that was closed has no end, but an error
        for line in lines(incoming):
            wait_for(loop, partial(_feed, line, session, writer))
    tell(loop, ended)


async def _feed(line: bytes, session: Session, writer: "_Writer") -> None:
    if len(line) > MAX_LINE:
        await writer.write(BadMessage(types.INVALID_REQUEST, f"a message has at most {MAX_LINE} bytes").answer)
    elif line.strip():
        try:
            await session.feed(line)
        except BadMessage as bad:
            await writer.write(bad.answer)


def lines(source: int) -> Iterator[bytes]:
    """The lines of a file, each when it is there; of one that is too long, as much as shows that it is."""
    begun = bytearray()
    while chunk := os.read(source, _CHUNK):
        head, *rest = chunk.split(b"\n")
        if len(begun) <= MAX_LINE:
            begun += head
        for part in rest:
            yield bytes(begun)
            begun = bytearray(part)
    if begun:
        yield bytes(begun)


class _Writer:
    """Writes messages on a thread of its own, so that a client that does not read stops nothing but itself."""

    def __init__(self, outgoing: int, loop: asyncio.AbstractEventLoop, broken: Callable[[], None]) -> None:
        self._outgoing = outgoing
        self._loop = loop
        self._broken = broken
        self._waiting: queue.SimpleQueue[tuple[bytes, asyncio.Event]] = queue.SimpleQueue()
        threading.Thread(target=self._run, name="stdout", daemon=True).start()

    async def write(self, message: str) -> None:
        """Write a message; returns when it is written."""
        written = asyncio.Event()
        self._waiting.put((f"{message}\n".encode(), written))
        await written.wait()

    def _run(self) -> None:
        while True:
            line, written = self._waiting.get()
            try:
                while line:
                    line = line[os.write(self._outgoing, line) :]
            except OSError:
                tell(self._loop, self._broken)  # whoever read us is gone
            tell(self._loop, written.set)


def _claimed() -> tuple[int, int]:
    """Our own copies of standard input and output; who uses the usual ones finds nothing, and standard error.

    For good: what a tool has printed may still be in a buffer when the process ends.
    """
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return incoming, outgoing
