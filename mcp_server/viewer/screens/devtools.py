"""A browser that we start and steer by the DevTools protocol: NUL-ended JSON, over two pipes.

Never over a port: every user of the machine could steer the browser there. A browser ends when its pipes do, so its
windows do not outlive us, however we end. POSIX only: on Windows the pipes would be handles.
"""

import asyncio
import fcntl
import itertools
import json
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

Seen = Callable[[str, str], None]

THEIR_INPUT: Final = 3
THEIR_OUTPUT: Final = 4
"""The files that a browser with `--remote-debugging-pipe` reads and writes."""


class Gone(Exception):  # noqa: N818 - it says what happened
    """The browser has ended, or did not stay."""


class Refused(Exception):  # noqa: N818 - likewise
    """The browser did not do what it was asked."""


class Browser(asyncio.Protocol):
    """A browser that was started. It calls `seen` with the target and the address of a page that came or moved."""

    def __init__(self, process: int, seen: Seen) -> None:
        self._process = process
        self._seen = seen
        self._pages: set[str] = set()
        self._output: asyncio.WriteTransport
        self._unread = b""
        self._numbers = itertools.count(1)
        self._asked: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._gone = asyncio.Event()
        self._exit: asyncio.Task[int]

    @classmethod
    async def start(cls, command: Sequence[str], environ: Mapping[str, str], seen: Seen) -> "Browser":
        """Start one; `OSError` if there is no such program."""
        their_input, our_output = _pipe()
        our_input, their_output = _pipe()
        # Not subprocess, which cannot say what number a file gets; in a group of its own, as Ctrl-C is not for it.
        files = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
        pipes = [(os.POSIX_SPAWN_DUP2, their_input, THEIR_INPUT), (os.POSIX_SPAWN_DUP2, their_output, THEIR_OUTPUT)]
        try:
            process = os.posix_spawnp(  # noqa: ASYNC221 - it does not wait
                command[0], list(command), environ, file_actions=[*files, *pipes], setpgroup=0
            )
        except OSError:
            os.close(our_input)
            os.close(our_output)
            raise
        finally:
            os.close(their_input)
            os.close(their_output)
        loop = asyncio.get_running_loop()
        browser = cls(process, seen)
        browser._output, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(our_output, "wb", 0))
        await loop.connect_read_pipe(lambda: browser, os.fdopen(our_input, "rb", 0))
        return browser

    async def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Have it do something, and get its answer; or `Gone` or `Refused`."""
        if self._gone.is_set():
            raise Gone
        number = next(self._numbers)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._asked[number] = answer
        self._output.write(json.dumps({"id": number, "method": method, "params": parameters}).encode() + b"\0")
        try:
            return await answer
        finally:
            del self._asked[number]

    async def close(self, page: str) -> None:
        """Close a page; or `Gone` or `Refused`."""
        await self.ask("Target.closeTarget", targetId=page)
        self._closed(page)

    def end(self) -> None:
        """Have it end, with all its windows."""
        self._output.close()

    def kill(self) -> None:
        """End it, though it does not hear us. It has not ended yet."""
        os.kill(self._process, signal.SIGKILL)

    @property
    def ending(self) -> bool:
        """Whether it has ended, or will."""
        return self._output.is_closing()

    async def exit_code(self) -> int:
        """Its exit code, once it has ended."""
        await self._gone.wait()
        return await asyncio.shield(self._exit)

    def data_received(self, data: bytes) -> None:
        """Read what it says: answers, and events."""
        *whole, self._unread = (self._unread + data).split(b"\0")
        for message in map(json.loads, whole):
            if "method" in message:
                self._happened(message["method"], message["params"])
            elif (answer := self._asked.get(message["id"])) and not answer.done():
                if "error" in message:
                    answer.set_exception(Refused(message["error"]["message"]))
                else:
                    answer.set_result(message["result"])

    def connection_lost(self, _: Exception | None) -> None:
        """It has ended, or is about to."""
        self.end()
        self._exit = asyncio.get_running_loop().create_task(self._exit_code())
        self._gone.set()
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(Gone)

    def _happened(self, event: str, what: dict[str, Any]) -> None:
        match event:
            case "Target.targetCreated" | "Target.targetInfoChanged" if what["targetInfo"]["type"] == "page":
                self._pages.add(what["targetInfo"]["targetId"])
                self._seen(what["targetInfo"]["targetId"], what["targetInfo"]["url"])
            case "Target.targetDestroyed":
                self._closed(what["targetId"])
            case _:
                pass

    def _closed(self, page: str) -> None:
        if page in self._pages:
            self._pages.remove(page)
            if not self._pages:  # on macOS it would stay, without a window
                self.end()

    async def _exit_code(self) -> int:
        # Looked for again and again: a thread that waits would have to be waited for when we end.
        while True:
            process, status = os.waitpid(self._process, os.WNOHANG)  # noqa: ASYNC222 - it does not wait
            if process:
                return os.waitstatus_to_exitcode(status)
            await asyncio.sleep(0.02)


def _pipe() -> tuple[int, int]:
    """The reading and the writing end, with other numbers than those that the browser wants."""
    ends = os.pipe()
    reading, writing = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, THEIR_OUTPUT + 1) for end in ends)
    for end in ends:
        os.close(end)
    return reading, writing
