"""Whatever a document holds, its HTML has nothing that runs, loads, or passes for a part of the page."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygments.token import STANDARD_TYPES
from viewer_attacks import ATTACKS

from mcp_server.viewer.documents.islands import Islands
from mcp_server.viewer.documents.markdown import read

TAGS = set(
    """
    a abbr b bdi bdo big blockquote br caption center cite code col colgroup dd del details dfn div dl dt em figcaption
    figure font h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark nobr ol p pre q rp rt ruby s samp section small span
    strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr
    math menclose mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt
    mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none
    """.split()  # noqa: SIM905 - words read better than a list of them
)
ATTRIBUTES = set(
    """
    align alt checked class colspan dir disabled height href id lang open rel reversed rowspan scope span src start
    target title type valign value width
    accent columnalign columnlines columnspacing depth display displaystyle fence form largeop linethickness lspace
    mathcolor mathvariant maxsize minsize movablelimits notation rowlines rowspacing rspace scriptlevel separator
    stretchy symmetric voffset
    """.split()  # noqa: SIM905 - likewise
)
CLASSES = {name for name in STANDARD_TYPES.values() if name} | set(
    """
    contains-task-list diagram footnote-backref footnote-item footnote-ref footnotes footnotes-list footnotes-sep
    highlight hint markdown-alert markdown-alert-caution markdown-alert-important markdown-alert-note
    markdown-alert-tip markdown-alert-title markdown-alert-warning math remote-image task-list-item
    """.split()  # noqa: SIM905 - likewise
)
BESIDE = re.compile(r"(?![/\\])(?!\w[\w+.-]*:)[^\t\n\r]*")
OUTSIDE = re.compile(r"(?:https?|mailto):", re.IGNORECASE)
PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]", re.IGNORECASE)


class Judge(HTMLParser):
    """Says what is wrong with a document's HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.wrong: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.expect(tag in TAGS, f"<{tag}>")
        self.expect(len(attributes) == len(attrs), f"<{tag}> with an attribute twice")
        for name in attributes:
            self.expect(name in ATTRIBUTES, f"<{tag} {name}>")
        self.expect(set(attributes.get("class", "").split()) <= CLASSES, f"<{tag} class={attributes.get('class')}>")
        if "id" in attributes:
            self.expect(attributes["id"].startswith("user-content-"), f"<{tag} id={attributes['id']}>")
        if "src" in attributes:
            fits = BESIDE.fullmatch(attributes["src"]) or PICTURE.match(attributes["src"])
            self.expect(tag == "img" and bool(fits), f"<{tag} src={attributes['src']}>")
        if "href" in attributes:
            self.judge_link(tag, attributes)
        if tag == "input":
            self.expect(attributes.keys() - {"checked"} == {"type", "disabled"}, f"<input {attributes}>")
            self.expect(attributes.get("type") == "checkbox", f"<input {attributes}>")

    def judge_link(self, tag: str, attributes: dict[str, str]) -> None:
        if OUTSIDE.match(attributes["href"]):
            apart = {"target": "_blank", "rel": "noopener noreferrer nofollow"}
            self.expect(apart.items() <= attributes.items(), f"a link that is not apart: {attributes}")
        else:
            self.expect(bool(BESIDE.fullmatch(attributes["href"])), f"<{tag} href={attributes['href']}>")
            self.expect("target" not in attributes, f"a link with a target: {attributes}")

    def handle_comment(self, data: str) -> None:
        self.wrong.append(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        self.wrong.append(f"<!{decl}>")

    def unknown_decl(self, data: str) -> None:
        self.wrong.append(f"<![{data}]>")

    def handle_pi(self, data: str) -> None:
        self.wrong.append(f"<?{data}>")

    def expect(self, holds: bool, what: str) -> None:
        if not holds:
            self.wrong.append(what)


@pytest.mark.parametrize("markdown", [markdown for _, markdown in ATTACKS], ids=[name for name, _ in ATTACKS])
def test_an_attack_leaves_nothing_behind(markdown: str) -> None:
    assert not Judge(read(markdown).html).wrong


def test_the_judge_sees_what_is_wrong() -> None:
    evil = [text for name, text in ATTACKS if "<" in text and "code" not in name]
    overlooked = [text for text in evil if not Judge(text).wrong]
    assert len(overlooked) < len(evil) / 5  # some are evil only as Markdown


PIECES = st.sampled_from(
    [piece for _, attack in ATTACKS for piece in re.split(r"(?<=[>\n])|(?=[<\n])", attack[:500])]
    + ["\n\n", "```\n", "$", "$$\n", "> ", "- [ ] ", "|a|\n|-|\n", "`", "[x](", ")", '"', "'", ">", "<!--", "-->"]
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_no_mixture_of_attacks_leaves_anything_behind(markdown: str) -> None:
    assert not Judge(read(markdown).html).wrong


def test_a_document_cannot_forge_what_we_put_in_ourselves() -> None:
    html = read('$x$ <span id="user-content-0">a</span><span class="k">b</span><input type=checkbox checked>').html
    assert html.count("<math") == 1
    assert "input" not in html
    assert '<span class="k">' not in html


def test_nobody_can_know_where_we_put_something_in() -> None:
    places = {Islands().add(lambda: "x") for _ in range(100)}
    assert len(places) == 100
    assert all(len(place) > 40 for place in places)


def test_a_formula_within_an_attribute_does_not_break_out_of_it() -> None:
    html = read("<div title='\n\n$\\text{\" onclick=\"alert(1)}$\n\n'>x</div>").html
    assert "<math" not in html
    assert not Judge(html).wrong


@pytest.mark.parametrize(
    "address",
    ["https://a.example/x.png", "//a.example/x.png", "\\\\a.example\\x.png", " HTTP://a.example/x.png", "h\nttp://a/x"],
)
def test_a_remote_image_is_a_link_until_somebody_follows_it(address: str) -> None:
    html = read(f'<img src="{address}" alt="Sales">').html
    assert "<img" not in html
    assert 'class="remote-image"' in html
    assert ">Sales</a>" in html


def test_a_remote_image_within_a_link_is_its_text() -> None:
    html = read("[![build](https://a.example/badge.svg)](https://b.example)").html
    assert 'href="https://b.example"' in html
    assert '<span class="remote-image">build</span></a>' in html
    assert "badge.svg" not in html


@pytest.mark.parametrize("kind", ["png", "jpeg", "gif", "webp", "avif", "svg+xml"])
def test_an_image_may_be_within_its_address(kind: str) -> None:
    assert f'<img src="data:image/{kind};base64,AAAA"' in read(f"![x](data:image/{kind};base64,AAAA)").html
