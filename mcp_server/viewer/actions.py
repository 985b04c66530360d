"""What the app does when it is asked over its socket: one method an action.

open_markdown    {content | filePath, title?, foreground?, size?}   -> {windowId, title, url, shown}
update_markdown  {windowId, content | filePath, title?}             -> {windowId, title, url}
close_viewer     {windowId?}                                        -> {closed}
list_viewers     {}                                                 -> {windows: [{windowId, title, …}]}
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from mcp_server.crossing import in_thread
from mcp_server.viewer.documents.folder import Folder, Refused
from mcp_server.viewer.documents.markdown import title_of
from mcp_server.viewer.documents.titles import one_line
from mcp_server.viewer.failure import Failed
from mcp_server.viewer.limits import MOST_TEXT, SIZES, USUAL_SIZE
from mcp_server.viewer.pages.web import Pages
from mcp_server.viewer.showing import Showing
from mcp_server.viewer.windows import NotOpen, Window, Windows

Json = dict[str, Any]
_MAX_NAME: Final = 60
"""Characters of a text that are a title."""
_NETWORK: Final = ("\\\\", "//")
"""How a path begins on Windows that leads to another machine, which would be told who asks."""
_MARKS: Final = " \t\r\n#>*_`~|+-"
"""What may stand before the first word of a text."""
_EMPHASIS: Final = str.maketrans("", "", "*`")


class _Wanted(NamedTuple):
    """What a window is to show."""

    content: str | None
    file: str | None
    title: str | None
    """what was asked for, or the first heading"""
    named: bool
    """whether it was asked for"""


class Actions:
    """The actions, on these windows."""

    def __init__(self, windows: Windows, pages: Pages, showing: Showing) -> None:
        self._windows = windows
        self._pages = pages
        self._showing = showing

    @property
    def by_name(self) -> dict[str, Callable[[Json], Awaitable[Json]]]:
        """Each action under its name."""
        actions = (self.open_markdown, self.update_markdown, self.close_viewer, self.list_viewers)
        return {action.__name__: action for action in actions}

    async def open_markdown(self, params: Json) -> Json:
        """Open a window."""
        wanted = await _wanted(params)
        size = str(params.get("size"))
        window = Window(
            title=wanted.title or _name(wanted),
            content=wanted.content,
            file=wanted.file,
            named=wanted.named,
            size=size if size in SIZES else USUAL_SIZE,
            foreground=params.get("foreground") is not False,
            follow=params.get("follow") is True,
        )
        self._windows.add(window)
        shown = await self._showing.show(window)
        return self._about(window) | {"shown": shown}

    async def update_markdown(self, params: Json) -> Json:
        """Show something else in a window, under its new title if it has one."""
        window = self._window(_text(params, "windowId") or "")
        wanted = await _wanted(params)
        title = wanted.title or (_name(wanted) if wanted.file else window.title)
        self._windows.update(window, title, named=wanted.named, content=wanted.content, file=wanted.file)
        return self._about(window)

    async def close_viewer(self, params: Json) -> Json:
        """Close a window, or all."""
        window_id = _text(params, "windowId")
        closing = [self._window(window_id)] if window_id else list(self._windows)
        for window in closing:
            self._windows.close(window)
        await self._showing.settle()
        return {"closed": len(closing)}

    async def list_viewers(self, _params: Json) -> Json:
        """All windows, in the order they were opened."""
        return {"windows": [self._about(window) for window in self._windows]}

    def _window(self, window_id: str) -> Window:
        try:
            return self._windows.find(window_id)
        except NotOpen:
            raise Failed("not_open", f"Window not found: {window_id}") from None

    def _about(self, window: Window) -> Json:
        about = {
            "windowId": window.id,
            "title": window.title,
            "alwaysOnTop": window.pinned,
            "size": window.size,
            "url": self._pages.url(window),
        }
        return about | ({"filePath": window.file} if window.file else {})


async def _wanted(params: Json) -> _Wanted:
    title, content, file = (_text(params, name) for name in ("title", "content", "filePath"))
    if not content and not file:
        raise Failed("nothing", "content or filePath is needed")
    if content and len(content.encode()) > MOST_TEXT:
        raise Failed("too_large", f"a document has at most {MOST_TEXT} bytes")
    asked = one_line(title or "")
    heading = await in_thread(_heading, content, file or "")
    return _Wanted(content or None, None if content else file, asked or heading, bool(asked))


def _heading(content: str | None, file: str) -> str | None:
    """The first heading; a file is read for it, and so is known to be one that can be shown."""
    if content:
        return title_of(content)
    if not Path(file).is_absolute() or file.startswith(_NETWORK):
        raise Failed("refused", f"filePath should be an absolute path on this machine, found {file!r}")
    try:
        return title_of(Folder(file).document(""))
    except Refused as error:
        raise Failed("refused", str(error)) from None
    except OSError as error:
        raise Failed("unreadable", f"cannot read {file}: {error.strerror}") from None


def _text(params: Json, name: str) -> str | None:
    value = params.get(name)
    if value is None or isinstance(value, str):
        return value
    raise Failed("bad_params", f"{name} should be a string, found {type(value).__name__}")


def _name(wanted: _Wanted) -> str:
    """A title for what has no heading: the name of the file, or how the text begins."""
    if wanted.file:
        return one_line(Path(wanted.file).name)
    begins = (wanted.content or "").lstrip(_MARKS)[:_MAX_NAME]
    return one_line(begins.partition("\n")[0].translate(_EMPHASIS)) or "Markdown"
