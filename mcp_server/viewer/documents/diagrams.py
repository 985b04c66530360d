"""Mermaid diagrams as images: inert, whatever is in them, since a browser runs and loads nothing for an image."""

import re
import subprocess
import sys
from base64 import b64encode
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

HINT: Final = '<p class="hint">Mermaid: <code>pip install "strictcall[diagrams]"</code></p>'
_PROGRAM: Final = str(Path(__file__).with_name("drawing.py"))
_MOST_SOURCE: Final = 50_000
_MOST_IMAGE: Final = 1_000_000
_SECONDS: Final = 3
_SIZE: Final = re.compile(r'<svg [^>]*viewBox="[-.\d]+ [-.\d]+ (\d+)[.\d]* (\d+)[.\d]*"')


def can_draw() -> bool:
    """Whether the extra `diagrams` is installed."""
    return find_spec("merman") is not None


@lru_cache(maxsize=64)
def drawn(source: str) -> str | None:
    """A diagram as an element with an image, or nothing if it cannot be drawn."""
    if len(source) > _MOST_SOURCE:
        return None
    try:
        ran = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-I", _PROGRAM],
            input=source.encode(),
            capture_output=True,
            timeout=_SECONDS,
            check=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except (OSError, subprocess.SubprocessError):
        return None
    # Labels are cut off where they end in the font that the library has measured; others are wider.
    image = ran.stdout.decode().replace('style="overflow:hidden;', 'style="overflow:visible;')
    size = _SIZE.match(image)
    if not size or len(image) > _MOST_IMAGE:
        return None
    data = b64encode(image.encode()).decode()
    return f'<img alt="Mermaid" width="{size[1]}" height="{size[2]}" src="data:image/svg+xml;base64,{data}">'
