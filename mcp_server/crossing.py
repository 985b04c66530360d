"""Between threads and the event loop, which may end at any time; then nothing more is done, nor is that told."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Generic, TypeVar

from db import workers

T = TypeVar("T")


def tell(loop: asyncio.AbstractEventLoop, callback: Callable[..., None], *arguments: Any) -> None:
    """Have the loop call this."""
    with suppress(RuntimeError):  # it is closed
        loop.call_soon_threadsafe(callback, *arguments)


async def in_thread(function: Callable[..., T], *arguments: Any) -> T:
    """What a function returns that a thread runs, however many threads are busy. Our end does not wait for it.

    `asyncio.to_thread` has a few threads, behind which everything queues up, and has to see the end of each.
    """
    loop = asyncio.get_running_loop()
    result: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        try:
            tell(loop, _settle, result, function(*arguments))
        except Exception as error:  # noqa: BLE001 - it is raised where the result is awaited
            tell(loop, _fail, result, error)

    workers.run(run)
    return await result


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


def _fail(future: asyncio.Future[T], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
