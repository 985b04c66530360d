"""A page as HTML, all of it: a browser without script can read, only not see it change.

    header      where one is, back and forward, what can be done
    nav#tree    the documents that the opened one leads to
    main        the document
    nav#contents  its headings

`static/viewer.js` fetches the same page again when the document has changed and takes from it what is new.
"""

import re
from html import escape
from typing import Final
from urllib.parse import quote

from mcp_server.viewer.documents.folder import Node
from mcp_server.viewer.documents.outline import Heading
from mcp_server.viewer.limits import SIZES
from mcp_server.viewer.pages.assets import ROOT
from mcp_server.viewer.pages.labels import Labels, Notice
from mcp_server.viewer.pages.readings import Reading
from mcp_server.viewer.windows import Window

LIVE: Final = "~live"
"""Where a window's page hears of changes: no document or image has a name without an ending."""
_THEMES: Final = ("light", "dark")
_LONG: Final = 200_000
"""Characters of HTML from which on a browser shall only lay out what is in sight."""
_DEEPEST: Final = 4
"""The level of the smallest heading in the table of contents."""
_UNFOLDED: Final = 2
"""Levels of the tree that are seen at first; below them, only the way to what is shown."""
_CURRENT: Final = ' aria-current="page"'
_SCRIPTS: Final = {"ko": re.compile("[가-힣]"), "ja": re.compile("[ぁ-ヿ]"), "zh": re.compile("[一-鿿]")}
_SAMPLE: Final = 20_000
_ICONS: Final = {
    "documents": "M4 5h16M4 12h10M4 19h13",
    "back": "M15 5l-7 7 7 7",
    "forward": "M9 5l7 7-7 7",
    "contents": "M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01",
    "theme": "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",
    "print": "M7 9V4h10v5M7 17H4v-7h16v7h-3M7 14h10v6H7z",
    "pin": "M9 4h6l-1 6 3 3v2H7v-2l3-3zM12 15v6",
    "keys": "M9.2 9.2a2.9 2.9 0 1 1 4.2 2.6c-.9.5-1.4 1.1-1.4 2.2M12 17.5h.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
    "close": "M6 6l12 12M18 6L6 18",
}


def page(window: Window, reading: Reading, labels: Labels, theme: str) -> str:
    """The page of a document."""
    document = reading.document
    long = ' class="long"' if len(document.html) > _LONG else ""
    article = f'<article id="article" lang="{_language(document.html)}"{long}>{document.html}</article>'
    title = (reading.path and document.title) or window.title
    return _page(
        labels,
        theme,
        title,
        article,
        state=state_of(window, reading.path, reading.version),
        tree=tree_of(window, reading.tree, reading.path),
        contents=_contents(document.headings),
    )


def notice(words: Notice, labels: Labels, theme: str, detail: str = "", state: str = "", tree: str = "") -> str:
    """A page that says why there is no document; those that there are stay beside it."""
    more = f"<p><code>{escape(detail)}</code></p>" if detail else ""
    article = f'<article id="article" class="notice"><h1>{words.heading}</h1><p>{words.text}</p>{more}</article>'
    return _page(labels, theme, words.heading, article, state=state, tree=tree)


def state_of(window: Window, path: str, version: str) -> str:
    """What the script must know of what it is shown, to hear when that changes: attributes of the body."""
    width, height = SIZES[window.size] or ("", "")
    follow = " data-follow" if window.follow else ""
    return (
        f' data-home="{_home(window)}" data-path="{escape(path)}" data-version="{version}"'
        f' data-number="{window.number}" data-width="{width}" data-height="{height}"{follow}'
    )


def tree_of(window: Window, tree: Node | None, path: str) -> str:
    """The documents of a window, as links; the one at the path is shown."""
    return f"<ul>{_branch(window, tree, path)}</ul>" if tree and tree.children else ""


def _page(
    labels: Labels, theme: str, title: str, article: str, *, state: str, tree: str = "", contents: str = ""
) -> str:
    chosen = f' data-theme="{theme}"' if theme in _THEMES else ""
    return f"""<!doctype html>
<html lang="{labels.language}" translate="no"{chosen}>
<head>
<meta charset="utf-8">
<meta name="google" content="notranslate">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<link rel="icon" href="{ROOT}/icon.svg">
<link rel="stylesheet" href="{ROOT}/viewer.css">
<script type="module" src="{ROOT}/viewer.js"></script>
</head>
<body{state}>
<a class="skip" href="#article">{labels.skip}</a>
<header>
{_button("documents", labels.documents, "s", controls="tree")}
{_button("back", labels.back, "Alt+←")}
{_button("forward", labels.forward, "Alt+→")}
<p id="title">{escape(title)}</p>
<p id="writing" role="status" hidden>{labels.writing}</p>
{_button("contents", labels.contents, "t", controls="contents")}
{_button("theme", labels.theme, "d")}
{_button("print", labels.print, "Ctrl+P")}
{_button("pin", labels.pin, "p", pressed=True)}
{_button("keys", labels.keys, "?")}
</header>
<div id="banners">
<p id="away" role="status" hidden>{labels.away}</p>
<p id="gone" role="status" hidden>{labels.gone}</p>
</div>
<div id="columns">
<nav id="tree" aria-label="{labels.documents}"{"" if tree else " hidden"}>{tree}</nav>
<main id="document" tabindex="-1">{article}</main>
<nav id="contents" aria-label="{labels.contents}"{"" if contents else " hidden"}>{contents}</nav>
</div>
<dialog id="help" aria-label="{labels.keys}" closedby="any">
{_button("close", labels.close, "Esc")}
<h2>{labels.keys}</h2>
<dl>{"".join(f"<div><dt>{_keys(keys)}</dt><dd>{does}</dd></div>" for keys, does in labels.key_help)}</dl>
</dialog>
<section id="closed" hidden><h1>{labels.closed.heading}</h1><p>{labels.closed.text}</p></section>
<section id="floating" hidden><p>{labels.pinned}</p><button id="unpin">{labels.unpin}</button></section>
<template id="copy"><button class="copy" data-done="{labels.copied}">{labels.copy}</button></template>
</body>
</html>
"""


def _home(window: Window) -> str:
    return f"/w/{window.token}/"


def _button(name: str, label: str, key: str, *, controls: str = "", pressed: bool = False) -> str:
    more = f' aria-controls="{controls}" aria-expanded="false"' if controls else ""
    more += ' aria-pressed="false"' if pressed else ""
    return (
        f'<button id="{name}-button" title="{label} ({key})" aria-label="{label}"{more}>'
        f'<svg viewBox="0 0 24 24" aria-hidden="true"><path d="{_ICONS[name]}"/></svg></button>'
    )


def _keys(keys: str) -> str:
    return " ".join(f"<kbd>{key}</kbd>" for key in keys.split())


def _branch(window: Window, node: Node, path: str, depth: int = 1) -> str:
    current = _CURRENT if node.path == path else ""
    link = f'<a href="{_home(window)}{quote(node.path)}"{current}>{escape(node.title)}</a>'
    if not node.children:
        return f"<li>{link}</li>"
    below = "".join(_branch(window, child, path, depth + 1) for child in node.children)
    unfolded = " open" if depth < _UNFOLDED or current or _CURRENT in below else ""
    return f"<li><details{unfolded}><summary>{link}</summary><ul>{below}</ul></details></li>"


def _contents(headings: tuple[Heading, ...]) -> str:
    shown = [heading for heading in headings if heading.level <= _DEEPEST]
    if len(shown) < 2:
        return ""
    top = min(heading.level for heading in shown)
    lines = (
        f'<li class="level-{level - top + 1}"><a href="#{escape(anchor)}">{escape(text)}</a></li>'
        for level, text, anchor in shown
    )
    return f"<ol>{''.join(lines)}</ol>"


def _language(html: str) -> str:
    """The language of a document, by its script: a browser picks fonts and the shapes of Chinese characters by it."""
    sample = html[:_SAMPLE]
    return next((one for one, script in _SCRIPTS.items() if len(script.findall(sample)) * 50 > len(sample)), "en")
