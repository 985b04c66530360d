"""The display of a person's session on Linux, for who is not told of it: MCP clients hand on few variables."""

import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_X11: Final = Path("/tmp/.X11-unix")  # noqa: S108 - it is where X listens on every system
_RUNTIME: Final = Path("/run/user")


def with_display(environ: Mapping[str, str], x11: Path = _X11, runtime: Path = _RUNTIME) -> dict[str, str]:
    """The environment with the displays of this user, if it names none."""
    if sys.platform != "linux" or environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"):
        return dict(environ)
    folder = Path(environ.get("XDG_RUNTIME_DIR") or runtime / str(os.getuid()))
    found = dict(environ)
    for name in _sockets(folder, "wayland-*")[:1]:
        found |= {"WAYLAND_DISPLAY": name, "XDG_RUNTIME_DIR": str(folder)}
    for name in _sockets(x11, "X*")[:1]:
        found["DISPLAY"] = f":{name.removeprefix('X')}"
    return found


def _sockets(folder: Path, pattern: str) -> list[str]:
    """The names of the sockets of this user in a folder."""
    names = []
    for path in folder.glob(pattern):
        status = path.lstat()
        if stat.S_ISSOCK(status.st_mode) and status.st_uid == os.getuid():
            names.append(path.name)
    return sorted(names)
