"""What leads out of the viewer, opened in the browser that its person prefers.

A frame of the viewer has a profile of its own. What it opens by itself has it, too: nobody is logged in there, and it
all ends with the viewer.
"""

import asyncio
import logging
import re
from typing import Final
from urllib.parse import quote

from mcp_server.viewer.screens.screen import NotShown, Screen

PAUSE: Final = 0.5
"""Seconds until a person may mean another address: a double click means one."""
_ADDRESS: Final = re.compile(r"(?:https?://|mailto:)[^\x00-\x20]{1,4000}", re.IGNORECASE)
_PLAIN: Final = "%:/?#[]@!$&'()*+,;=~"
"""What may be in an address besides letters and digits; all else gets a code, so that no program takes it for more."""
_log: Final = logging.getLogger("strictcall")


class Elsewhere:
    """Opens addresses on a screen; without one it opens none."""

    def __init__(self, screen: Screen | None) -> None:
        self._screen = screen
        self._opening: set[asyncio.Task[None]] = set()
        self._open_until = 0.0

    def open(self, url: str) -> None:
        """Open an address, if it is one of the web or of a mail."""
        now = asyncio.get_running_loop().time()
        if self._screen is None or now < self._open_until or not _ADDRESS.fullmatch(url):
            return
        self._open_until = now + PAUSE
        task = asyncio.create_task(_opened(self._screen, quote(url, _PLAIN)))
        self._opening.add(task)
        task.add_done_callback(self._opening.discard)


async def _opened(screen: Screen, url: str) -> None:
    try:
        await screen.show("", url, url, "m", foreground=True)
    except NotShown as error:
        _log.warning("a link is not opened: %s", error)
