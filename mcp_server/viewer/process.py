"""The process of the viewer's app. It listens first and loads then: who started it waits for its first answer."""

import asyncio
import logging
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from mcp_server.viewer.door import listening
from mcp_server.viewer.place import Place

_ARENA_MAX: Final = -8  # M_ARENA_MAX of malloc.h


def serve(ready: Callable[[Place], None], idle: float | None = None) -> None:
    """Keep windows until a signal ends it, or none has been open for `idle` seconds; `AlreadyRunning`, `BadPlace`."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    place = Place.of()
    with place.held(), listening(place) as door:
        from mcp_server.viewer.app import run  # noqa: PLC0415 - this is what takes its time to load

        _keep_one_heap()
        asyncio.run(run(door, lambda: ready(place), idle))


def _keep_one_heap() -> None:
    """Have all threads share a heap: with glibc each has its own, which keeps what its largest document took."""
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 - slow to import

        with suppress(AttributeError):  # of a libc that has one heap anyway
            ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)
