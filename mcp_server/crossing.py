"""From a thread to the event loop, which may end at any time; then nothing more is done, and nothing is said of it."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Generic, TypeVar

T = TypeVar("T")


def tell(loop: asyncio.AbstractEventLoop, callback: Callable[..., None], *arguments: Any) -> None:
    """Have the loop call this."""
    with suppress(RuntimeError):  # it is closed
        loop.call_soon_threadsafe(callback, *arguments)


def wait_for(loop: asyncio.AbstractEventLoop, begin: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Have the loop run a coroutine, and wait for its end.

    The loop makes it: one that was made here would complain if the loop ends before it begins.
    """
    ended = threading.Semaphore(0)

    def run() -> None:
        task = loop.create_task(begin())
        task.add_done_callback(lambda _: ended.release())

    with suppress(RuntimeError):  # it is closed
        loop.call_soon_threadsafe(run)
        ended.acquire()


class Answer(Generic[T]):
    """What a thread gives to the loop, which may stop for a moment to get it, and goes on if it takes longer."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._given: list[T] = []
        self._there = threading.Lock()
        self._there.acquire()
        self._later: asyncio.Future[T] | None = None

    def give(self, what: T) -> None:
        """Called once, by the thread."""
        self._given.append(what)
        self._there.release()
        if self._later:
            tell(self._loop, _settle, self._later, what)

    def within(self, seconds: float) -> T | None:
        """What was given; the loop stops until it is, but not for longer than this."""
        return self._given[0] if self._there.acquire(timeout=seconds) else None

    async def get(self) -> T:
        """What was given, as soon as it is."""
        # First the future, then the look: the thread does it the other way round, so one of them sees the other.
        self._later = self._loop.create_future()
        return self._given[0] if self._given else await self._later


def _settle(future: asyncio.Future[T], what: T) -> None:
    if not future.done():
        future.set_result(what)
