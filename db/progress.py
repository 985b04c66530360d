"""How far a tool has come, and whether anybody still waits for it.

def print_receipt(text: str, progress: Progress) -> int:
    for number, line in enumerate(lines):
        progress(number, len(lines))     # raises Cancelled when nobody waits any more
"""

from collections.abc import Callable

from db.characters import whole

Report = Callable[[float, float | None, str], None]
"""Who is told of progress: what is done, of how much if that is known, and a word on it. A worker thread calls it."""


class Cancelled(BaseException):
    """Nobody waits for the tool any more. Not an `Exception`, so that a tool does not take it for a fault."""


class Progress:
    """A tool that has a parameter of this type is given one, and calls it now and then."""

    def __init__(self, report: Report | None = None) -> None:
        self.cancelled = False
        self._report = report
        self._wake: Callable[[], None] | None = None

    def __call__(self, done: float, total: float | None = None, message: str = "") -> None:
        """Say how far it is; raises `Cancelled` if the caller no longer wants the answer."""
        if self.cancelled:
            raise Cancelled
        if self._report:
            self._report(done, total, whole(message))

    def cancel(self) -> None:
        """Nobody waits any more."""
        self.cancelled = True
        if self._wake:
            self._wake()

    def when_cancelled(self, wake: Callable[[], None]) -> None:
        """Have this called, by whichever thread cancels; at once, if that has happened."""
        self._wake = wake
        if self.cancelled:
            wake()
