"""Real servers for tests: an ASGI application behind a real socket of this machine."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import uvicorn

SOON = 20
"""Seconds after which a test gives up."""


@contextmanager
def served(app: Any) -> Iterator[str]:
    """Serve `app` and give its URL; it accepts connections from the start."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)
            assert not thread.is_alive()


def until(condition: Callable[[], bool]) -> None:
    """Wait for what comes soon, though nobody can say when."""
    deadline = time.monotonic() + SOON
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def at_rest(url: str) -> None:
    """Wait until a proxy is done with every answer: a client has all of one before the proxy has put it away."""
    until(lambda: "\nstrictcall_running 0.0\n" in httpx.get(f"{url}/metrics", trust_env=False).text)
