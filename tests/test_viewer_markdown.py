"""Documents look as GitHub shows them, whatever they hold, and take no longer than they are long."""

import gc
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_server.viewer.documents.highlighting import LANGUAGES, highlight
from mcp_server.viewer.documents.markdown import Document, gist_of, read, title_of

README = (Path(__file__).parent.parent / "README.md").read_text("utf-8")

RENDERED = [
    # name, Markdown, what is in its HTML
    ("emphasis", "*a* **b** ***c***", "<p><em>a</em> <strong>b</strong> <em><strong>c</strong></em></p>"),
    ("strikethrough", "~~a~~ and ~b~", "<p><s>a</s> and <s>b</s></p>"),
    ("line breaks", "a  \nb\\\nc\nd", "<p>a<br>\nb<br>\nc\nd</p>"),
    (
        "table",
        "|a|b|c|\n|:-|:-:|-:|\n|1|2|3|",
        '<td align="left">1</td>\n<td align="center">2</td>\n<td align="right">3',
    ),
    ("open task", "- [ ] a", '<li class="task-list-item"><input type="checkbox" disabled> a</li>'),
    ("done task", "1. [X] a", '<li class="task-list-item"><input type="checkbox" disabled checked> a</li>'),
    ("list from three", "3. a\n4. b", '<ol start="3">'),
    (
        "alert",
        "> [!WARNING]\n> a",
        '<div class="markdown-alert markdown-alert-warning">\n<p class="markdown-alert-title">',
    ),
    ("quote", "> a\n> > b", "<blockquote>\n<p>a</p>\n<blockquote>\n<p>b</p>"),
    (
        "footnote",
        "a[^x]\n\n[^x]: b",
        '<sup class="footnote-ref"><a id="user-content-fnref1" href="#user-content-fn1">1</a>',
    ),
    (
        "foot of a note",
        "a[^x]\n\n[^x]: b",
        '<li id="user-content-fn1" class="footnote-item"><p>b <a class="footnote-backref"',
    ),
    ("code in a line", "`a <b>`", "<code>a &lt;b&gt;</code>"),
    ("code", "```python\nif x: pass\n```", '<pre class="highlight"><code><span class="k">if</span>'),
    ("code of no language", "```\na < b\n```", '<pre class="highlight"><code>a &lt; b\n</code></pre>'),
    ("code of an unknown language", "```klingon\na < b\n```", '<pre class="highlight"><code>a &lt; b\n</code></pre>'),
    ("code by indent", "    a < b", '<pre class="highlight"><code>a &lt; b\n</code></pre>'),
    ("code that begins with empty lines", "```python\n\n\nx\n```", '<code>\n\n<span class="n">x</span>\n</code>'),
    ("formula in a line", "$a^2$", '<span class="math"><math display="inline">'),
    ("formula in a paragraph of its own", "$$\na^2\n$$", '<div class="math"><math display="block">'),
    ("limit of a formula of its own", "$$\\lim_x y$$", "<munder><mo>lim</mo><mi>x</mi></munder>"),
    ("limit of a formula in a line", "$\\lim_x y$", "<msub><mo>lim</mo><mi>x</mi></msub>"),
    ("formula as code", "```math\na^2\n```", '<div class="math"><math display="block">'),
    ("formula with a sign", "$a<b$", "<mo>&lt;</mo>"),
    (
        "formula in lines",
        "$$\n\\begin{aligned}a&=b\\\\c&=d\\end{aligned}\n$$",
        '<mtr><mtd columnalign="right"><mi>c</mi></mtd>',
    ),
    ("formula that cannot be read", "$\\frac{a$", "<code>\\frac{a</code>"),
    ("formula with an unknown command", "$\\nope x$", "<code>\\nope x</code>"),
    ("money", "It is $5 and $10.", "<p>It is $5 and $10.</p>"),
    ("keys", "<kbd>Ctrl</kbd>+H<sub>2</sub>O<sup>x</sup>", "<kbd>Ctrl</kbd>+H<sub>2</sub>O<sup>x</sup>"),
    ("details", "<details>\n<summary>a</summary>\n\n**b**\n\n</details>", "<p><strong>b</strong></p>\n</details>"),
    ("centred", '<p align="center">a</p>', '<p align="center">a</p>'),
    ("unclosed element", "<b>a\n\nb", "<p><b>a</b></p>\n<p>b</p>"),
    ("comment", "a <!-- b --> c", "<p>a  c</p>"),
    ("entity", "&copy; &amp; &lt;", "<p>© &amp; &lt;</p>"),
    ("front matter", "---\ntitle: a\ntags: [b]\n---\nc", "<p>c</p>"),
    ("front matter with a comment", "---\n# a\n\ntitle: b\n...\nc", "<p>c</p>"),
    ("rules around a text", "---\n\na\n\n---\n", "<hr>\n<p>a</p>\n<hr>"),
    ("byte order mark", "\ufeff# a", '<h1 id="user-content-a">a</h1>'),
    ("line ends of Windows", "a\r\n\r\nb\rc", "<p>a</p>\n<p>b\nc</p>"),
    ("script", "<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
]


@pytest.mark.parametrize(("markdown", "html"), [case[1:] for case in RENDERED], ids=[case[0] for case in RENDERED])
def test_a_document_is_shown_as_on_github(markdown: str, html: str) -> None:
    assert html in read(markdown).html


AUTOLINKS = [
    # text, the link in it, its address if that is something else
    ("see https://a.example/b.", "https://a.example/b", ""),
    ("(http://a.example/b_(c))", "http://a.example/b_(c)", ""),
    ("http://localhost:8000/x?y=1&z=2, and", "http://localhost:8000/x?y=1&z=2", ""),
    ("www.a.example!", "www.a.example", "http://www.a.example"),
    ("me+x@a.example.", "me+x@a.example", "mailto:me+x@a.example"),
    ("https://a.example에서", "https://a.example", ""),
    ("https://ko.wikipedia.org/wiki/한국", "https://ko.wikipedia.org/wiki/한국", ""),
    ("**https://a.example/b**", "https://a.example/b", ""),
]


@pytest.mark.parametrize(("text", "link", "address"), AUTOLINKS)
def test_an_address_in_the_text_is_a_link(text: str, link: str, address: str) -> None:
    html = read(text).html.replace("&amp;", "&")
    assert f'<a href="{address or link}" target="_blank" rel="noopener noreferrer nofollow">{link}</a>' in html


@pytest.mark.parametrize("text", ["README.md", "a.b", "`https://a`", "http://", "www.", "@me", "a@b", "1:2"])
def test_other_text_is_no_link(text: str) -> None:
    assert "<a" not in read(text).html


def test_a_link_is_not_made_twice() -> None:
    text = '[https://a.example](https://b.example) <https://c.example> <a href="x.md">https://d.example</a>'
    assert re.findall('<a href="([^"]*)"', read(text).html) == ["https://b.example", "https://c.example", "x.md"]


SLUGS = [
    # heading, its anchor on GitHub
    ("Hello, World!", "hello-world"),
    ("설치 방법 (Windows)", "설치-방법-windows"),
    ("a_b-c  d", "a_b-c-d"),
    ("`code` & *more*", "code--more"),
    ("C++ / C#", "c--c"),
    ("⚡ Fast", "-fast"),
    ("हिन्दी", "हिन्दी"),
    ("1. First", "1-first"),
    ("[link](a.md)", "link"),
]


@pytest.mark.parametrize(("heading", "slug"), SLUGS)
def test_a_heading_has_the_anchor_that_github_gives_it(heading: str, slug: str) -> None:
    [found] = read(f"## {heading}").headings
    assert found.anchor == f"user-content-{slug}"


def test_headings_of_one_name_have_numbers() -> None:
    headings = read("# a\n# a\n# a-1\n# a\n# a").headings
    slugs = [heading.anchor.removeprefix("user-content-") for heading in headings]
    assert slugs == ["a", "a-1", "a-1-1", "a-2", "a-3"]


def test_headings_in_html_count_too() -> None:
    document = read('<h1 align="center">My <i>Project</i></h1>\n\n## Use\n\n<h3 id="own">x</h3>')
    assert document.title == "My Project"
    assert [(heading.level, heading.anchor) for heading in document.headings] == [
        (1, "user-content-my-project"),
        (2, "user-content-use"),
        (3, "user-content-own"),
    ]


def test_links_within_a_document_lead_to_its_anchors() -> None:
    document = read('# 설치\n<a name="old"></a>\n\n[a](#설치) [b](#old) [c](b.md#part) [d](#)')
    assert 'id="user-content-설치"' in document.html
    assert 'id="user-content-old"' in document.html
    assert re.findall('href="([^"]*)"', document.html) == [
        "#user-content-%EC%84%A4%EC%B9%98",
        "#user-content-old",
        "b.md#user-content-part",
        "#",
    ]


@pytest.mark.parametrize(
    ("markdown", "title"),
    [
        ("# A **b** `c` & $d^2$", "A b c & d^2"),
        ("text\n\nA\n===\n# B", "A"),
        ("#\n## B", "B"),
        ("text", None),
        ("```\n# a\n```", None),
        ("---\ntitle: x\n---\n# y", "y"),
        ("# " + "가" * 1000, "가" * 200),
    ],
)
def test_the_title_is_the_first_heading(markdown: str, title: str | None) -> None:
    assert title_of(markdown) == read(markdown).title == title


def test_a_title_is_looked_for_in_the_beginning_only() -> None:
    assert title_of("text\n\n" * 20_000 + "# late") is None


def test_a_document_knows_what_it_refers_to() -> None:
    document = read(
        "[a](a.md) [a](a.md#x) [b](sub/나%20다.markdown?x#y) [c](../c.TXT) [d](d.pdf) [e](https://e/e.md) "
        "[f](/f.md)\n\n"
        '<a href="g.md">g</a> ![h](h.png) <img src="i%20j.svg?v=1"> ![k](https://k/k.png) `[l](l.md)`'
    )
    assert document.links == ("a.md", "sub/나 다.markdown", "../c.TXT", "g.md")
    assert document.images == ("h.png", "i j.svg")


def test_a_gist_is_what_the_whole_document_says() -> None:
    document = read(README)
    assert gist_of(README) == (document.title, document.links, document.images)


def test_a_reference_used_often_does_not_blow_a_document_up() -> None:
    document = read(f"[a]: {'x' * 10_000}.md\n\n" + "[a] " * 10_000)
    assert len(document.html) < 1_000_000
    assert document.html.count("</a>") == 10_000


def test_an_unclosed_element_does_not_blow_a_document_up() -> None:
    document = read(f"<a title='{'x' * 10_000}'>\n\n" + "text\n\n" * 10_000)
    assert len(document.html) < 1_000_000


def test_diagrams_are_images() -> None:
    pytest.importorskip("merman", reason="the extra `diagrams`")
    document = read("```mermaid\nflowchart TD\nA[시작] --> B[끝]\n```")
    assert re.search(
        r'<div class="diagram"><img alt="Mermaid" width="\d+" height="\d+" src="data:image/svg', document.html
    )


@pytest.mark.parametrize("source", ["nonsense", "", "kanban\n" + "  a\n" * 3000, "flowchart TD\n" + "A-->B\n" * 20_000])
def test_a_diagram_that_cannot_be_drawn_is_shown_as_it_is_written(source: str) -> None:
    assert "<pre" in read(f"```mermaid\n{source}\n```").html


def test_diagrams_cannot_be_drawn_without_their_extra_and_a_hint_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_server.viewer.documents.diagrams.find_spec", lambda _: None)
    html = read("```mermaid\nflowchart TD\nA\n```").html
    assert '<pre class="highlight"><code>flowchart TD' in html
    assert '<p class="hint">Mermaid: <code>pip install "strictcall[diagrams]"</code></p>' in html


NO_CODE = ['"', "'", "(", "a", "<", "\t", "a ", "\n\t"]


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_no_code_holds_a_lexer_up(language: str) -> None:
    begin = time.process_time()
    for piece in NO_CODE:
        highlight(piece * (1_000 // len(piece)), language)
    assert time.process_time() - begin < 5  # of those that are not in the list, some do not end


@pytest.mark.parametrize("language", ["lilypond", "easytrieve"])
def test_code_of_languages_that_were_not_tried_is_plain(language: str) -> None:
    assert highlight("a < b", language) == "a &lt; b"


@pytest.mark.parametrize(
    ("name", "code"),
    [("py", "if x: 1"), ("python3", "if x: 1"), ("sh", "if x; then"), ("shell", "if x; then"), ("ts", "if (x) 1"),
     ("js", "if (x) 1"), ("c++", "if (x) 1;"), ("yml", "a: b"), ("dockerfile", "FROM x"), ("ps1", "if (x) {}"),
     ("c#", "if (x) 1;"), ("rs", "if x {}")],
)  # fmt: skip
def test_languages_are_known_by_the_names_that_people_use(name: str, code: str) -> None:
    assert "<span class=" in highlight(code, name)


MARKS = st.sampled_from(
    [
        *"*_`~[]()<>!#|:-+=$\\&\"'/@.^\n\r\t \0x한\ud800\u202e\u0301",
        *("\n\n", "  \n", "> ", "- ", "1. ", "- [ ] ", "> [!NOTE]\n", "---\n", "|-|", "```", "$$", "<div>", "</div>"),
        *("<!--", "[^1]", "[^1]: ", "http://", "www.", "&#0;"),
    ]
)


@given(st.one_of(st.text(st.characters(exclude_categories=())), st.lists(MARKS, max_size=60).map("".join)))
def test_every_text_is_a_document(text: str) -> None:
    document = read(text)
    document.html.encode()
    assert isinstance(document, Document)


@pytest.mark.parametrize(
    "text",
    [
        *(mark * 10_000 for mark in ("> ", "- ", "[", "![", "*", "(", "<b>", "<div>\n\n")),
        f"${'{' * 4_000}{'}' * 4_000}$",
        f"${chr(92)}{'sqrt{' * 1_500}{'}' * 1_500}$",
        "x" * 10_485_760,
    ],
    ids=lambda text: f"{text[:6]}… {len(text)}",
)
def test_depth_and_length_do_not_matter(text: str) -> None:
    assert read(text).html


TIMES = 4
MEASURABLE = 0.02
"""Seconds."""
GROWING: list[tuple[str, Callable[[int], str]]] = [
    ("open brackets", lambda n: "[" * n),
    ("brackets", lambda n: "[" * n + "a" + "]" * n),
    ("links", lambda n: "[a](" * n),
    ("links in angles", lambda n: "[a](<b" * n),
    ("link titles", lambda n: '[a](b "' * n),
    ("references", lambda n: "[a][" * n),
    ("images", lambda n: "![[]()" * n),
    ("open images", lambda n: "![" * n),
    ("definitions", lambda n: "".join(f"[a{i}]: b\n" for i in range(n))),
    ("definitions with open titles", lambda n: "[a]: b\n'" * n),
    ("uses of a long definition", lambda n: "[a]: " + "x" * n + "\n\n" + "[a] " * n),
    ("emphasis", lambda n: "*a " * n),
    ("emphasis within emphasis", lambda n: "**a *" * n),
    ("emphasis of two kinds", lambda n: "*a_ " * n),
    ("emphasis in words", lambda n: "a_" * n),
    ("strikethrough", lambda n: "~~a " * n),
    ("code in a line", lambda n: "".join("a" + "`" * i for i in range(1, int(n**0.5) * 3))),
    ("unclosed code", lambda n: "`a`` " * n),
    ("angles", lambda n: "<" * n),
    ("unclosed tags", lambda n: "<a " * n),
    ("open comments", lambda n: "a <!--" * n),
    ("open instructions", lambda n: "a <?" * n),
    ("open CDATA", lambda n: "a <![CDATA[" * n),
    ("open declarations", lambda n: "a <!A " * n),
    ("open quotes", lambda n: "x <a b='" * n),
    ("attributes", lambda n: "<div " + " ".join(f"b{i}" for i in range(n)) + ">x"),
    ("elements", lambda n: "<div>" * n),
    ("elements in paragraphs", lambda n: "<details>\n\n" * n),
    ("formatting", lambda n: "<b>x<p>" * n),
    ("formatting with attributes", lambda n: "".join(f"<font color={i}>" for i in range(n)) + "<p>x" * n),
    ("formatting over paragraphs", lambda n: f"<a title='{'x' * n}'>\n\n" + "x\n\n" * n),
    ("formatting closed wrongly", lambda n: "<b><i><u></b></i>" * n),
    ("closed paragraphs", lambda n: "<b></p>" * n),
    ("tables in tables", lambda n: "<table><tr><td>" * n),
    ("lists in lists", lambda n: "<ul><li>" * n),
    ("namespaces", lambda n: "<svg><math>" * n),
    ("quotes in quotes", lambda n: "> " * n + "a\n" * n),
    ("lists", lambda n: "- a\n\n" * n),
    ("lists in lists by indent", lambda n: "".join(" " * (i % 60) + "- a\n" for i in range(n))),
    ("tasks", lambda n: "- [ ] a\n" * n),
    ("columns", lambda n: "|" + "a|" * n + "\n|" + "-|" * n + "\n|" + "a|" * n),
    ("rows", lambda n: "|a|b|\n|-|-|\n" + "|a|b|\n" * n),
    ("no table", lambda n: "a | b\n" * n),
    ("footnotes", lambda n: "".join(f"[^{i}]: b\n\n[^{i}] " for i in range(n))),
    ("uses of a footnote", lambda n: "[^1]: b\n\n" + "[^1] " * n),
    ("open footnotes", lambda n: "[^1]: b\n\n" + "[^a" * n),
    ("formulas", lambda n: "".join(f"$x_{{{i}}}$ " for i in range(n))),
    ("open formulas", lambda n: "$a " * n),
    ("formulas that cannot be read", lambda n: "$\\frac{$ " * n),
    ("money", lambda n: "a $1 " * n),
    ("addresses", lambda n: "http://a." * n),
    ("an address", lambda n: "http://" + "a." * n),
    ("an address with brackets", lambda n: "http://a/" + ".)" * n),
    ("schemes", lambda n: "mailto:" * n),
    ("mails", lambda n: "a@b." * n),
    ("no mail", lambda n: "a." * n + "@"),
    ("entities", lambda n: "&#" * n),
    ("backslashes", lambda n: "\\" * n),
    ("headings", lambda n: "# a\n" * n + "# a-1\n" * n),
    ("heading", lambda n: "# a" + " #" * n),
    ("lines", lambda n: "a\n" * n + "---"),
    ("fences", lambda n: "```\n" * n),
    ("spaces", lambda n: "a" + " " * n + "b"),
    ("unclosed front matter", lambda n: "---\na: b\n" + "c: d\n" * n),
    ("comments in front matter", lambda n: "---\n" + "#a\n" * n),
    ("code with brackets", lambda n: "```python\n" + "((" * n + "\n```"),
    ("code with tags", lambda n: "```html\n" + "<a " * n + "\n```"),
]


@pytest.mark.parametrize("make", [make for _, make in GROWING], ids=[name for name, _ in GROWING])
def test_time_grows_with_the_length_not_with_its_square(make: Callable[[int], str]) -> None:
    size = 250
    while seconds(make(size)) < MEASURABLE and size < 50_000:
        size *= 2
    for _ in range(3):  # others use the processor too
        ratio = seconds(make(size * TIMES)) / max(seconds(make(size)), MEASURABLE)
        if ratio < TIMES * 2:  # with the square of the length, it would be TIMES * TIMES
            return
    pytest.fail(f"{TIMES} times the length took {ratio:.1f} times as long")


def seconds(text: str) -> float:
    gc.disable()  # it would look at what other tests have left behind
    start = time.process_time()
    read(text)
    taken = time.process_time() - start
    gc.enable()
    return taken
