"""Documents as they were read last: one for each window, so that a window never costs more than what it shows.

A reading has a version, which a page holds against the present one to see that it is out of date. The version is
taken before the text is read: a document that changes meanwhile has another version afterwards, never the same.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from mcp_server.crossing import in_thread
from mcp_server.viewer.documents.folder import Folder, Node, Refused
from mcp_server.viewer.documents.markdown import Document, read
from mcp_server.viewer.windows import Window

_AT_ONCE: Final = 4
"""Documents that are read at the same time: with more of them the threads keep the event loop from its turn."""


class Reading(NamedTuple):
    """What a window shows at a path of its folder tree; the path of what it was opened with is empty."""

    path: str
    version: str
    document: Document
    tree: Node | None


class Readings:
    """The documents of all windows."""

    def __init__(self) -> None:
        self._desks: WeakKeyDictionary[Window, _Desk] = WeakKeyDictionary()
        self._room = asyncio.Semaphore(_AT_ONCE)

    async def read(self, window: Window, path: str) -> Reading:
        """What a window shows at a path; `Refused` or an `OSError` if that is nothing."""
        desk = self._desks.setdefault(window, _Desk())
        async with desk.lock, self._room:
            desk.last = await in_thread(_read, _Source.of(window), path, desk.last)
            return desk.last

    def tree(self, window: Window) -> Node | None:
        """The documents of a window, as they were when one was read last."""
        desk = self._desks.get(window)
        return desk.last.tree if desk and desk.last else None

    async def version(self, window: Window, path: str) -> str:
        """The present version of what a window shows at a path; it has one even if that is nothing."""
        return await in_thread(_version, _Source.of(window), path)

    async def image(self, window: Window, path: str) -> tuple[bytes, str]:
        """An image of a window's folder tree, and its media type; `Refused` or an `OSError` if there is none."""
        return await in_thread(lambda file: Folder(file).image(path), _file(window.file))


@dataclass(slots=True)
class _Desk:
    """Where the documents of one window are read, one after the other."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    last: Reading | None = None


class _Source(NamedTuple):
    """What a window shows, held still: the window may change while a thread reads."""

    version: int
    content: str | None
    file: str | None

    @classmethod
    def of(cls, window: Window) -> "_Source":
        return cls(window.version, window.content, window.file)


def _read(source: _Source, path: str, last: Reading | None) -> Reading:
    version = _version(source, path)
    if last and (last.path, last.version) == (path, version):
        return last
    if source.content is not None and not path:
        return Reading(path, version, read(source.content), None)
    folder = Folder(_file(source.file))
    return Reading(path, version, read(folder.document(path)), folder.tree())


def _version(source: _Source, path: str) -> str:
    if source.content is not None:
        return str(source.version)
    try:
        return "-".join(map(str, (source.version, *Folder(_file(source.file)).stamp(path))))
    except (Refused, OSError):
        return f"{source.version}-gone"


def _file(file: str | None) -> str:
    if file is None:
        raise Refused("alone", "this window shows a text, not a file: there is nothing beside it")
    return file
