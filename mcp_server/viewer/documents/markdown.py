"""Markdown as GitHub knows it, to HTML that is safe to put into a page.

    text ──rendering──► HTML, with places left ──sanitizing──► ──outline──► places filled in ──► a document

Nothing here raises or takes long, whatever the text. What would take time with the square of its length is bounded
where it happens (`rendering`, `raw_html`, `highlighting`, `formulas`).
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from mcp_server.viewer.documents.outline import Heading, outline
from mcp_server.viewer.documents.rendering import render
from mcp_server.viewer.documents.sanitizing import sanitize
from mcp_server.viewer.documents.titles import one_line

_TITLE_WITHIN: Final = 65_536
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_NEWLINE: Final = re.compile("\r\n?")
_FRONT_MATTER: Final = re.compile(
    r"---[ \t]*\n"
    r"(?:[ \t]*(?:#.*)?\n)*"  # empty lines and comments, then a key: between two rules there may be just text
    r"[\w.\"'-]+[ \t]*:(?:.*\n)*?"
    r"(?:---|\.\.\.)[ \t]*(?:\n|\Z)"
)


class Document(NamedTuple):
    """A document as it is shown, and the relative paths of documents and images that it refers to."""

    title: str | None
    html: str
    headings: tuple[Heading, ...]
    links: tuple[str, ...]
    images: tuple[str, ...]


class Gist(NamedTuple):
    """What a document is called and refers to."""

    title: str | None
    links: tuple[str, ...]
    images: tuple[str, ...]


def read(text: str) -> Document:
    """Read a document."""
    html, islands = render(_prepared(text))
    safe = sanitize(html)
    html, headings = outline(safe.html)
    return Document(_title(headings), islands.fill(html), headings, safe.links, safe.images)


def gist_of(text: str) -> Gist:
    """Read a document, but make none of what takes long: colours, formulas, diagrams."""
    safe = sanitize(render(_prepared(text)).html)
    _, headings = outline(safe.html)
    return Gist(_title(headings), safe.links, safe.images)


def title_of(text: str) -> str | None:
    """The title of a document, if its beginning has one."""
    return gist_of(text[:_TITLE_WITHIN]).title


def _prepared(text: str) -> str:
    """The text without what is not shown, and with one kind of line end."""
    text = _NEWLINE.sub("\n", _SURROGATE.sub("\ufffd", text.removeprefix("\ufeff")))
    front_matter = _FRONT_MATTER.match(text)
    return text[front_matter.end() :] if front_matter else text


def _title(headings: Sequence[Heading]) -> str | None:
    return next(filter(None, (one_line(heading.text) for heading in headings)), None)
