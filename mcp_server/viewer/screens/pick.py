"""Which screens there are on this machine, and which is taken.

`STRICTCALL_VIEWER_BROWSER` names the command of another browser, or `none`. Otherwise it is windows of our own, if they
are installed (the extra `native`); else app windows of a Chromium; else the default browser.
"""

import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Final

from mcp_server.viewer.screens import browsers
from mcp_server.viewer.screens.command import Command
from mcp_server.viewer.screens.native import Native
from mcp_server.viewer.screens.screen import NotShown, Screen

if sys.platform != "win32":
    from mcp_server.viewer.screens.chromium import Chromium

_log: Final = logging.getLogger("strictcall")


def pick(environ: Mapping[str, str], platform: str = sys.platform) -> Screen | None:
    """The screen to show windows on; None if nothing can be shown, or shall be."""
    chosen = environ.get("STRICTCALL_VIEWER_BROWSER", "").strip()
    if chosen == "none":
        return None
    screens = list(_chosen(chosen, environ, platform) if chosen else _screens(environ, platform))
    return FirstThatCan(screens) if screens else None


def outside(environ: Mapping[str, str], platform: str = sys.platform) -> Screen | None:
    """Where its person browses: the default browser, else the one that shows our windows, with their own profile."""
    if environ.get("STRICTCALL_VIEWER_BROWSER", "").strip() == "none" or not browsers.has_display(environ, platform):
        return None
    chromium = browsers.chromium(environ, platform)
    commands = [browsers.default(environ, platform), chromium and [*chromium, browsers.URL]]
    return FirstThatCan([Command(command, environ) for command in commands if command])


class FirstThatCan:
    """Several screens: a window is shown by the first of them that can."""

    def __init__(self, screens: Sequence[Screen]) -> None:
        self._screens = screens

    async def show(self, window_id: str, url: str, page: str, size: str, *, foreground: bool) -> None:
        """Open a window, or raise what the last of them said. The log has what each said."""
        for screen in self._screens:
            try:
                return await screen.show(window_id, url, page, size, foreground=foreground)
            except NotShown as error:
                _log.warning("%s", error)
                last = error
        raise last

    async def change(self, window_id: str, *, title: str, pinned: bool) -> None:
        """Change what a window is called, and whether it is above all others."""
        for screen in self._screens:
            await screen.change(window_id, title=title, pinned=pinned)

    async def hide(self, window_id: str) -> None:
        """Close a window."""
        for screen in self._screens:
            await screen.hide(window_id)

    async def end(self) -> None:
        """Close all windows."""
        for screen in self._screens:
            await screen.end()


def _screens(environ: Mapping[str, str], platform: str) -> Iterator[Screen]:
    """Those that may work, the best first."""
    if not browsers.has_display(environ, platform):
        return
    if find_spec("webview"):
        yield Native(environ)
    if chromium := browsers.chromium(environ, platform):
        yield _app_windows(chromium, environ, platform)
    if default := browsers.default(environ, platform):
        yield Command(default, environ)


def _chosen(text: str, environ: Mapping[str, str], platform: str) -> Iterator[Screen]:
    """The one that its person has named."""
    try:
        command = browsers.chosen(text, platform)
    except ValueError as error:
        _log.warning("STRICTCALL_VIEWER_BROWSER should be a command, or none; found %r: %s", text, error)
        return
    if browsers.is_chromium(command):
        yield _app_windows(command, environ, platform)
    else:
        yield Command(command if browsers.URL in text else [*command, browsers.URL], environ)


def _app_windows(browser: list[str], environ: Mapping[str, str], platform: str) -> Screen:
    command = browsers.app_window(browser, environ, platform)
    if sys.platform == "win32":  # where its pipes do not reach: the page closes itself if it can
        return Command(command, environ)
    return Chromium(command, environ)
