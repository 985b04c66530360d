"""One question at a time: whoever asks the same meanwhile gets the same answer."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Once:
    """Questions that are on their way."""

    def __init__(self) -> None:
        self._asked: dict[str, asyncio.Task[Any]] = {}

    def close(self) -> None:
        """Nobody waits any more."""
        for task in self._asked.values():
            task.cancel()

    async def ask(self, question: str, answer: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The answer; a thousand requests at once make one call."""
        # Whoever waits may be cancelled; the others still want to know.
        found: T = await asyncio.shield(self._task(question, answer))
        return found

    def remind(self, question: str, answer: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        """Ask without waiting; a failure shows when somebody needs the answer."""
        self._task(question, answer).add_done_callback(lambda task: task.cancelled() or task.exception())

    def _task(self, question: str, answer: Callable[[], Coroutine[Any, Any, Any]]) -> asyncio.Task[Any]:
        if question not in self._asked:
            task = asyncio.create_task(answer())
            task.add_done_callback(lambda _: self._asked.pop(question))
            self._asked[question] = task
        return self._asked[question]
