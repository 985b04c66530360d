"""Where the database is.

`STRICTCALL_DB` if it is set; `db/mcp_data.db` in a checkout that can be written; else the user's own data directory,
because a package that was installed is replaced as a whole, and its data would go with it.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = "mcp_data.db"


def database_path(environ: Mapping[str, str] = os.environ, root: Path = ROOT) -> Path:
    """The file to open, whether it exists or not."""
    chosen = environ.get("STRICTCALL_DB")
    if chosen:
        return Path(chosen).expanduser().absolute()
    if (root / "pyproject.toml").is_file() and os.access(root / "db", os.W_OK):
        return root / "db" / NAME
    return user_data(environ, sys.platform) / "strictcall" / NAME


def user_data(environ: Mapping[str, str], platform: str) -> Path:
    """Where this system keeps what belongs to a user."""
    if platform == "win32":
        return Path(environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    # The XDG rules say that a relative path is to be ignored.
    given = Path(environ.get("XDG_DATA_HOME", ""))
    return given if given.is_absolute() else Path.home() / ".local" / "share"
