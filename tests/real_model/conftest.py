"""Two servers that run for the whole session: `llama`, with the real model, and `strictcall` in front of it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import httpx
import pytest
from fetching import CannotFetchError

from real_model.packages import fetched, weights

ROOT = Path(__file__).parents[2]
PATIENCE = 120
"""Seconds for a server to begin; they take one when the machine has nothing else to do."""


@pytest.fixture(scope="session")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of llama.cpp."""
    if os.environ.get("STRICTCALL_NO_MODEL"):
        pytest.skip("STRICTCALL_NO_MODEL is set")
    try:
        home = fetched()
    except CannotFetchError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    command = [str(Path(__file__).parent / "serve.py"), str(weights(home))]
    with _running(command, home, tmp_path_factory.mktemp("llama") / "log") as address:
        assert httpx.get(f"{address}/health", trust_env=False).json() == {"status": "ok"}
        yield f"{address}/v1"


@pytest.fixture(scope="session")
def strictcall(llama: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of the proxy."""
    command = ["-m", "runner.cli", "serve", "--json", "--port", "0", "--no-demo", "--upstream", llama]
    with _running(command, ROOT, tmp_path_factory.mktemp("strictcall") / "log") as greeting:
        yield json.loads(greeting)["base_url"]


@contextmanager
def _running(command: Sequence[str], path: Path, log: Path) -> Iterator[str]:
    """A Python process as long as the block lasts; gives the line by which it says that it is ready."""
    # Nothing that the developer has set for their own strictcall counts here.
    ours = {name: value for name, value in os.environ.items() if not name.startswith("STRICTCALL_")}
    with (
        log.open("w") as stderr,
        subprocess.Popen(
            [sys.executable, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            cwd=log.parent,
            env={**ours, "PYTHONPATH": str(path), "XDG_CONFIG_HOME": str(log.parent), "APPDATA": str(log.parent)},
        ) as process,
    ):
        try:
            yield _first_line(process) or pytest.fail(f"{command} did not start:\n{log.read_text()[-2000:]}")
        finally:
            process.kill()


def _first_line(process: subprocess.Popen[str]) -> str:
    """Nothing if it died or took too long."""
    assert process.stdout
    too_long = Timer(PATIENCE, process.kill)
    too_long.start()
    try:
        return process.stdout.readline().strip()
    finally:
        too_long.cancel()
