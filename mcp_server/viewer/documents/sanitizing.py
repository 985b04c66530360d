"""HTML that others wrote, made safe to put into a page whose policy allows no inline script or style.

1. `nh3` parses it as a browser does, and keeps only elements, attributes and classes of the tables below.
2. What it wrote is regular, so one expression sees every link and image of it: addresses stay only if they lead to a
   web page, a mail, or a file beside the document. An image of another server stays away until somebody clicks on it:
   a text that a model wrote could tell that server what the model has seen, by the image's address.

Ids get a prefix, so that no element of a document is taken for one of the page (nor for a global of a script). Classes
are those of our own renderer, so that a document cannot dress up as the page's controls.
"""

import re
from html import escape, unescape
from typing import Final, NamedTuple
from urllib.parse import unquote

import nh3

ID_PREFIX: Final = "user-content-"
DOCUMENTS: Final = (".md", ".markdown", ".txt")
"""How the names of documents end that a document may lead to."""

_FORMATTING: Final = ("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u")
"""Elements that a browser opens again in the next paragraph if they were not closed in this one: a few unclosed ones
with long attributes would make a short document huge. So `nh3` gets them under other names, for which it does not."""
_TO_PLAIN: Final = re.compile(rf"<(/?)({'|'.join(_FORMATTING)})(?=[\s/>])", re.IGNORECASE)
_FROM_PLAIN: Final = re.compile(r"<(/?)x-(?=[a-z])")

_ATTRIBUTES: Final = {
    "*": {"align", "dir", "id", "lang", "title"},
    "x-a": {"href", "name"},
    "col": {"span", "width"},
    "details": {"open"},
    "img": {"alt", "height", "src", "width"},
    "li": {"value"},
    "ol": {"reversed", "start", "type"},
    "td": {"colspan", "rowspan", "valign", "width"},
    "th": {"colspan", "rowspan", "scope", "valign", "width"},
}
_CLASSES: Final = {
    "div": {"diagram", "markdown-alert", "math"}
    | {f"markdown-alert-{kind}" for kind in ("note", "tip", "important", "warning", "caution")},
    "hr": {"footnotes-sep"},
    "li": {"footnote-item", "task-list-item"},
    "ol": {"contains-task-list", "footnotes-list"},
    "p": {"hint", "markdown-alert-title"},
    "pre": {"highlight"},
    "section": {"footnotes"},
    "span": {"math"},
    "sup": {"footnote-ref"},
    "ul": {"contains-task-list"},
    "x-a": {"footnote-backref"},
}
_TAGS: Final = {f"x-{tag}" for tag in _FORMATTING} | set(
    """
    abbr bdi bdo blockquote br caption center cite col colgroup dd del details dfn div dl dt figcaption figure
    h1 h2 h3 h4 h5 h6 hr img ins kbd li mark ol p pre q rp rt ruby samp section span sub summary sup table tbody
    td tfoot th thead time tr ul var wbr
    """.split()  # noqa: SIM905 - words read better than a list of them
)
_CLEANER: Final = nh3.Cleaner(
    tags=_TAGS,
    attributes=_ATTRIBUTES,
    allowed_classes=_CLASSES,
    url_schemes={"http", "https", "mailto", "data"},
    id_prefix=ID_PREFIX,
    link_rel=None,
)

_LINK_OR_IMAGE: Final = re.compile(r'<(a|img|/a)((?: [\w-]+="[^"]*")*)>')
_ATTRIBUTE: Final = re.compile(r' ([\w-]+)="([^"]*)"')
_CONTROLS: Final = "".join(map(chr, range(33)))
_READ: Final = str.maketrans("\\", "/", "\t\n\r")
_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_PICTURE: Final = re.compile(r"data:image/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]", re.IGNORECASE)


class Safe(NamedTuple):
    """Safe HTML, and the relative paths of documents that it leads to and of images that it shows."""

    html: str
    links: tuple[str, ...]
    images: tuple[str, ...]


def sanitize(html: str) -> Safe:
    """Make HTML safe."""
    plain = _CLEANER.clean(_TO_PLAIN.sub(r"<\1x-\2", html))
    addresses = _Addresses()
    safe = _LINK_OR_IMAGE.sub(addresses.mended, _FROM_PLAIN.sub(r"<\1", plain))
    return Safe(safe, tuple(addresses.links), tuple(addresses.images))


class _Addresses:
    """The links and images of a document, seen from its beginning to its end."""

    def __init__(self) -> None:
        self.links: dict[str, None] = {}
        self.images: dict[str, None] = {}
        self._within_link = False

    def mended(self, found: re.Match[str]) -> str:
        """A link or image as it may stay."""
        tag = found[1]
        self._within_link = tag == "a" or (tag == "img" and self._within_link)
        if tag == "/a":
            return found[0]
        attributes = {name: unescape(value) for name, value in _ATTRIBUTE.findall(found[2])}
        return self._link(attributes) if tag == "a" else self._image(attributes)

    def _link(self, attributes: dict[str, str]) -> str:
        if name := attributes.pop("name", None):
            attributes.setdefault("id", ID_PREFIX + name)
        href = _address(attributes.pop("href", None))
        match _kind(href):
            case "http" | "https" | "mailto":
                attributes |= {"href": href, "target": "_blank", "rel": "noopener noreferrer nofollow"}
            case "beside":
                attributes["href"] = self._beside(href)
            case _:
                pass
        return _tag("a", attributes)

    def _beside(self, href: str) -> str:
        address, mark, fragment = href.partition("#")
        path = unquote(address.partition("?")[0])
        if path.lower().endswith(DOCUMENTS):
            self.links[path] = None
        if fragment and not fragment.startswith(ID_PREFIX):
            fragment = ID_PREFIX + fragment
        return address + mark + fragment

    def _image(self, attributes: dict[str, str]) -> str:
        src = _address(attributes.pop("src", None))
        match _kind(src):
            case "beside":
                self.images[unquote(src.partition("#")[0].partition("?")[0])] = None
                return _tag("img", {"src": src} | attributes)
            case "data" if _PICTURE.match(src):
                return _tag("img", {"src": src} | attributes)
            case "http" | "https":
                return self._remote(src, attributes.get("alt") or src)
            case _:
                return escape(attributes.get("alt", ""))

    def _remote(self, src: str, text: str) -> str:
        if self._within_link:
            return f'<span class="remote-image">{escape(text)}</span>'
        link = {"class": "remote-image", "href": src, "target": "_blank", "rel": "noopener noreferrer nofollow"}
        return f"{_tag('a', link)}{escape(text)}</a>"


def _address(written: str | None) -> str:
    """An address as a browser reads it: a backslash is a slash, and some characters are skipped."""
    address = (written or "").strip(_CONTROLS).translate(_READ)
    return f"https:{address}" if address.startswith("//") else address


def _kind(address: str) -> str:
    """The scheme of an address, in lower case; `beside` if it is relative; empty if it is neither."""
    if scheme := _SCHEME.match(address):
        return scheme[1].lower()
    return "beside" if address and not address.startswith("/") else ""


def _tag(name: str, attributes: dict[str, str]) -> str:
    return "".join((f"<{name}", *(f' {key}="{escape(value)}"' for key, value in attributes.items()), ">"))
