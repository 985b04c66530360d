"""Commands as real processes: `strictcall`, and any other on a terminal."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent


def strictcall(
    *arguments: str, given: bytes = b"", cwd: Path = ROOT, environ: Mapping[str, str] = os.environ
) -> subprocess.CompletedProcess[bytes]:
    """Run it to its end."""
    return subprocess.run(
        [sys.executable, "-m", "runner.cli", *arguments],
        input=given,
        capture_output=True,
        cwd=cwd,
        env={**environ, "PYTHONPATH": str(ROOT)},
        check=False,
        timeout=60,
    )


def on_a_terminal(
    command: list[str], cwd: Path = ROOT, environ: Mapping[str, str] = os.environ, columns: int = 80
) -> tuple[int, str]:
    """The exit code of a command, and what a person sees of its data."""
    pty: Any = pytest.importorskip("pty")
    parent, child = pty.openpty()
    ended = subprocess.run(
        command,
        cwd=cwd,
        env={**environ, "COLUMNS": str(columns)},
        stdin=subprocess.DEVNULL,
        stdout=child,
        stderr=child,
        check=False,
        timeout=60,
    )
    os.close(child)
    seen = b""
    while piece := _read(parent):
        seen += piece
    os.close(parent)
    return ended.returncode, seen.decode("utf-8").replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux: the other end is closed, and all is read
        return b""
