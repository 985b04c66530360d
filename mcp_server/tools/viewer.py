"""Markdown in windows on the user's screen, which the viewer's app keeps."""

import os
from typing import Annotated, Any, Final, Literal, Required, TypedDict

from db.progress import Progress
from db.result import ToolFailed, ToolResult
from db.schema import Json
from db.tool import LOOKS_UP, Hints, Tool
from mcp_server.viewer.client import ViewerError, request
from mcp_server.viewer.limits import MOST_TEXT, SIZES, USUAL_SIZE
from mcp_server.viewer.texts import explain, say

TIMEOUT: Final = 20.0
"""Seconds: five to start the app, ten for its answer, and some to spare, so that the app's word comes first."""
_SHOWS: Final = Hints(destructive=False, open_world=False)
_TOLD: Final = ("windowId", "title", "size", "alwaysOnTop", "filePath", "shown")
"""What is told of a window. Its address is not: who knows that sees the window, and results are recorded."""

Content = Annotated[
    str, "The Markdown to show, at most 10 MB. If both content and filePath are given, content is shown."
]
FilePath = Annotated[str, "Path of a .md, .markdown or .txt file to show, best an absolute one."]


class Open(TypedDict, total=False):
    """What open_markdown asks for."""

    content: Content
    filePath: FilePath
    title: Annotated[str, "Title of the window; if left out, the first heading."]
    foreground: Annotated[bool, "Bring the window to the front; if left out, true."]
    size: Annotated[
        Literal["s", "m", "l", "f"],
        "Size of the window: s is 480x680, m 720x1024, l 1080x1440, f the full screen; if left out, m.",
    ]


class Update(TypedDict, total=False):
    """What update_markdown asks for."""

    windowId: Required[Annotated[str, "Which window: the Window ID that open_markdown returned."]]
    content: Content
    filePath: FilePath
    title: Annotated[str, "New title of the window; if left out, the first heading."]


class Close(TypedDict, total=False):
    """What close_viewer asks for."""

    windowId: Annotated[str, "Which window, by its Window ID; if left out, all windows are closed."]


def open_markdown(
    *,
    content: str | None = None,
    filePath: str | None = None,
    title: str | None = None,
    foreground: bool = True,
    size: Any = None,
    progress: Progress,
) -> ToolResult:
    """Open a Markdown document in a window on the user's screen, for the user to read.

    Give content (the Markdown itself) or filePath (a file to show). Returns the Window ID, which update_markdown and
    close_viewer ask for.
    """
    document = _document(content, filePath, title)
    looks = {"foreground": foreground, "size": size if str(size) in SIZES else USUAL_SIZE}
    opened = _about(_ask("open_markdown", document | looks, progress))
    notes = () if opened.get("shown", True) else (_block(say("not_shown")),)
    return ToolResult.said(say("opened", **opened), opened, notes)


def update_markdown(
    *,
    windowId: str | None = None,
    content: str | None = None,
    filePath: str | None = None,
    title: str | None = None,
    progress: Progress,
) -> ToolResult:
    """Show another document, or a new version of it, in a window that open_markdown has opened.

    Give the Window ID, and content (the whole new Markdown) or filePath (a file to show).
    """
    if not windowId:
        raise _failed(explain("no_window"))
    document = _document(content, filePath, title)
    updated = _about(_ask("update_markdown", {"windowId": windowId} | document, progress))
    return ToolResult.said(say("updated", **updated), updated)


def close_viewer(*, windowId: str | None = None, progress: Progress) -> ToolResult:
    """Close one window of the viewer, by its Window ID, or all of them if no windowId is given."""
    if windowId:
        _ask("close_viewer", {"windowId": windowId}, progress)
        return ToolResult.said(say("closed", windowId=windowId), {"windowId": windowId, "closed": 1})
    closed = _ask("close_viewer", {}, progress)["closed"]
    return ToolResult.said(say("closed_all", closed=closed), {"closed": closed})


def list_viewers(*, progress: Progress) -> ToolResult:
    """List the windows of the viewer that are open: title and Window ID of each. Takes no arguments."""
    windows = [_about(window) for window in _ask("list_viewers", {}, progress)["windows"]]
    lines = [
        say("pinned_viewer" if window["alwaysOnTop"] else "viewer", place=place, **window)
        for place, window in enumerate(windows, 1)
    ]
    text = say("listed", number=len(windows), lines="\n".join(lines) or say("no_viewers"))
    return ToolResult.said(text, {"windows": windows})


def _document(content: str | None, file: str | None, title: str | None) -> Json:
    """What to show. A path means a file as seen from here, wherever the app is."""
    named = {"title": title} if title else {}
    if content:
        if len(content.encode()) > MOST_TEXT:
            raise _failed(explain("too_large"))
        return {"content": content} | named
    if file:
        return {"filePath": os.path.abspath(os.path.expanduser(file))} | named
    raise _failed(explain("nothing"))


def _ask(action: str, params: Json, progress: Progress) -> Json:
    try:
        return request(action, params, progress)
    except ViewerError as error:
        raise _failed(str(error), error.hint) from None


def _failed(message: str, hint: str = "") -> ToolFailed:
    return ToolFailed(message, say("error", message=message), (_block(hint),) if hint else ())


def _about(window: Json) -> Json:
    return {name: window[name] for name in _TOLD if name in window}


def _block(text: str) -> Json:
    return {"type": "text", "text": text}


TOOLS = (
    Tool.of(open_markdown, _SHOWS, TIMEOUT, told=Open),
    Tool.of(update_markdown, _SHOWS._replace(idempotent=True), TIMEOUT, told=Update),
    Tool.of(close_viewer, _SHOWS._replace(destructive=True, idempotent=True), TIMEOUT, told=Close),
    Tool.of(list_viewers, LOOKS_UP, TIMEOUT),
)
