"""What a document cannot do to its page, and what a page of another origin cannot do to a window."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from browsing import Browser, browser
from viewer_attacks import ATTACKS
from viewing import Viewer, viewer

pytestmark = pytest.mark.xdist_group("browser")
TELLTALES = """
for (const name of ["alert", "confirm", "prompt", "print"]) window[name] = () => (window.ran = name);
"""
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>parent.ran = "svg"</script></svg>'


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as one:
        one.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": TELLTALES})
        yield one


@pytest.fixture(name="page")
def fresh_page(chromium: Browser) -> Browser:
    chromium.begin()
    return chromium


@pytest.fixture(scope="module", name="app")
def served_pages() -> Iterator[Viewer]:
    with viewer() as one:
        yield one


@pytest.fixture(name="evil")
def page_of_another_origin() -> Iterator[str]:
    with elsewhere() as url:
        yield url


@contextmanager
def elsewhere() -> Iterator[str]:
    """Another web server on this machine: its pages are of the same site, and of another origin."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Empty)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Empty(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>evil</title>")

    def log_message(self, *_: Any) -> None:
        pass


def assert_harmless(page: Browser, app: Viewer) -> None:
    assert page.script("window.ran") is None
    leading = page.script("return [...document.querySelectorAll('article [href]')].map(one => one.protocol)")
    assert set(leading) <= {"http:", "https:", "mailto:"}
    asked = [url for url in page.requests() if not url.startswith((f"http://127.0.0.1:{app.port}/", "data:", "ws:"))]
    assert not asked


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in ATTACKS])
def test_a_document_runs_nothing_and_asks_nobody(chromium: Browser, app: Viewer, text: str) -> None:
    chromium.open(app.url(app.open(f"시작\n\n{text}")))
    chromium.sees("시작")
    assert_harmless(chromium, app)


def test_an_update_runs_nothing_and_asks_nobody(page: Browser, app: Viewer) -> None:
    window = app.open("처음")
    page.open(app.url(window))
    for number, (_, text) in enumerate(ATTACKS):
        app.update(window, f"시작 {number}\n\n{text}")
        page.holds(f"document.querySelector('article p').textContent === '시작 {number}'")
    assert_harmless(page, app)


def test_an_image_runs_nothing_even_as_a_page(page: Browser, app: Viewer, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("![](a.svg)", "utf-8")
    (tmp_path / "a.svg").write_text(SVG.replace("parent.ran", "window.ran"), "utf-8")
    url = app.url(app.open(file=tmp_path / "a.md"))
    page.open(url)
    page.holds("document.querySelector('img').naturalWidth === 9")
    page.open(url + "a.svg")
    assert page.script("window.ran") is None
    assert httpx.get(url + "a.svg").headers["content-security-policy"].startswith("sandbox; default-src 'none'")


def test_pointing_at_a_link_asks_nobody_for_its_host(app: Viewer, tmp_path: Path) -> None:
    log = tmp_path / "net.json"
    with browser(f"--log-net-log={log}") as page:
        page.open(app.url(app.open("[link](https://what-the-model-saw.example)")))
        point_at_the_link(page)
        page.click("#pin-button")
        page.holds("documentPictureInPicture.window.document.querySelector('article a')")
        page.driver.switch_to.window(page.driver.window_handles[-1])
        point_at_the_link(page)
    assert "/w/" in log.read_text("utf-8")
    assert "what-the-model-saw" not in log.read_text("utf-8")


def point_at_the_link(page: Browser) -> None:
    page.point_at("article a")
    page.holds("document.querySelector('article a').matches(':hover')")


ATTEMPTS = {
    "fetch": "fetch(url).then(answer => answer.text())",
    "fetch without asking": "fetch(url, { mode: 'no-cors' }).then(answer => answer.text())",
    "frame": """new Promise((done) => {
        const frame = document.createElement("iframe");
        frame.onload = () => done(frame.contentDocument && frame.contentDocument.body.textContent);
        frame.src = url;
        document.body.append(frame);
    })""",
    "script": """new Promise((done, fail) => {
        const script = document.createElement("script");
        [script.onload, script.onerror, script.src] = [() => done("loaded"), fail, url];
        document.body.append(script);
    })""",
    "image": """new Promise((done, fail) => {
        const image = new Image();
        [image.onload, image.onerror, image.src] = [() => done("loaded"), fail, url + "a.svg"];
    })""",
    "socket": """new Promise((done, fail) => {
        const socket = new WebSocket(url.replace("http", "ws") + "~live");
        [socket.onopen, socket.onclose] = [() => done("open"), fail];
    })""",
    "popup": """new Promise((done, fail) => {
        const popup = open(url);
        setInterval(() => popup.closed && fail(), 20);
        setTimeout(() => new Promise(() => done(popup.document.body.textContent)).catch(fail), 1000);
    })""",
}


@pytest.mark.parametrize("way", ATTEMPTS)
def test_a_page_of_another_origin_learns_nothing(
    page: Browser, app: Viewer, evil: str, tmp_path: Path, way: str
) -> None:
    (tmp_path / "a.md").write_text("![](a.svg) 비밀", "utf-8")
    (tmp_path / "a.svg").write_text(SVG, "utf-8")
    window = app.open(file=tmp_path / "a.md")
    page.open(evil)
    code = f"const [url, done] = arguments; {ATTEMPTS[way]}.then(got => done(got ?? ''), () => done(''))"
    got = page.driver.execute_async_script(code, app.url(window))
    assert not got, got


def test_a_page_of_another_origin_drives_nothing(page: Browser, app: Viewer, evil: str) -> None:
    window = app.open("글")
    page.open(evil)
    page.script("return void (window.popup = open(arguments[0]))", app.url(window))
    page.driver.switch_to.window(page.driver.window_handles[-1])
    page.sees("글")
    assert page.script("opener") is None
    page.driver.switch_to.window(page.driver.window_handles[0])
    page.holds("popup.closed")
    page.script("return void (popup.location = 'about:blank', popup.close(), popup.postMessage('x', '*'))")
    page.driver.switch_to.window(page.driver.window_handles[-1])
    app.update(window, "글은 그대로다")
    page.sees("글은 그대로다")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "http://127.0.0.1:{port}"}, 200),
        ({"Host": "localhost:{port}"}, 200),
        ({"Host": "evil.example:{port}"}, 403),
        ({"Host": "127.0.0.1"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "http://localhost:{port}"}, 403),
        ({"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}, 200),
        ({"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 200),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, 403),
    ],
)
def test_only_our_own_pages_may_ask(app: Viewer, headers: dict[str, str], status: int) -> None:
    named = {name: value.format(port=app.port) for name, value in headers.items()}
    answer = httpx.get(app.url(app.open("글")), headers=named)
    assert answer.status_code == status
    assert ("글" in answer.text) == (status == 200)


@pytest.mark.parametrize(
    "path", ["", "none.md", "a.toml", "../../static/x/viewer.css", "../../static/x/nothing", "../x/"]
)
def test_every_answer_says_what_a_browser_may_do_with_it(app: Viewer, path: str) -> None:
    answer = httpx.get(app.url(app.open("글")) + path)
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self'; style-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-dns-prefetch-control"] == "off"
    assert (
        answer.headers["cross-origin-resource-policy"] == answer.headers["cross-origin-opener-policy"] == "same-origin"
    )
    assert "access-control-allow-origin" not in answer.headers
    assert ("immutable" if path.endswith("css") else "no-store") in answer.headers["cache-control"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_pages_are_only_asked_for(app: Viewer, method: str) -> None:
    window = app.open("글")
    assert httpx.request(method, app.url(window)).status_code == 405
    assert httpx.head(app.url(window)).status_code == 200


def test_a_page_says_nothing_of_its_token_to_others(app: Viewer) -> None:
    window = app.open("글 <https://example.com>")
    ticket = app.do(app.pages.ticket, window)
    answer = httpx.get(ticket)
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/w/{window.token}/"
    assert window.token not in ticket
    assert httpx.get(ticket).status_code == 404
    assert json.dumps(window.token) not in httpx.get(app.url(window) + "none.md").text.partition("<article")[2]


ASKS = """
import os, socket, sys
user, family, host, port, path = sys.argv[1:]
os.setuid(int(user))
asked = socket.socket(getattr(socket, family))
asked.connect((host, int(port)))
asked.sendall(f"GET {path} HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\nConnection: close\\r\\n\\r\\n".encode())
print(asked.makefile().read())
"""


@pytest.mark.skipif(sys.platform != "linux" or os.getuid() != 0, reason="only root can be another user")
@pytest.mark.parametrize("way", [("AF_INET", "127.0.0.1"), ("AF_INET6", "::ffff:127.0.0.1")])
def test_an_address_on_a_command_line_leads_no_other_user_to_the_window(app: Viewer, way: tuple[str, str]) -> None:
    window = app.open("글")
    path = urlsplit(app.do(app.pages.ticket, window)).path

    def asked_by(user: int) -> str:
        command = [sys.executable, "-c", ASKS, str(user), *way, str(app.port), path]
        return subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout

    assert asked_by(65534).startswith("HTTP/1.1 404")
    assert f"location: /w/{window.token}/" in asked_by(0)
