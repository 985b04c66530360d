"""What a screen is: who opens real windows on the viewer's pages, and closes them again."""

from typing import Protocol


class NotShown(Exception):  # noqa: N818 - it is the answer of a screen that could not
    """The screen could not show the window; the message says why, and never names its page."""


class Screen(Protocol):
    """Who opens windows, each under the id that it has in the viewer."""

    async def show(self, window_id: str, url: str, page: str, size: str, *, foreground: bool) -> None:
        """Open a window, or raise `NotShown`.

        `url` leads to the page, once: it may be on a command line, where every user of the machine can read it.
        `page` is what the address of the page begins with: it is secret, and is neither there nor in a log.
        """

    async def change(self, window_id: str, *, title: str, pinned: bool) -> None:
        """Give a window this title, and keep it above all others or no longer, if this screen can.

        In a browser a window has the title of its page, and cannot be kept above others.
        """

    async def hide(self, window_id: str) -> None:
        """Close a window, if it is there and this screen can."""

    async def end(self) -> None:
        """Close all windows."""
