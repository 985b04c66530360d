"""Where things are: the database, the settings, the folder of the user's own tools.

The database is `STRICTCALL_DB` if that is set; `db/mcp_data.db` in a checkout that can be written; else it is in the
user's own data directory, because a package that was installed is replaced as a whole, and its data would go with it.
"""

import os
import sys
from collections.abc import Mapping

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
NAME = "mcp_data.db"
SETTINGS = "strictcall.toml"


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


def settings_files(environ: Mapping[str, str] = os.environ) -> list[str]:
    """The files with settings that there are: the project's (here or above), then the user's."""
    files = [_project_settings(), user_settings(environ)]
    return [path for path in dict.fromkeys(files) if path and os.path.isfile(path)]


def user_settings(environ: Mapping[str, str] = os.environ) -> str:
    """The file for the user's settings."""
    home = os.path.expanduser("~")
    if os.name == "nt":
        directory = environ.get("APPDATA") or os.path.join(home, "AppData", "Roaming")
    else:
        directory = environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return os.path.abspath(os.path.join(directory, "strictcall", SETTINGS))


def tools_folder(database: str, environ: Mapping[str, str] = os.environ) -> str:
    """The folder of the user's own tools; `ValueError` if the settings are bad, or name one that is not there.

    What is in it is run. So it is where the user has said, or beside the user's data; never where one happens to be.
    """
    chosen, where, base = environ.get("STRICTCALL_TOOLS_DIR"), "STRICTCALL_TOOLS_DIR", ""
    if not chosen:
        settings = user_settings(environ)
        chosen, where, base = _tools_dir(settings), f"{settings}: tools_dir", os.path.dirname(settings)
    if chosen:
        folder = os.path.abspath(os.path.join(base, os.path.expanduser(chosen)))
        if not os.path.isdir(folder):
            cure = "name another" if os.path.exists(folder) else f"make {folder}"
            raise ValueError(f"{where} should name a folder, found {chosen!r}; {cure}")
        return folder
    named = environ.get("STRICTCALL_DB")
    if named and not os.path.isabs(os.path.expanduser(named)):
        return os.path.join(user_data(environ, sys.platform), "strictcall", "tools")
    return os.path.join(os.path.dirname(database), "tools")


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


def _project_settings() -> str:
    """The nearest file with settings, from here upwards; "" if there is none."""
    try:
        here = os.getcwd()
    except OSError:  # it was removed
        return ""
    while not os.path.isfile(os.path.join(here, SETTINGS)):
        above = os.path.dirname(here)
        if above == here:
            return ""
        here = above
    return os.path.join(here, SETTINGS)


def _tools_dir(settings: str) -> str:
    """What the user's settings say of it; "" if nothing."""
    if not os.path.isfile(settings):
        return ""
    import tomllib  # noqa: PLC0415 - a built-in tool does without

    try:
        with open(settings, "rb") as file:
            chosen = tomllib.loads(file.read().decode("utf-8-sig")).get("tools_dir", "")
    except (OSError, ValueError) as error:
        raise ValueError(f"{settings} cannot be read: {error}; mend it") from None
    if not isinstance(chosen, str):
        raise ValueError(f"{settings}: tools_dir should be the path of a folder, found {chosen!r}")  # noqa: TRY004
    return chosen
