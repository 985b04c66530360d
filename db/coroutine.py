"""A tool that is a coroutine, run to its end on a worker thread; or until nobody waits any more, wherever it awaits."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from db.progress import Cancelled, Progress


def finished(coroutine: Coroutine[Any, Any, Any], progress: Progress) -> Any:
    """What it returns; `Cancelled` if the caller no longer wants it."""
    try:
        return asyncio.run(_watched(coroutine, progress))
    except asyncio.CancelledError:
        raise Cancelled from None


async def _watched(coroutine: Coroutine[Any, Any, Any], progress: Progress) -> Any:
    task, loop = asyncio.ensure_future(coroutine), asyncio.get_running_loop()

    def wake() -> None:
        with suppress(RuntimeError):  # the loop has ended with the tool
            loop.call_soon_threadsafe(task.cancel)

    progress.when_cancelled(wake)
    return await task
