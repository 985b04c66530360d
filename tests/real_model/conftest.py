"""The fixture `llama`: the base URL of a llama.cpp server that runs for the whole session."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import httpx
import pytest

from real_model.packages import CannotFetchError, fetched, weights

PATIENCE = 120
"""Seconds for the model to load; it takes one when the machine has nothing else to do."""


@pytest.fixture(scope="session")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if os.environ.get("STRICTCALL_NO_MODEL"):
        pytest.skip("STRICTCALL_NO_MODEL is set")
    try:
        home = fetched()
    except CannotFetchError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    with _running(home, tmp_path_factory.mktemp("llama") / "log") as address:
        assert httpx.get(f"{address}/health", trust_env=False).json() == {"status": "ok"}
        yield f"{address}/v1"


@contextmanager
def _running(home: Path, log: Path) -> Iterator[str]:
    with (
        log.open("w") as stderr,
        subprocess.Popen(
            [sys.executable, str(Path(__file__).parent / "serve.py"), str(weights(home))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            env={**os.environ, "PYTHONPATH": str(home)},
        ) as process,
    ):
        try:
            yield _address(process) or pytest.fail(f"llama.cpp did not start:\n{log.read_text()[-2000:]}")
        finally:
            process.kill()


def _address(process: subprocess.Popen[str]) -> str:
    """Return what the server says when it is ready, or nothing if it died or took too long."""
    assert process.stdout
    too_long = Timer(PATIENCE, process.kill)
    too_long.start()
    try:
        return process.stdout.readline().strip()
    finally:
        too_long.cancel()
