"""The `strictcall` command as a real process."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

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
