"""Where the database is.

`STRICTCALL_DB` if it is set; `db/mcp_data.db` in a checkout that can be written; else the user's own data directory,
because a package that was installed is replaced as a whole, and its data would go with it.
"""

import os
import sys
from collections.abc import Mapping

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
NAME = "mcp_data.db"


def database_path(environ: Mapping[str, str] = os.environ, root: str = ROOT) -> str:
    """The file to open, whether it exists or not."""
    chosen = environ.get("STRICTCALL_DB")
    if chosen:
        return os.path.abspath(os.path.expanduser(chosen))
    if os.path.isfile(os.path.join(root, "pyproject.toml")) and os.access(os.path.join(root, "db"), os.W_OK):
        return os.path.join(root, "db", NAME)
    return os.path.join(user_data(environ, sys.platform), "strictcall", NAME)


def uri(path: str, *, windows: bool = os.name == "nt") -> str:
    """A file as SQLite is told of it, where more is to be said than its name."""
    if windows:
        path = path.replace("\\", "/")
    for special in "%?#":
        path = path.replace(special, f"%{ord(special):x}")
    return f"file://{path}" if path.startswith("/") else f"file:///{path}"


def user_data(environ: Mapping[str, str], platform: str) -> str:
    """Where this system keeps what belongs to a user."""
    home = os.path.expanduser("~")
    if platform == "win32":
        return environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    if platform == "darwin":
        return os.path.join(home, "Library", "Application Support")
    # The XDG rules say that a relative path is to be ignored.
    given = environ.get("XDG_DATA_HOME", "")
    return given if os.path.isabs(given) else os.path.join(home, ".local", "share")
