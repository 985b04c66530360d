"""Starts the viewer's app, and leaves it to itself: it goes on when whoever started it has ended.

It gets nothing of ours: neither standard input and output, on which a client may speak MCP, nor the folder we are in.
"""

import os
import shlex
import subprocess
import sys
from collections import deque
from typing import Any, Final, NamedTuple

from db import workers
from db.location import ROOT
from mcp_server.viewer.place import VARIABLE, Place, private
from mcp_server.viewer.texts import say

APP: Final = "STRICTCALL_VIEWER_APP"
_OURS: Final = ("-P", "-m", "mcp_server.viewer")
"""What Python runs, if no other app was chosen. `-P`: a folder `mcp_server` or `db` in the user's home is not ours."""


class NotStarted(Exception):  # noqa: N818 - what happened
    """The app could not be started, and why."""


class App(NamedTuple):
    """An app that was started."""

    name: str
    process: "subprocess.Popen[bytes]"
    log: str

    def fate(self) -> str:
        """What has become of it, if it does not answer; of one that has ended, with its last words."""
        code = self.process.poll()
        if code is None:
            return say("silent", command=self.name)
        with open(self.log, encoding="utf-8", errors="replace") as log:
            last = deque(log, 1)
        return ": ".join([say("ended", command=self.name, code=code), *(line.strip() for line in last)])


def start(place: Place) -> App:
    """Start the app that `STRICTCALL_VIEWER_APP` names, else our own, for this place."""
    chosen = os.environ.get(APP, "")
    place.make()
    log = private(place.log, os.O_WRONLY | os.O_APPEND | os.O_TRUNC)
    try:
        process = subprocess.Popen(  # noqa: S603 - the user has chosen it
            _command(chosen),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            cwd=_home(),
            env=_environment(place, chosen),
            **_detached(),
        )
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise NotStarted(say("not_started", command=chosen or sys.executable, why=why)) from None
    finally:
        os.close(log)
    workers.run(lambda: _see_off(process))
    return App(chosen or "strictcall viewer", process, place.log)


def _command(chosen: str) -> str | list[str]:
    if not chosen:
        return [_python(), *_OURS]
    if os.path.isfile(chosen):
        return [chosen]
    return chosen if sys.platform == "win32" else shlex.split(chosen)


def _python() -> str:
    """This Python; if it is in no environment, the checkout's: the runner does without packages, the app does not."""
    place = ("Scripts", "python.exe") if sys.platform == "win32" else ("bin", "python")
    of_checkout = os.path.join(ROOT, ".venv", *place)
    outside = sys.prefix == sys.base_prefix
    return of_checkout if outside and os.path.isfile(of_checkout) else sys.executable


def _home() -> str:
    home = os.path.expanduser("~")
    return home if os.path.isdir(home) else os.path.abspath(os.sep)


def _environment(place: Place, chosen: str) -> dict[str, str]:
    """Ours, so that it finds the same place, and in a checkout the packages, which nobody may have installed.

    An app of somebody else's cannot know the place, so it is told.
    """
    environ = dict(os.environ)
    if place.chosen or chosen:
        environ[VARIABLE] = place.socket
    if os.path.isfile(os.path.join(ROOT, "pyproject.toml")):
        environ["PYTHONPATH"] = os.pathsep.join(filter(None, (ROOT, environ.get("PYTHONPATH"))))
    return environ


def _detached() -> dict[str, Any]:
    if sys.platform == "win32":
        return {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def _see_off(process: "subprocess.Popen[bytes]") -> None:
    """Wait for its end: a process that nobody waits for stays in the system's table."""
    process.wait()
