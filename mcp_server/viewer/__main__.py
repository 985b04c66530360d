"""`python -m mcp_server.viewer`: the app as it is started by itself. It ends when there is nothing to show any more."""

import sys
from contextlib import suppress
from typing import Final

from mcp_server.viewer.place import AlreadyRunning, BadPlace
from mcp_server.viewer.process import serve

IDLE: Final = 600.0
"""Seconds without a window after which it ends."""

with suppress(AlreadyRunning):
    try:
        serve(lambda _: None, IDLE)
    except BadPlace as error:
        sys.exit(f"strictcall: {error}")
    except ModuleNotFoundError as error:
        sys.exit(
            f"strictcall: {sys.executable} has no package {error.name}; install strictcall for it, as README.md says"
        )
