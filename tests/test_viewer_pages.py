"""What is seen of the viewer's pages, in a real browser."""

import gc
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import ESCAPE, TAB, Browser, browser
from serving import until
from viewing import Viewer, viewer

from mcp_server.viewer.pages.readings import Reading
from mcp_server.viewer.windows import Window

pytestmark = pytest.mark.xdist_group("browser")
LONG = "# 보고서\n\n" + "".join(f"## {number}장\n\n문단 {number}은 읽을 만하다.\n\n" for number in range(1, 81))
PIXEL = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="#2f5fd0"/></svg>'
)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as one:
        yield one


@pytest.fixture(name="page")
def fresh_page(chromium: Browser) -> Browser:
    chromium.begin()
    return chromium


@pytest.fixture(name="app")
def served_pages() -> Iterator[Viewer]:
    with viewer() as one:
        yield one


@pytest.fixture(name="book")
def documents(tmp_path: Path) -> Path:
    (tmp_path / "부록").mkdir()
    files = {
        "README.md": "# 책\n\n[첫 장](one.md), [부록](부록/tables.md#둘째)\n\n![그림](pixel.svg)\n",
        "one.md": "# 첫 장\n\n[돌아가기](README.md)\n" + LONG,
        "부록/tables.md": "# 부록\n\n![그림](../pixel.svg)\n\n" + "글\n\n" * 80 + "## 둘째\n\n" + "글\n\n" * 80,
        "pixel.svg": PIXEL,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path / "README.md"


def scroll(page: Browser) -> float:
    return float(page.script("scrollY"))


def top_of(page: Browser, text: str) -> float:
    """How far below the top of the window the block with this text begins."""
    return float(
        page.script(
            "return [...document.querySelectorAll('article > *')]"
            ".find(one => one.textContent.startsWith(arguments[0])).getBoundingClientRect().top",
            text,
        )
    )


def test_a_window_shows_its_document(page: Browser, app: Viewer) -> None:
    window = app.open("# 안녕\n\n**굵은** 글과 `코드`.\n\n| 가 | 나 |\n|---|--:|\n| 1 | 2 |\n", title="인사")
    page.open(app.url(window))
    page.sees("굵은 글과 코드.")
    assert page.text("h1") == "안녕"
    assert page.driver.title == page.text("#title") == "인사"
    assert page.script("document.documentElement.lang") == "ko"
    assert not page.problems()


def test_an_update_is_seen_without_a_reload_or_a_jump(page: Browser, app: Viewer) -> None:
    window = app.open(LONG)
    page.open(app.url(window))
    page.script("return void (window.before = true, scrollTo(0, 3000))")
    seen = "문단 40은"
    before = top_of(page, seen)
    app.update(
        window, LONG.replace("# 보고서", "# 새 보고서\n\n머리말.\n\n머리말이 자란다.") + "끝.\n", title="새 제목"
    )
    page.sees("끝.")
    assert page.script("window.before")
    assert abs(top_of(page, seen) - before) < 2
    assert scroll(page) > 3000
    assert page.driver.title == page.text("#title") == "새 제목"
    assert "새 보고서" in page.text("#contents")
    assert not page.problems()


def test_what_has_not_changed_is_left_as_it_is(page: Browser, app: Viewer) -> None:
    text = "첫째\n\n<details><summary>더</summary>\n\n속\n\n</details>\n\n가운데\n\n끝\n"
    window = app.open(text)
    page.open(app.url(window))
    page.click("article summary")
    page.script("return void getSelection().selectAllChildren(document.querySelector('article > p:last-child'))")
    app.update(window, text.replace("첫째", "처음").replace("가운데", "사이\n\n그리고 하나 더"))
    page.sees("그리고 하나 더")
    assert page.text().split() == ["처음", "더", "속", "사이", "그리고", "하나", "더", "끝"]
    assert page.script("document.querySelector('article details').open")
    assert page.script("String(getSelection())") == "끝"
    app.update(window, "끝\n")
    until(lambda: page.text() == "끝")


def test_what_was_opened_or_shut_stays_so_while_it_is_written(page: Browser, app: Viewer) -> None:
    text = "<details><summary>하나</summary>속 0</details>\n\n<details open><summary>둘</summary>속 0</details>\n"
    window = app.open(text)
    page.open(app.url(window))
    page.click("details:first-of-type summary")
    page.click("details:last-of-type summary")
    app.update(window, text.replace("속 0", "속 1"))
    page.sees("속 1")
    assert page.script("[...document.querySelectorAll('article details')].map((one) => one.open)") == [True, False]


def test_a_file_is_shown_as_it_is_now(page: Browser, app: Viewer, book: Path) -> None:
    page.open(app.url(app.open(file=book)))
    page.sees("첫 장")
    book.write_text("# 책\n\n다시 쓴 글", "utf-8")
    page.sees("다시 쓴 글")
    elsewhere = book.rename(book.with_suffix(".kept"))
    page.sees("파일을 찾을 수 없습니다", "#gone")
    page.sees("다시 쓴 글")
    elsewhere.rename(book)
    until(lambda: not page.shows("#gone"))
    book.unlink()
    page.sees("파일을 찾을 수 없습니다", "#gone")
    book.write_text("# 책\n\n돌아온 글", "utf-8")
    page.sees("돌아온 글")
    assert not page.shows("#gone")


def test_links_open_in_place_and_back_and_forward_go_where_one_was(page: Browser, app: Viewer, book: Path) -> None:
    page.open(app.url(app.open(file=book)))
    page.script("return void (window.before = true)")
    page.click("article a[href='one.md']")
    page.sees("80장")
    assert page.driver.current_url.endswith("/one.md")
    assert page.driver.title == page.text("#title") == page.text("#tree [aria-current]") == "첫 장"
    page.script("return void scrollTo(0, 2500)")
    page.holds("history.state && history.state.index > 0")
    place = top_of(page, "문단 30은")
    page.script("return void document.querySelector('#tree a').click()")
    page.sees("부록")
    assert scroll(page) == 0
    page.driver.back()
    page.sees("80장")
    until(lambda: abs(top_of(page, "문단 30은") - place) < 2)
    page.driver.forward()
    until(lambda: page.text("h1") == "책")
    page.script("return void document.querySelector('article a[href*=tables]').click()")
    until(lambda: page.text("h1") == "부록")
    until(lambda: 0 < top_of(page, "둘째") < 120)
    assert page.script("window.before")
    assert not page.problems()


def test_a_link_back_to_the_opened_document_leads_to_its_own_address(page: Browser, app: Viewer, book: Path) -> None:
    window = app.open(file=book)
    page.open(app.url(window) + "one.md")
    page.click("article a[href='README.md']")
    until(lambda: page.text("h1") == "책")
    assert page.driver.current_url == app.url(window)
    assert page.text("#tree [aria-current]") == "책"


def test_the_tree_is_unfolded_down_to_what_is_shown(page: Browser, app: Viewer, tmp_path: Path) -> None:
    for number in range(60):  # three links of each lead on
        links = "".join(f"[{to}]({to}.md) " for to in range(3 * number + 1, 3 * number + 4) if to < 60)
        (tmp_path / f"{number}.md").write_text(f"# 문서 {number}\n\n{links}", "utf-8")
    window = app.open(file=tmp_path / "0.md")
    page.open(app.url(window))
    assert page.text("#tree").split("\n") == ["문서 0", "문서 1", "문서 2", "문서 3"]
    place = page.script("document.querySelector('#document').getBoundingClientRect().x")
    page.script("return void document.querySelector('#tree a[href$=\"/40.md\"]').click()")
    until(lambda: page.text("#tree [aria-current]") == "문서 40")
    assert page.script("document.querySelector('#document').getBoundingClientRect().x") == place
    page.resize(1280, 200)
    page.open(app.url(window) + "39.md")
    page.holds("document.querySelector('#tree [aria-current]').getBoundingClientRect().bottom < innerHeight")


def test_what_is_opened_in_a_window_is_seen_from_any_document_of_it(page: Browser, app: Viewer, book: Path) -> None:
    window = app.open(file=book)
    page.open(app.url(window))
    page.click("article a[href='one.md']")
    page.sees("80장")
    app.update(window, "# 다른 글")
    page.sees("다른 글")
    assert page.driver.current_url == app.url(window)


def test_a_document_that_was_gone_to_is_watched_as_well(page: Browser, app: Viewer, book: Path) -> None:
    page.open(app.url(app.open(file=book)))
    page.click("#tree a[href$='one.md']")
    page.sees("80장")
    (book.parent / "one.md").write_text("# 첫 장\n\n짧아졌다", "utf-8")
    page.sees("짧아졌다")


def test_images_beside_the_document_are_shown(page: Browser, app: Viewer, book: Path) -> None:
    page.open(app.url(app.open(file=book)))
    page.holds("document.querySelector('article img').naturalWidth === 40")
    page.click("#tree a[href$='tables.md']")
    until(lambda: page.text("h1") == "부록")
    page.holds("document.querySelector('article img').naturalWidth === 40")


def test_the_columns_of_a_formula_meet(page: Browser, app: Viewer) -> None:
    page.open(app.url(app.open("$$\\begin{aligned} f(x) &= 1 \\\\ g(x) + h(x) &= 2 \\end{aligned}$$")))
    last = "[...document.querySelectorAll('mtd:first-child > :last-child')]"
    first, second = page.script(f"{last}.map((one) => one.getBoundingClientRect().right)")
    assert abs(first - second) < 1


def test_a_heading_in_the_contents_is_gone_to_and_marked(page: Browser, app: Viewer) -> None:
    page.open(app.url(app.open(LONG)))
    assert page.text("#contents").splitlines()[:3] == ["보고서", "1장", "2장"]
    page.click("#contents li:nth-child(6) a")
    page.holds("scrollY > 100")
    until(lambda: page.text("#contents [aria-current]") == "5장")
    page.press("]")
    until(lambda: page.text("#contents [aria-current]") == "6장")
    page.press("[", "[")
    until(lambda: page.text("#contents [aria-current]") == "4장")
    page.driver.back()
    until(lambda: scroll(page) == 0)


def test_two_windows_are_two_documents(page: Browser, app: Viewer) -> None:
    one, other = app.open("하나"), app.open("둘")
    page.open(app.url(one))
    first = page.driver.current_window_handle
    page.tab(app.url(other))
    app.update(one, "하나 더")
    app.update(other, "둘 더")
    page.sees("둘 더")
    page.driver.switch_to.window(first)
    page.sees("하나 더")


def test_a_page_that_opened_by_a_ticket_opens_once(page: Browser, app: Viewer) -> None:
    window = app.open("표 한 장")
    ticket = app.do(app.pages.ticket, window)
    assert window.token not in ticket
    page.open(ticket)
    page.sees("표 한 장")
    assert page.driver.current_url == app.url(window)
    page.tab(ticket)
    page.sees("이미 쓰인 주소입니다")


def test_dark_is_what_the_system_says_until_somebody_chooses(page: Browser, app: Viewer) -> None:
    def paper() -> int:
        return int(re.findall(r"\d+", page.script("getComputedStyle(document.body).backgroundColor"))[0])

    window = app.open("글")
    page.open(app.url(window))
    assert paper() > 200
    page.media(prefers_color_scheme="dark")
    assert paper() < 60
    other = page.driver.current_window_handle
    page.tab(app.url(window))
    page.press("d")
    until(lambda: paper() < 60)
    page.driver.refresh()
    assert paper() < 60
    page.driver.switch_to.window(other)
    page.media(prefers_color_scheme="light")
    until(lambda: paper() < 60)


def test_a_narrow_window_keeps_contents_and_documents_in_drawers(page: Browser, app: Viewer, book: Path) -> None:
    page.resize(480, 680)
    page.open(app.url(app.open(file=book)) + "one.md")
    assert not page.shows("#tree")
    assert not page.shows("#contents")
    assert page.script("document.documentElement.scrollWidth <= innerWidth")
    page.click("#contents-button")
    assert page.shows("#contents")
    page.click("#contents li:nth-child(9) a")
    page.holds("scrollY > 100")
    assert not page.shows("#contents")
    page.press("s")
    assert page.shows("#tree")
    page.press(ESCAPE)
    assert not page.shows("#tree")
    page.click("#documents-button")
    page.click("#tree a[href$='tables.md']")
    until(lambda: page.text("h1") == "부록")
    assert not page.shows("#tree")


def test_a_drawer_stays_as_it_is_while_headings_are_added(page: Browser, app: Viewer) -> None:
    window = app.open("# 하나\n\n## 둘\n\n## 셋\n")
    page.resize(480, 680)
    page.open(app.url(window))
    page.press("t", TAB, TAB)
    assert page.script("document.activeElement.textContent") == "셋"
    app.update(window, "# 하나\n\n## 사이\n\n## 둘\n\n## 셋\n\n## 넷\n")
    page.sees("넷", "#contents")
    assert page.script("document.activeElement.textContent") == "셋"


def test_a_wide_window_has_columns_that_can_be_shut(page: Browser, app: Viewer, book: Path) -> None:
    page.open(app.url(app.open(file=book)) + "one.md")
    assert page.shows("#tree")
    assert page.shows("#contents")
    page.press("t", "s")
    assert not page.shows("#tree")
    assert not page.shows("#contents")
    page.strike("KeyT", "ㅅ")
    until(lambda: page.shows("#contents"))


def test_paper_shows_the_document_alone(page: Browser, app: Viewer, book: Path) -> None:
    page.media(prefers_color_scheme="dark")
    page.open(app.url(app.open(file=book)) + "one.md")
    page.media("print", prefers_color_scheme="dark")
    assert not any(map(page.shows, ("header", "#tree", "#contents")))
    assert page.script("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.shows("article h1")


def test_a_wide_table_fits_on_paper(page: Browser, app: Viewer) -> None:
    row = f"|{' column_name |' * 14}\n"
    page.resize(700, 900)
    page.open(app.url(app.open(row + f"|{'---|' * 14}\n" + row)))
    page.media("print")
    assert page.script("document.documentElement.scrollWidth <= innerWidth")


def test_keys_are_explained(page: Browser, app: Viewer) -> None:
    page.open(app.url(app.open("글")))
    page.press("?")
    until(lambda: page.shows("#help"))
    assert "이전 제목" in page.text("#help")
    page.press(ESCAPE)
    until(lambda: not page.shows("#help"))
    page.click("#keys-button")
    page.click("#close-button")
    assert not page.shows("#help")
    page.click("#keys-button")
    page.click_at(5, 5)
    until(lambda: not page.shows("#help"))


def test_code_can_be_copied(page: Browser, app: Viewer) -> None:
    page.open(app.url(app.open("```python\nprint('복사')\n```\n")))
    page.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite"]})
    page.script("return void document.querySelector('.copy').click()")
    page.sees("복사됨", ".copy")
    assert (
        page.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])").strip() == "print('복사')"
    )


def test_the_pin_is_the_same_on_all_pages_of_a_window(page: Browser, app: Viewer) -> None:
    window = app.open("글")
    page.open(app.url(window))
    first = page.driver.current_window_handle
    page.script("return void Object.defineProperty(window, 'documentPictureInPicture', { value: null })")
    page.press("p")
    until(lambda: window.pinned)
    page.tab(app.url(window))
    page.holds("document.getElementById('pin-button').ariaPressed === 'true'")
    page.press("p")
    until(lambda: not window.pinned)
    page.driver.switch_to.window(first)
    page.holds("document.getElementById('pin-button').ariaPressed === 'false'")


def test_a_pinned_document_floats_above_other_windows_and_comes_back(page: Browser, app: Viewer) -> None:
    window = app.open(LONG)
    page.open(app.url(window))
    page.click("#pin-button")
    page.holds("documentPictureInPicture.window")
    until(lambda: window.pinned)
    assert page.shows("#floating")
    floating = "documentPictureInPicture.window.document"
    page.holds(f"{floating}.querySelector('article h1').textContent === '보고서'")
    app.update(window, "# 떠 있는 글")
    page.holds(f"{floating}.querySelector('article h1').textContent === '떠 있는 글'")
    page.click("#unpin")
    page.sees("떠 있는 글")
    until(lambda: not window.pinned)
    assert not page.shows("#floating")


def test_closing_ends_the_page(page: Browser, app: Viewer) -> None:
    window = app.open("글")
    page.open(app.url(window))
    page.sees("글")
    app.do(app.windows.close, window)
    page.sees("닫힌 창입니다", "#closed")
    page.driver.refresh()
    page.sees("닫힌 창입니다")


def test_a_window_whose_page_is_gone_is_closed(page: Browser, app: Viewer) -> None:
    kept, left = app.open("남는다"), app.open("떠난다")
    page.open(app.url(left))
    page.sees("떠난다")
    page.open(app.url(kept))
    until(lambda: list(app.windows) == [kept])
    for _ in range(3):
        page.driver.refresh()
        page.sees("남는다")
    assert list(app.windows) == [kept]


def test_a_page_that_follows_stays_at_the_end_until_its_reader_scrolls_up(page: Browser, app: Viewer) -> None:
    at_end = "document.documentElement.scrollHeight - innerHeight - scrollY < 2"
    window = app.open(LONG, follow=True)
    page.open(app.url(window))
    page.holds(at_end)
    for number in range(3):
        app.update(window, LONG + "더\n\n" * 30 * number + f"줄 {number}\n")
        page.sees(f"줄 {number}")
        page.holds(at_end)
    assert page.shows("#writing")
    page.script("return void scrollBy(0, -600)")
    here = scroll(page)
    app.update(window, LONG + "더\n\n" * 60 + "끝\n")
    page.sees("끝")
    assert scroll(page) == here


def test_a_page_outlives_the_app_and_goes_on_when_it_is_back(page: Browser) -> None:
    with viewer() as first:
        window = first.open("이전 글")
        page.open(first.url(window))
        page.sees("이전 글")
    page.sees("연결이 끊겼습니다", "#away")
    page.sees("이전 글")
    with viewer(first.port) as second:
        window.content, window.listeners = "다음 글", set()
        window.version += 1
        second.do(second.windows.add, window)
        page.sees("다음 글")
        assert not page.shows("#away")


def test_troubles_are_pages_too(page: Browser, app: Viewer, book: Path) -> None:
    window = app.open(file=book)
    page.open(app.url(window))
    page.open(app.url(window) + "nothing.md")
    page.sees("문서를 찾을 수 없습니다")
    assert page.text("#tree").splitlines()[0] == "책"
    assert not page.shows("#tree [aria-current]")
    (book.parent / "nothing.md").write_text("# 이제 있다", "utf-8")
    page.sees("이제 있다")
    page.open(app.url(window) + "secrets.toml")
    page.sees("열 수 없습니다\nMarkdown 문서(.md, .markdown, .txt)와 그림만 볼 수 있습니다.\nsecrets.toml")
    page.open(app.url(window) + "unused.png")
    page.sees("문서에 들어 있는 그림만 볼 수 있습니다.")
    page.open(app.url(app.open("글")) + "other.md")
    page.sees("이 창은 파일이 아니라 글을 보여 줍니다.")
    page.open(f"http://127.0.0.1:{app.port}/w/nobody/")
    page.sees("닫힌 창입니다")


def test_pages_speak_english_to_whom_does(page: Browser) -> None:
    with viewer() as app:
        page.driver.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": {"Accept-Language": "en-GB,ko;q=0.5"}})
        try:
            page.open(app.url(app.open("글")) + "none.md")
            page.sees("This cannot be opened")
        finally:
            page.driver.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": {}})


def test_a_hundred_updates_of_a_large_document_leave_the_last_and_nothing_else(page: Browser, app: Viewer) -> None:
    window = app.open(large(0))
    page.driver.execute_cdp_cmd("Performance.enable", {})
    page.open(app.url(window))
    page.script("return void (window.before = true)")
    nodes, heap, _ = kept(page)

    def is_flat() -> bool:
        """Whether nothing is kept of what was shown before; what is thrown away may stay for a moment."""
        nodes_now, heap_now, readings = kept(page)
        return nodes_now < nodes * 1.5 and heap_now < heap * 1.5 + 5_000_000 and readings == 1

    for numbers in (range(1, 51), range(51, 101)):
        update_often(page, app, window, numbers)
        until(is_flat)
    assert page.script("window.before")
    app.update(window, "살아 있다")
    until(lambda: page.text() == "살아 있다")
    assert not page.problems()


def large(number: int) -> str:
    """A document of a million bytes; its beginning, its middle and its end are different each time."""
    parts = [f"## {part}절\n\n**굵은** 글과 `코드`가 있는 문단이 이어진다. {'글 ' * 180}\n\n" for part in range(1300)]
    parts[650] = f"가운데 {number}\n\n"
    return f"# 보고서 {number}\n\n{''.join(parts)}끝 {number}\n"


def update_often(page: Browser, app: Viewer, window: Window, numbers: range) -> None:
    for number in numbers:
        app.update(window, large(number))
    page.holds(f"document.querySelector('article').lastElementChild.textContent === '끝 {numbers[-1]}'")


def kept(page: Browser) -> tuple[float, float, int]:
    """Nodes and bytes that the page keeps, and documents that the app does."""
    page.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
    measured = page.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    page_keeps = {one["name"]: one["value"] for one in measured}
    gc.collect()
    readings = sum(isinstance(one, Reading) and len(one.document.html) > 100_000 for one in gc.get_objects())
    return page_keeps["Nodes"], page_keeps["JSHeapUsedSize"], readings
