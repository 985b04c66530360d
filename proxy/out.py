"""The client's end of a request: what goes to it, and whether it is still there."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from proxy.body import ClientLeft, Receive, Send
from proxy.core.emit import openai_chat
from proxy.core.emit.emitter import Emitter
from proxy.errors import Problem
from proxy.exchange import Exchange

LEFT: Final = 499
"""What is logged for a client that left; nobody is there to be told."""
_WORTH_A_RETRY: Final = {429, 502, 503, 504}
_log: Final = logging.getLogger("strictcall")


class Out:
    """A response; its head goes out with the first piece of its body."""

    def __init__(self, send: Send, exchange: Exchange) -> None:
        self._send = send
        self._media_type = ""
        self._last = b""
        self._sized = False
        """was the length of the body told?"""
        self.over = False
        self.exchange = exchange
        self.emitter: Emitter | None = None

    @property
    def started(self) -> bool:
        """Has anything gone out?"""
        return bool(self._media_type)

    async def start(self, status: int, media_type: str, headers: list[tuple[bytes, bytes]]) -> None:
        """Send the head."""
        self._media_type = media_type
        self.exchange.status = status
        self._sized = any(key == b"content-length" for key, _ in headers)
        head = [(b"content-type", media_type.encode()), *headers, *_facts(self.exchange)]
        await self._send({"type": "http.response.start", "status": status, "headers": head})

    async def write(self, data: bytes) -> None:
        """Send some of the body; returns when the client can take more."""
        if not self.started:
            await self._begin(0)
        self._last = data
        await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def end(self, data: bytes) -> None:
        """Send the last of the body."""
        self.over = True
        if not self.started:
            await self._begin(len(data))
        await self._send({"type": "http.response.body", "body": data, "more_body": False})

    async def _begin(self, length: int) -> None:
        assert self.emitter  # noqa: S101 - whoever writes without a head of its own writes an answer
        media_type = self.emitter.media_type
        if media_type == "application/json":
            headers = [(b"content-length", b"%d" % length)]
        else:
            headers = [(b"cache-control", b"no-cache"), (b"x-accel-buffering", b"no")]
        await self.start(200, media_type, headers)

    async def fail(self, problem: Problem, body: bytes) -> None:
        """Tell what went wrong: with a status if nothing has gone out yet, else at the end of what has."""
        if self.over:
            return
        self.exchange.error = problem.code or "error"
        if self.started:
            last = self.emitter.fail(problem.error) if self.emitter else self._last_words(problem)
            if last:
                await self._send({"type": "http.response.body", "body": last, "more_body": False})
            return
        headers = [(b"content-length", b"%d" % len(body))]
        if problem.status not in _WORTH_A_RETRY:
            headers.append((b"x-should-retry", b"false"))
        await self.start(problem.status, "application/json", headers)
        await self._send({"type": "http.response.body", "body": body, "more_body": False})

    def _last_words(self, problem: Problem) -> bytes:
        """How to end what was passed on so far; b"": its form has no words for that, so it just breaks off."""
        if self._sized:
            return b""
        match self._media_type.partition(";")[0]:
            case "text/event-stream":
                gap = b"" if self._last.endswith(b"\n\n") else b"\n\n"
                return gap + openai_chat.failed(problem.error)
            case "application/x-ndjson":
                gap = b"" if self._last.endswith(b"\n") else b"\n"
                return gap + problem.ollama_body + b"\n"
        return b""


def _facts(exchange: Exchange) -> list[tuple[bytes, bytes]]:
    """What is known when the head goes out; of a stream that is not yet how it was read."""
    facts = {
        b"x-strictcall-upstream": exchange.upstream,
        b"x-strictcall-mode": exchange.mode,
        b"x-strictcall-dialect": exchange.dialects,
        b"x-strictcall-repairs": ",".join(dict.fromkeys(exchange.repairs)),
        b"x-strictcall-context": exchange.context,
    }
    return [(key, value.encode("latin-1", "replace")) for key, value in facts.items() if value]


@asynccontextmanager
async def told(out: Out, form: Callable[[Problem], bytes]) -> AsyncIterator[None]:
    """Whatever happens in here, the client hears of it, in its own form, and the server goes on."""
    try:
        yield
    except ClientLeft:
        out.exchange.status = LEFT
    except asyncio.CancelledError:
        problem = Problem(503, "strictcall is shutting down; ask again", "shutting_down")
        await out.fail(problem, form(problem))
    except Exception as error:  # noqa: BLE001 - see above
        problem = Problem.of(error)
        if problem.status == 500:
            _log.exception("a request to %s failed", out.exchange.path)
        await out.fail(problem, form(problem))


class watched:  # noqa: N801 - reads as a statement
    """While this is open, the task is cancelled when the client leaves, and `ClientLeft` comes out of it."""

    def __init__(self, receive: Receive, out: Out) -> None:
        self._receive = receive
        self._out = out

    async def __aenter__(self) -> None:
        task = asyncio.current_task()
        assert task  # noqa: S101 - there is one: this is a coroutine
        self._task = task
        self._left = asyncio.ensure_future(self._leaves())
        self._left.add_done_callback(self._stop)

    async def _leaves(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass

    def _stop(self, left: "asyncio.Future[None]") -> None:
        # Who has everything may go; the server says so itself once a response is complete.
        if not left.cancelled() and not self._out.over:
            self._task.cancel()

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is asyncio.CancelledError and self._left.done():
            self._task.uncancel()
            raise ClientLeft from None
        self._left.cancel()
