"""The browsers of this machine: one that can show a page in a frame of its own, and the one its person prefers.

A browser is the command that starts it.
"""

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from db.location import user_data

URL: Final = "%s"
"""Stands for the address in a command, as it does in `BROWSER`."""

_LINUX: Final = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "microsoft-edge-stable",
    "brave-browser",
)
_MACOS: Final = ("Google Chrome", "Chromium", "Microsoft Edge", "Brave Browser")
_WINDOWS: Final = (
    # Edge is on every Windows, so there is no need to look into the registry for a Chrome in another place.
    "Google/Chrome/Application/chrome.exe",
    "Chromium/Application/chrome.exe",
    "BraveSoftware/Brave-Browser/Application/brave.exe",
    "Microsoft/Edge/Application/msedge.exe",
)
_FLAGS: Final = (
    "--no-first-run",
    "--no-default-browser-check",
    "--hide-crash-restore-bubble",
    "--disable-features=Translate",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    # Without these it asks its person for the key to all passwords, and here it is to keep none.
    "--password-store=basic",
    "--use-mock-keychain",
)
_FAMILY: Final = re.compile("chrom|edge|brave|vivaldi|opera", re.IGNORECASE)


def has_display(environ: Mapping[str, str], platform: str) -> bool:
    """Whether there is a screen to show anything on. A Linux inside of Windows may have that of Windows."""
    if platform in {"win32", "darwin"}:
        return True
    return bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY") or _of_windows(environ))


def chromium(environ: Mapping[str, str], platform: str) -> list[str] | None:
    """An installed Chromium, or one of its kin."""
    return next(([str(program)] for program in _programs(environ, platform) if program.is_file()), None)


def chosen(text: str, platform: str) -> list[str]:
    """The command that a person has written down; `ValueError` if it is none."""
    if Path(text).is_file():
        return [text]
    if platform == "win32":  # where a backslash is part of a path
        return [word.strip('"') for word in shlex.split(text, posix=False)]
    return shlex.split(text)


def is_chromium(command: list[str]) -> bool:
    """Whether a command that a person has written down starts one of these, and does not say how."""
    names = [re.split(r"[\\/]", word)[-1] for word in command]
    return any(map(_FAMILY.search, names)) and not any(URL in word for word in command)


def app_window(command: list[str], environ: Mapping[str, str], platform: str) -> list[str]:
    """What opens an address in a frame of its own, without tabs.

    It is done with a profile of its own, which the browser makes, for its user alone: so it is another browser than the
    one its person browses with, and shares nothing with it.
    """
    # On Linux it refuses to run for root unless it may do without its sandbox.
    root = ["--no-sandbox"] if platform not in {"win32", "darwin"} and os.geteuid() == 0 else []
    return [*command, *root, *_FLAGS, f"--user-data-dir={_profile(command, environ, platform)}", f"--app={URL}"]


def default(environ: Mapping[str, str], platform: str) -> list[str] | None:
    """What opens an address in the browser that its person prefers.

    Not the `webbrowser` of Python, which may run one for terminals in ours.
    """
    if platform == "win32":
        return ["rundll32", "url.dll,FileProtocolHandler", URL]
    if platform == "darwin":
        return ["open", URL]
    names = ("xdg-open", "x-www-browser", "firefox")
    found = _of_windows(environ) or next(filter(None, (_which(name, environ) for name in names)), None)
    return [found, URL] if found else None


def _programs(environ: Mapping[str, str], platform: str) -> Iterator[Path]:
    """Where they would be, the likeliest first."""
    if platform == "win32":
        folders = [environ.get(name) for name in ("ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA")]
        yield from (Path(folder, path) for path in _WINDOWS for folder in folders if folder)
    elif platform == "darwin":
        homes = [Path("/"), Path.home()]
        yield from (home / f"Applications/{name}.app/Contents/MacOS/{name}" for name in _MACOS for home in homes)
    else:
        yield from (Path(found) for name in _LINUX if (found := _which(name, environ)))


def _profile(command: list[str], environ: Mapping[str, str], platform: str) -> Path:
    """The folder for what such a browser keeps. Two apps of one user have two sockets, and must not share it."""
    name = "viewer-browser" + re.sub(r"\W+", "-", environ.get("STRICTCALL_VIEWER_SOCKET", ""))
    program = Path(_which(command[0], environ) or command[0])
    if program.resolve().name == "snap":  # one from a snap may write nowhere else
        return Path.home() / "snap" / program.name / "common/strictcall" / name
    return Path(user_data(environ, platform), "strictcall", name)


def _of_windows(environ: Mapping[str, str]) -> str | None:
    """What opens an address in the browser of the Windows that this Linux runs inside of."""
    return _which("wslview", environ) if environ.get("WSL_DISTRO_NAME") else None


def _which(name: str, environ: Mapping[str, str]) -> str | None:
    return shutil.which(name, path=environ.get("PATH", os.defpath))
