"""The folder tree of an opened document: which files a window may show.

A window shows documents (`.md`, `.markdown`, `.txt`) in the folder of the opened one and below it, after symbolic links
were followed, and the images that these refer to; nothing else. A path is relative, with `/`, as it stands in the
page's address once that is decoded. The empty path is the opened document.
"""

import os
import posixpath
import stat
import unicodedata
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, NamedTuple

from mcp_server.viewer.documents.markdown import Gist, gist_of
from mcp_server.viewer.documents.sanitizing import DOCUMENTS
from mcp_server.viewer.limits import MOST_TEXT

Why = Literal["outside", "other", "unused", "large", "alone"]
"""A file is not in the folder, or none that is shown, or an image that no document uses, or too large; or there is no
folder, since the window shows a text."""
MOST_IMAGE: Final = 50_000_000
"""Bytes of an image."""
MOST_DOCUMENTS: Final = 200
"""Documents of a tree."""
MOST_TREE: Final = 20_000_000
"""Bytes of all documents of a tree: each must be read to know where it leads."""
DEEPEST: Final = 8
"""Links from the opened document to the last one of its tree."""
_IMAGES: Final = {
    ".avif": "image/avif",
    ".bmp": "image/bmp",
    ".gif": "image/gif",
    ".ico": "image/x-icon",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
}
_LONGEST: Final = 4096
"""Characters of a path. No system takes more, and each part of one costs a look at the disk."""
_NEVER_IN_A_PATH: Final = frozenset("\0\\:")
"""On Windows, `\\` separates and `:` names a drive or a stream."""
_OPEN: Final = os.O_RDONLY | sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
"""Neither does a link that came in between lead away, nor does a pipe make us wait."""


class Refused(Exception):  # noqa: N818 - what happened
    """This is not shown; the message says what is, and `why` is for who says it in other words."""

    def __init__(self, why: Why, message: str) -> None:
        super().__init__(message)
        self.why: Why = why


class Node(NamedTuple):
    """A document of the tree, and those it leads to."""

    path: str
    title: str
    children: list["Node"]


class Folder:
    """The folder tree of one opened document."""

    def __init__(self, document: str) -> None:
        self._document = _resolved(Path(document))
        self._root = self._document.parent

    def document(self, path: str) -> str:
        """The text of a document."""
        return _text(_read(self._find(path, DOCUMENTS), MOST_TEXT))

    def image(self, path: str) -> tuple[bytes, str]:
        """An image that a document of the tree refers to, and its media type."""
        file = self._find(path, tuple(_IMAGES))
        asked = _composed(posixpath.normpath(path))
        if not any(asked == _composed(_beside(node.path, one)) for node, gist in self._walk() for one in gist.images):
            raise Refused(
                "unused", f"an image is shown if a document of the tree refers to it; none refers to {path!r}"
            )
        return _read(file, MOST_IMAGE), _IMAGES[file.suffix.lower()]

    def stamp(self, path: str) -> tuple[int, ...]:
        """What changes when a document does."""
        return _stamp(self._find(path, DOCUMENTS))

    def tree(self) -> Node:
        """The documents that links lead to from the opened one, each where it is met first."""
        nodes = [node for node, _ in self._walk()]
        return nodes[0]

    def _walk(self) -> Iterator[tuple[Node, Gist]]:
        """The documents of the tree, the nearest first; a node has all its children when the walk is over."""
        met = {self._document}
        room = MOST_TREE
        waiting = deque([(0, *_node("", self._find("", DOCUMENTS)))])
        while waiting:
            depth, node, gist = waiting.popleft()
            yield node, gist
            for link in gist.links[:MOST_DOCUMENTS] if depth < DEEPEST else ():
                with suppress(Refused, OSError):  # a link may lead anywhere
                    path = _beside(node.path, link)
                    file = self._find(path, DOCUMENTS)
                    if file in met or len(met) == MOST_DOCUMENTS:
                        continue
                    met.add(file)
                    room -= file.stat().st_size
                    if room > 0:
                        child, its_gist = _node(path, file)
                        node.children.append(child)
                        waiting.append((depth + 1, child, its_gist))

    def _find(self, path: str, endings: tuple[str, ...]) -> Path:
        """The file at a path, if it is in the tree and ends like this."""
        if len(path) > _LONGEST:
            raise Refused("outside", f"a path has at most {_LONGEST} characters; this one has {len(path)}")
        if _NEVER_IN_A_PATH & set(path) or path.startswith("/"):
            raise Refused(
                "outside", f"a path is relative to {self._document.name!r}, like sub/other.md; this is {path!r}"
            )
        file = self._found(path) if path else self._document
        if not file.is_relative_to(self._root):
            raise Refused(
                "outside", f"only files in the folder of {self._document.name!r} are shown; {path!r} is not in it"
            )
        if not file.name.lower().endswith(endings):
            shown = f"only files that end with {', '.join(endings)} are shown"
            raise Refused("other", f"{shown}; this is {path or file.name!r}")
        return file

    def _found(self, path: str) -> Path:
        """The file with this path, or with the path as another system writes it.

        macOS takes Hangul apart into letters; archives and repositories carry such names elsewhere.
        """
        spellings = dict.fromkeys((path, _composed(path), unicodedata.normalize("NFD", path)))
        files = [_resolved(self._root / spelling) for spelling in spellings]
        return next((file for file in files if file.exists()), files[0])


def _resolved(file: Path) -> Path:
    try:
        return file.resolve()
    except (RuntimeError, ValueError) as error:  # links in a circle, or a name that no file can have
        raise Refused("outside", f"there is no file {file.name!r}: {error}") from None


def _node(path: str, file: Path) -> tuple[Node, Gist]:
    gist = _gist(file, _stamp(file))
    return Node(path, gist.title or file.name, []), gist


@lru_cache(maxsize=1000)
def _gist(file: Path, _: tuple[int, ...]) -> Gist:
    return gist_of(_text(_read(file, MOST_TEXT)))


def _stamp(file: Path) -> tuple[int, ...]:
    status = file.stat()
    return status.st_mtime_ns, status.st_size, status.st_ino


def _composed(path: str) -> str:
    return unicodedata.normalize("NFC", path)


def _beside(path: str, link: str) -> str:
    """The path of what a document refers to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), link))


def _read(file: Path, most: int) -> bytes:
    # By an opener, or a folder that cannot be read would stay open.
    with open(file, "rb", opener=lambda path, _: os.open(path, _OPEN)) as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise Refused("other", f"only files are shown; {file.name!r} is something else")
        content = opened.read(most + 1)
    if len(content) > most:
        raise Refused("large", f"at most {most} bytes of a file are shown; {file.name!r} has more")
    return content


def _text(content: bytes) -> str:
    """Text in UTF-8, in UTF-16 as PowerShell writes it, or in the Korean code page of Windows."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp949", "replace")
