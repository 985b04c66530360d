"""The headings of a document, each with an anchor as GitHub gives it."""

import re
import unicodedata
from html import escape, unescape
from typing import Final, NamedTuple

from mcp_server.viewer.documents.sanitizing import ID_PREFIX

_HEADING: Final = re.compile(r'<h([1-6])((?: [\w-]+="[^"]*")*)>(.*?)</h\1>', re.DOTALL)
_ID: Final = re.compile(r' id="([^"]+)"')
_TAG: Final = re.compile(r'<[^>"]*(?:"[^"]*"[^>"]*)*>')
_SPACE: Final = re.compile(r"\s+")


class Heading(NamedTuple):
    """A heading; `anchor` is the id of its element."""

    level: int
    text: str
    anchor: str


def outline(html: str) -> tuple[str, tuple[Heading, ...]]:
    """Sanitized HTML with an anchor at each heading, and the headings."""
    headings: list[Heading] = []
    slugs = _Slugs()

    def anchored(found: re.Match[str]) -> str:
        level, attributes, content = found.groups()
        text = _SPACE.sub(" ", unescape(_TAG.sub("", content))).strip()
        own = _ID.search(attributes)
        anchor = unescape(own[1]) if own else ID_PREFIX + slugs.of(text)
        headings.append(Heading(int(level), text, anchor))
        return found[0] if own else f'<h{level} id="{escape(anchor)}"{attributes}>{content}</h{level}>'

    return _HEADING.sub(anchored, html), tuple(headings)


class _Slugs:
    """The names of headings in addresses; a name that comes again gets a number."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}

    def of(self, text: str) -> str:
        first = slug = "".join(filter(_is_kept, text.lower())).replace(" ", "-")
        while slug in self._last:
            self._last[first] += 1
            slug = f"{first}-{self._last[first]}"
        self._last[slug] = 0
        return slug


def _is_kept(character: str) -> bool:
    """Whether a character stays: letters with their marks, digits, what joins words (html-pipeline's toc_filter)."""
    if character.isascii():
        return character.isalnum() or character in " -_"
    category = unicodedata.category(character)
    return category[0] in "LM" or category in {"Nd", "Pc"}
