"""A call under way. The tool ends it, or its caller, or the clock: whoever is first, and nobody after."""

import threading
from collections.abc import Callable
from functools import partial

from db import workers
from db.progress import Progress
from db.result import ToolResult


class Running:
    """A call that was started. `timeout` is how many seconds it may take; whoever started it looks at the clock."""

    def __init__(self, name: str, timeout: float, progress: Progress, finish: Callable[[ToolResult], None]) -> None:
        self.timeout = timeout
        self._name = name
        self._progress = progress
        self._finish = finish
        self._end = threading.Lock()

    def cancel(self) -> None:
        """The caller no longer wants the answer."""
        self._give_up(
            ToolResult.failed("cancelled", f"{self._name} was cancelled; call it again if it is still wanted")
        )

    def expire(self) -> None:
        """Its time is up."""
        message = f"{self._name} had no answer after {self.timeout:g} s; try again, or ask for less"
        self._give_up(ToolResult.failed("timeout", message))

    def end(self, result: ToolResult) -> None:
        """The tool has answered; too late, if the call has ended already."""
        if self._claim():
            self._finish(result)

    def _give_up(self, result: ToolResult) -> None:
        if self._claim():
            # An event loop may be the one who gives up, and to finish is to write.
            workers.run(partial(self._finish, result))

    def _claim(self) -> bool:
        """The first who asks may end the call."""
        first = self._end.acquire(blocking=False)
        if first:
            self._progress.cancel()
        return first
