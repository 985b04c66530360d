"""The windows that are open: what each shows, and who wants to know when that changes.

Everything happens in one event loop, so nothing here locks. Nothing here opens a file or a window either.
"""

import secrets
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Literal

Event = Literal["changed", "closed"]
Listener = Callable[[Event], None]


class NotOpen(LookupError):  # noqa: N818 - what the window is
    """There is no window with this id."""


@dataclass(slots=True, eq=False, weakref_slot=True)
class Window:
    """A window. It shows either `content` or `file`; whoever knows its `token` may see it."""

    title: str
    content: str | None
    file: str | None
    size: str
    foreground: bool
    named: bool = False
    """whether the title was asked for; else it is the first heading, and changes with that"""
    follow: bool = False
    """whether the page goes along with what is added at the end"""
    pinned: bool = False
    version: int = 1
    number: int = 0
    """the lowest that no other open window has; it says where on the screen the window is"""
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    listeners: set[Listener] = field(default_factory=set)

    def tell(self, event: Event) -> None:
        """Tell all who listen."""
        for listener in tuple(self.listeners):
            listener(event)


class Windows:
    """All windows, in the order they were opened."""

    def __init__(self) -> None:
        self._by_id: dict[str, Window] = {}
        self._by_token: dict[str, Window] = {}
        self.opened = 0
        """how many there have ever been"""

    def __iter__(self) -> Iterator[Window]:
        return iter(tuple(self._by_id.values()))

    def __len__(self) -> int:
        return len(self._by_id)

    def add(self, window: Window) -> None:
        """Open a window."""
        taken = {one.number for one in self}
        window.number = next(number for number in count() if number not in taken)
        self._by_id[window.id] = window
        self._by_token[window.token] = window
        self.opened += 1

    def find(self, window_id: str) -> Window:
        """The window with this id, or `NotOpen`."""
        window = self._by_id.get(window_id)
        if window is None:
            raise NotOpen(window_id)
        return window

    def with_token(self, token: str) -> Window | None:
        """The window with this token, if it is open."""
        return self._by_token.get(token)

    def update(self, window: Window, title: str, *, named: bool, content: str | None, file: str | None) -> None:
        """Show something else in a window."""
        window.title, window.named, window.content, window.file = title, named, content, file
        window.version += 1
        window.tell("changed")

    def entitle(self, window: Window, heading: str) -> None:
        """The first heading is this now."""
        if not window.named and heading != window.title:
            window.title = heading
            window.tell("changed")

    def pin(self, window: Window, *, pinned: bool) -> None:
        """Keep a window above all others, or no longer."""
        window.pinned = pinned
        window.tell("changed")

    def close(self, window: Window) -> None:
        """Close a window; nothing happens if it is closed already."""
        if self._by_id.pop(window.id, None):
            del self._by_token[window.token]
            window.tell("closed")
