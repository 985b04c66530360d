"""Addresses in plain text, made links: what GitHub does, and a Korean particle right behind a host is not part of it.

https://example.com/a_(b).   www.example.com   me@example.com   https://example.com에서
"""

import re
from typing import Final

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

_HINT: Final = re.compile(r"://|www\.|@")
_HOST: Final = r"(?:[\w-]+\.)*[a-z0-9-]+(?::\d+)?"
_REST: Final = r"(?:[/?#][^\s<]*)?"
_ADDRESS: Final = re.compile(
    rf"(?<![\w/])(?:https?://{_HOST}{_REST}|www\.[a-z0-9-]+(?:\.[a-z0-9-]+)+{_REST})"
    r"|(?<![\w.+-])(?P<mail>[a-z0-9_.+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]+)(?![\w@-])",
    re.IGNORECASE,
)
_TRAILING: Final = "?!.,:;*_~'\""


def link_addresses(state: StateCore) -> None:
    """Make links of the addresses in a document's text."""
    for token in state.tokens:
        if token.children and _HINT.search(token.content):
            token.children = _linked(token.children)


def _linked(tokens: list[Token]) -> list[Token]:
    linked: list[Token] = []
    depth = 0
    for token in tokens:
        depth += (token.type == "link_open") - (token.type == "link_close")
        if token.type == "html_inline":
            depth = _depth_after(token.content, depth)
        if token.type == "text" and not depth and _HINT.search(token.content):
            linked += _split(token.content)
        else:
            linked.append(token)
    return linked


def _depth_after(html: str, depth: int) -> int:
    """Raw HTML may open or close a link too."""
    start = html[:3].lower()
    if start in {"<a ", "<a>", "<a\n"}:
        return depth + 1
    return max(0, depth - 1) if start == "</a" else depth


def _split(text: str) -> list[Token]:
    tokens: list[Token] = []
    end = 0
    for found in _ADDRESS.finditer(text):
        address = found[0] if found["mail"] else _without_punctuation(found[0])
        start = found.start()
        tokens += [Token("text", "", 0, content=text[end:start]), *_link(address, is_mail=bool(found["mail"]))]
        end = start + len(address)
    return [*tokens, Token("text", "", 0, content=text[end:])]


def _link(address: str, *, is_mail: bool) -> list[Token]:
    scheme = "mailto:" if is_mail else "" if "://" in address[:8] else "http://"
    return [
        Token("link_open", "a", 1, attrs={"href": scheme + address}),
        Token("text", "", 0, content=address),
        Token("link_close", "a", -1),
    ]


def _without_punctuation(address: str) -> str:
    """An address without what belongs to the sentence: marks at its end, and brackets that it does not open."""
    unopened = address.count(")") - address.count("(")
    end = len(address)
    while address[end - 1] in _TRAILING or (address[end - 1] == ")" and unopened > 0):
        unopened -= address[end - 1] == ")"
        end -= 1
    return address[:end]
