"""Threads that wait for work. One that is stuck keeps nobody else waiting: if none is idle, another is started.

`concurrent.futures` has a limit of threads behind which work queues up, and is slow to import.
"""

import os
import threading
from collections.abc import Callable
from typing import Final

KEPT: Final = 32
"""Idle threads that are kept; after a burst the others end."""

_idle: list["_Worker"] = []
"""Those that wait. Its methods are atomic, so it needs no lock, which a fork could leave locked."""


def run(job: Callable[[], None]) -> None:
    """Have a thread do this; returns at once."""
    try:
        worker = _idle.pop()
    except IndexError:
        worker = _Worker()
        worker.start()
    worker.give(job)


class _Worker(threading.Thread):
    """A thread that does one job after another. It keeps no process alive."""

    def __init__(self) -> None:
        super().__init__(name="tool worker", daemon=True)
        self._job: Callable[[], None] | None = None
        self._given = threading.Lock()
        self._given.acquire()

    def give(self, job: Callable[[], None]) -> None:
        self._job = job
        self._given.release()

    def run(self) -> None:
        while True:
            self._given.acquire()
            job, self._job = self._job, None
            if job:
                job()
            del job  # what it holds need not live until the next
            if len(_idle) >= KEPT:
                return
            _idle.append(self)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # a fork has only the thread that forked
