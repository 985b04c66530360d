"""The signals that end a process: Ctrl-C, and the one of who started it."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def handled(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Have them call this as long as the block lasts."""
    before = {one: signal.signal(one, handler) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for one, earlier in before.items():
            signal.signal(one, earlier)
