"""From a thread to the event loop, which may end at any time; then nothing more is done, and nothing is said of it."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any


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
