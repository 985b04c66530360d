"""Places in HTML that are filled in after it was sanitized.

A place is an element with an id that nobody can guess, so no document can make one. In sanitized HTML a quotation mark
stands only around the value of an attribute: what looks like such an element there is one.
"""

import re
import secrets
from collections.abc import Callable

from mcp_server.viewer.documents.sanitizing import ID_PREFIX


class Islands:
    """What belongs into the places of one document."""

    def __init__(self) -> None:
        self._key = secrets.token_hex(16)
        self._fillings: list[Callable[[], str]] = []

    def add(self, filling: Callable[[], str], text: str = "") -> str:
        """A place for the HTML that this will make; `text` (escaped) is what it counts as in a heading."""
        self._fillings.append(filling)
        return f'<span id="{self._key}-{len(self._fillings) - 1}">{text}</span>'

    def fill(self, html: str) -> str:
        """Fill in all places."""
        if not self._fillings:
            return html
        place = rf'<span id="{ID_PREFIX}{self._key}-(\d+)">[^<]*</span>'
        return re.sub(place, lambda found: self._fillings[int(found[1])](), html)
