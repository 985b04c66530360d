"""HTML that stands in a document as it is, bounded before it meets the HTML parser.

The parser's time grows with the square of the depth of open elements, and of the attributes of one. Nobody needs much
of either, so what is beyond is left out. Nothing here makes HTML safe: `sanitizing` does.
"""

import re
from collections import Counter
from typing import Final

_DEEPEST: Final = 200
_MOST_ATTRIBUTES: Final = 50
_COMMENT: Final = re.compile(r"<!--(?:-?>|.*?(?:--!?>|\Z))", re.DOTALL)
_ATTRIBUTE: Final = r"[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|[^\s>\"'][^\s>]*+)?)?"
_TAG: Final = re.compile(rf"<(/?)([a-z][^\s/>]*+)((?:[\s/]++|{_ATTRIBUTE})*+)>?", re.IGNORECASE)
_EACH_ATTRIBUTE: Final = re.compile(_ATTRIBUTE)
_SHOWN: Final = frozenset(
    """
    iframe noembed noframes plaintext script style textarea title xmp
    """.split()  # noqa: SIM905 - words read better than a list of them
)
"""Elements that take all up to their end for text, which GitHub shows as they are written."""
_NEVER_OPEN: Final = frozenset(
    """
    area base br col embed hr img input link meta param source track wbr
    colgroup dd dt li option p rp rt tbody td tfoot th thead tr
    """.split()  # noqa: SIM905 - words read better than a list of them
)


class RawHtml:
    """The raw HTML of one document, from its beginning to its end."""

    def __init__(self) -> None:
        self._open = Counter[str]()
        self._depth = 0

    def tamed(self, html: str) -> str:
        """A piece of raw HTML, without comments and without what is too much."""
        return _TAG.sub(self._tag, _COMMENT.sub("", html))

    def _tag(self, found: re.Match[str]) -> str:
        closes, name = found[1], found[2].lower()
        if name in _SHOWN:
            return "&lt;" + found[0][1:]
        if closes:
            if self._open[name]:
                self._open[name] -= 1
                self._depth -= 1
            return found[0]
        if len(found[3]) > _MOST_ATTRIBUTES and len(_EACH_ATTRIBUTE.findall(found[3])) > _MOST_ATTRIBUTES:
            return ""
        if name not in _NEVER_OPEN:
            if self._depth == _DEEPEST:
                return ""
            self._open[name] += 1
            self._depth += 1
        return found[0]
