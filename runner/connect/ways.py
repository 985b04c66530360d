"""The ways in which a client on this machine reaches us: a command that speaks MCP, and addresses."""

import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from db.location import database_path, tools_folder
from mcp_server.viewer.place import VARIABLE, Place
from proxy.settings import Settings
from runner.problem import Problem

_AS_IT_IS: Final = ("STRICTCALL_LANG", "STRICTCALL_VIEWER_BROWSER", "STRICTCALL_VIEWER_APP")
"""What means the same in every folder."""


@dataclass(frozen=True, slots=True)
class Ways:
    """How to start us, with `environ` added to whatever the client has, and where we listen."""

    command: tuple[str, ...]
    environ: Mapping[str, str]
    settings: Settings
    platform: str

    def stdio(self) -> dict[str, Any]:
        """The entry that lets a client start us."""
        program, *arguments = self.command
        entry: dict[str, Any] = {"command": program, "args": arguments}
        return entry | {"env": dict(self.environ)} if self.environ else entry

    def typed(self, *words: str) -> str:
        """These words and the command behind them, as one types them into a shell."""
        join = subprocess.list2cmdline if self.platform == "win32" else shlex.join
        return join([*words, *self.command])

    @property
    def url(self) -> str:
        """The address of `strictcall serve`."""
        host, port = self.settings.host, self.settings.port
        if not port:
            raise Problem("the port is 0, so the address is another at each start; set a port in strictcall.toml")
        if host in {"0.0.0.0", "::"}:  # noqa: S104 - all can reach it there, but it is no address to call
            host = "127.0.0.1"
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def ways(settings: Settings, environ: Mapping[str, str], platform: str = sys.platform) -> Ways:
    """The ways to the program that runs now, whatever PATH and folder a client starts it with."""
    script = Path(sys.executable).with_name("strictcall.exe" if platform == "win32" else "strictcall")
    # -P: the folder that a client starts us in may have a runner of its own.
    command = (str(script),) if script.is_file() else (sys.executable, "-P", "-m", "runner.cli")
    return Ways((*command, "mcp"), _chosen(environ), settings, platform)


def _chosen(environ: Mapping[str, str]) -> dict[str, str]:
    """What is set here, for a client that has an environment of its own; places by their whole path."""
    database, folder = environ.get("STRICTCALL_DB"), environ.get("STRICTCALL_TOOLS_DIR")
    chosen = {"STRICTCALL_DB": database_path(environ)} if database else {}
    if database and not Path(database).expanduser().is_absolute():
        # Tools beside a file that is named in full are run, those beside another are not: that is the user's to say.
        path = chosen["STRICTCALL_DB"]
        raise Problem(f"STRICTCALL_DB is {database!r}, another file in every folder; set it to the whole path, {path}")
    if folder:
        try:
            chosen["STRICTCALL_TOOLS_DIR"] = tools_folder(database_path(environ), environ)
        except ValueError as error:
            raise Problem(str(error)) from None
    place = Place.of(environ)
    if place.chosen:
        chosen[VARIABLE] = place.socket
    return chosen | {name: environ[name] for name in _AS_IT_IS if environ.get(name)}
