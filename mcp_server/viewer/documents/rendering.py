"""Markdown to HTML as its writer meant it, be it good or evil; `sanitizing` comes after it.

What we make ourselves and know to be harmless (highlighted code, formulas, checkboxes) would have to be allowed to
everyone, or the sanitizer would cut it to pieces. So only a place for it is left (`islands`).
"""

import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Final, NamedTuple, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.footnote.index import footnote_ref

from mcp_server.viewer.documents.autolinks import link_addresses
from mcp_server.viewer.documents.diagrams import HINT, can_draw, drawn
from mcp_server.viewer.documents.formulas import mathml
from mcp_server.viewer.documents.highlighting import highlight
from mcp_server.viewer.documents.islands import Islands
from mcp_server.viewer.documents.raw_html import RawHtml

_EXPANSION: Final = 100_000
"""Characters that addresses may add to a document beyond its length: thousands of links may name one reference."""
_MOST_DIAGRAMS: Final = 30
"""Diagrams of one document: each is drawn by a process of its own."""
_FOOTNOTE: Final = re.compile(r"\[\^[^\s\[\]]{1,100}\]")


class Rendered(NamedTuple):
    """HTML, and what belongs into the places of it."""

    html: str
    islands: Islands


def render(text: str) -> Rendered:
    """Render a document."""
    state = _State(len(text))
    return Rendered(str(_PARSER.render(text, {"state": state})), state.islands)


class _State:
    """What belongs to one document while it is rendered."""

    def __init__(self, length: int) -> None:
        self.islands = Islands()
        self.raw_html = RawHtml()
        self.diagrams = 0
        self._room = length + _EXPANSION

    def has_room_for(self, token: Token) -> bool:
        """Whether a link or an image may have its address."""
        self._room -= sum(len(str(value)) for value in token.attrs.values())
        return self._room >= 0


_Default: TypeAlias = Callable[[], str]
_Rule: TypeAlias = Callable[[Token, _State, _Default], str]


def _fence(token: Token, state: _State, default: _Default) -> str:
    match token.info.strip().partition(" ")[0].lower():
        case "math":
            return _math_block(token, state, default)
        case "mermaid":
            return _diagram(token.content, state)
        case language:
            return _code(token.content, language, state)


def _code_block(token: Token, state: _State, _: _Default) -> str:
    return _code(token.content, "", state)


def _code(code: str, language: str, state: _State) -> str:
    return f'<pre class="highlight"><code>{state.islands.add(lambda: highlight(code, language))}</code></pre>\n'


def _diagram(source: str, state: _State) -> str:
    if not can_draw():
        return _code(source, "", state) + HINT
    state.diagrams += 1
    if state.diagrams > _MOST_DIAGRAMS:
        return _code(source, "", state)
    place = state.islands.add(lambda: drawn(source) or f'<pre class="highlight"><code>{escape(source)}</code></pre>')
    return f'<div class="diagram">{place}</div>\n'


def _math_block(token: Token, state: _State, _: _Default) -> str:
    return f'<div class="math">{_formula(token.content.strip(), state, display=True)}</div>\n'


def _math_inline(token: Token, state: _State, _: _Default) -> str:
    return f'<span class="math">{_formula(token.content.strip(), state, display=False)}</span>'


def _formula(tex: str, state: _State, *, display: bool) -> str:
    written = escape(tex)
    return state.islands.add(lambda: mathml(tex, display=display) or f"<code>{written}</code>", written)


def _list_item(token: Token, state: _State, default: _Default) -> str:
    if "checked" not in token.meta:
        return default()
    checked = " checked" if token.meta.pop("checked") else ""
    box = state.islands.add(lambda: f'<input type="checkbox" disabled{checked}>')
    return f"{default()}{box} "


def _cell(token: Token, _: _State, default: _Default) -> str:
    if style := token.attrs.pop("style", ""):
        token.attrs["align"] = str(style).removeprefix("text-align:")
    return default()


def _link(token: Token, state: _State, default: _Default) -> str:
    return default() if state.has_room_for(token) else "<a>"


def _image(token: Token, state: _State, default: _Default) -> str:
    return default() if state.has_room_for(token) else ""


def _raw_html(token: Token, state: _State, _: _Default) -> str:
    return state.raw_html.tamed(token.content)


def _footnote_caption(token: Token, _: _State, __: _Default) -> str:
    return str(token.meta["id"] + 1)


_RULES: Final[dict[str, _Rule]] = {
    "code_block": _code_block,
    "fence": _fence,
    "footnote_caption": _footnote_caption,
    "html_block": _raw_html,
    "html_inline": _raw_html,
    "image": _image,
    "link_open": _link,
    "list_item_open": _list_item,
    "math_block": _math_block,
    "math_inline": _math_inline,
    "td_open": _cell,
    "th_open": _cell,
}


def _add(parser: MarkdownIt, name: str, write: _Rule) -> None:
    """Have all tokens with this name written like this; what the parser would write itself is the default."""
    renderer = parser.renderer
    assert isinstance(renderer, RendererHTML)  # noqa: S101 - MarkdownIt's default; tells the type checker
    written = renderer.rules.get(name, renderer.renderToken)

    def rule(_: RendererHTML, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return write(tokens[idx], env["state"], lambda: str(written(tokens, idx, options, env)))

    parser.add_render_rule(name, rule)


def _bounded_footnote_ref(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the parser calls it so
    """The plugin's rule alone looks for the end of every `[^` up to the end of the paragraph."""
    return bool(_FOOTNOTE.match(state.src, state.pos)) and footnote_ref(state, silent)


def _parser() -> MarkdownIt:
    parser = MarkdownIt("gfm-like2", {"linkify": False}).disable("linkify")
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # noqa: ARG005 - the sanitizer judges
    parser.use(footnote_plugin, inline=False)
    parser.use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False, allow_blank_lines=False)
    parser.inline.ruler.at("footnote_ref", _bounded_footnote_ref)
    parser.core.ruler.after("text_join", "autolinks", link_addresses)
    for name, rule in _RULES.items():
        _add(parser, name, rule)
    return parser


_PARSER: Final = _parser()
