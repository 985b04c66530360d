"""What is seen from outside: the log, headers, counters, pages, and the lists of models (M1, M2, M3)."""

import json
import logging
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fake_server import MODEL, Hang, Reset, Status, Wait, done, line
from prometheus_client.parser import text_string_to_metric_families
from running import CALL, TOOLS, USER, FakeServer, Proxy, proxy
from serving import at_rest, served

from proxy.exchange import Exchange, JsonLines
from proxy.upstream.demo.app import make_app

SECRETS = ("Find a ferry", "find_ferry", "Coll", "s3cret")
"""What is said, and must not be logged."""


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    with FakeServer() as one:
        yield one


@pytest.fixture(scope="module")
def one(server: FakeServer) -> Iterator[Proxy]:
    with proxy(f"box={server.url}") as found:
        yield found


@pytest.fixture
def log(one: Proxy, caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    at_rest(one.url)
    caplog.set_level(logging.INFO, "strictcall")
    return caplog


def requests_in(log: pytest.LogCaptureFixture) -> list[Exchange]:
    return [record.exchange for record in log.records if hasattr(record, "exchange")]


# ---- the log


@pytest.mark.parametrize("stream", [True, False])
def test_a_request_is_one_line_with_all_that_matters(
    server: FakeServer, one: Proxy, log: pytest.LogCaptureFixture, stream: bool
) -> None:
    server.says("Sure. ", CALL.replace("}\n<", ",}\n<"))
    one.post(tools=TOOLS, stream=stream)
    at_rest(one.url)
    (record,) = log.records
    words = record.getMessage().split()
    assert words[:5] == ["/v1/chat/completions", "fake", "strict", "upstream=box", "200"]
    assert [word.partition("=")[0] for word in words[5:]][1:] == ["first", "calls", "dialect", "repairs"]
    assert {"calls=1", "dialect=hermes"} < set(words)
    facts = json.loads(JsonLines().format(record))
    assert facts.keys() == {
        *("time", "level", "path", "model", "mode", "upstream", "stream", "status", "calls", "repairs", "prompt_tools"),
        *("context", "error", "first_ms", "duration_ms"),
    }
    assert facts["calls"] == [{"dialect": "hermes", "outcome": "complete"}]
    assert facts["stream"] is stream
    assert 0 <= facts["first_ms"] <= facts["duration_ms"]
    assert not [secret for secret in SECRETS if secret in record.getMessage() + json.dumps(facts)]


def test_what_goes_wrong_is_in_the_line(server: FakeServer, one: Proxy, log: pytest.LogCaptureFixture) -> None:
    server.plays(line("x"), line(CALL[:60]), Reset())
    one.post(tools=TOOLS, stream=True)
    server.plays(Status(500, b'{"error":"Coll is out of memory"}'))
    one.post()
    one.client.post(f"{one.url}/v1/chat/completions", content=b'{"model": "s3cret')
    server.says(CALL[:60], reason="length")
    one.post(tools=TOOLS)
    at_rest(one.url)
    said = [str(exchange) for exchange in requests_in(log)]
    assert "cut=yes error=upstream_died" in said[0]
    assert " 502 " in said[1]
    assert "error=upstream_failed" in said[1]
    assert "error=bad_request" in said[2]
    assert "cut=yes" in said[3]
    assert not [secret for secret in SECRETS if secret in log.text]


@pytest.mark.parametrize("model", ["a\nb", "a\r\nb", "a\x1b[31mb", "a\u2028b", "a b", "x" * 5000])
def test_no_name_can_forge_a_line(server: FakeServer, one: Proxy, log: pytest.LogCaptureFixture, model: str) -> None:
    server.says("Hello.")
    for path in ("/v1/chat/completions", "/v1/embeddings"):
        one.post(path, model=model)
    one.client.get(f"{one.url}/api/x%1b[31m%e2%80%a8y")
    at_rest(one.url)
    assert len(log.records) == 3
    for record in log.records:
        message = record.getMessage()
        assert message.isprintable()
        assert len(message) < 500
        assert message.split()[2] in {"strict", "off"}


def test_a_client_that_leaves_is_in_the_log(server: FakeServer, one: Proxy, log: pytest.LogCaptureFixture) -> None:
    server.plays(line("x"), Hang())
    said = {"model": "fake", "messages": USER, "stream": True}
    with httpx.stream("POST", f"{one.url}/v1/chat/completions", json=said) as answer:
        assert next(answer.iter_raw())
    assert server.chats[-1].left.wait(10)
    at_rest(one.url)
    (exchange,) = requests_in(log)
    assert exchange.status == 499
    assert not [record for record in log.records if record.exc_info]


def test_a_server_that_ends_its_answer_late_changes_nothing(
    server: FakeServer, one: Proxy, log: pytest.LogCaptureFixture
) -> None:
    """S15: the body ends with the answer; what the model server does then is not the client's."""
    server.plays(line("x"), done(), Hang())
    assert one.post(stream=True).text.endswith("data: [DONE]\n\n")
    assert server.chats[-1].left.wait(10)
    at_rest(one.url)
    assert [exchange.status for exchange in requests_in(log)] == [200]


# ---- headers


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/api/chat", "/off/v1/chat/completions", "/v1/embeddings"])
def test_headers_tell_upstream_and_mode(server: FakeServer, one: Proxy, path: str, stream: bool) -> None:
    server.says("Hello.")
    got = one.post(path, stream=stream, tools=TOOLS)
    assert got.headers["x-strictcall-upstream"] == "box"
    assert got.headers["x-strictcall-mode"] == ("off" if "/off/" in path or "embed" in path else "strict")


def test_no_proxy_may_hold_a_stream_back(server: FakeServer, one: Proxy) -> None:
    server.says("Hello.")
    headers = one.post(stream=True).headers
    assert (headers["cache-control"], headers["x-accel-buffering"]) == ("no-cache", "no")


def test_headers_of_a_whole_answer_tell_how_it_was_read(server: FakeServer, one: Proxy) -> None:
    server.says(CALL.replace("}\n<", ",}\n<"))
    whole = one.post(tools=TOOLS)
    assert whole.headers["x-strictcall-dialect"] == "hermes"
    assert "trailing-comma" in whole.headers["x-strictcall-repairs"].split(",")


def test_errors_have_the_headers_too(server: FakeServer, one: Proxy) -> None:
    server.plays(Status(500, b"{}"))
    got = one.post()
    assert (got.status_code, got.headers["x-strictcall-upstream"]) == (502, "box")


# ---- counters


def counted(one: Proxy) -> dict[tuple[str, tuple[str, ...]], float]:
    got = one.client.get(f"{one.url}/metrics")
    assert got.headers["content-type"].startswith("text/plain; version=0.0.4")
    return {
        (sample.name, tuple(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(got.text)
        for sample in family.samples
    }


def test_requests_calls_and_repairs_are_counted(server: FakeServer) -> None:
    with proxy(f"box={server.url}") as one:
        server.says(CALL.replace("}\n<", ",}\n<"), "\n", CALL)
        one.post(tools=TOOLS)
        server.says(CALL[:70], reason="length")
        one.post(tools=TOOLS, stream=True)
        one.post("/off/v1/chat/completions")
        server.plays(Status(500, b"{}"))
        one.post()
        at_rest(one.url)
        seen = counted(one)
    assert seen["strictcall_requests_total", ("strict", "200", "box")] == 2
    assert seen["strictcall_requests_total", ("off", "200", "box")] == 1
    assert seen["strictcall_requests_total", ("strict", "502", "box")] == 1
    assert seen["strictcall_calls_total", ("hermes", "complete")] == 2
    assert seen["strictcall_calls_total", ("hermes", "cut")] == 1
    assert seen["strictcall_repairs_total", ("trailing-comma",)] == 1
    assert seen["strictcall_running", ()] == 0
    assert seen["strictcall_duration_seconds_count", ()] == 4
    assert seen["strictcall_first_token_seconds_count", ()] >= 2


def test_answers_under_way_are_counted(server: FakeServer, one: Proxy) -> None:
    server.plays(line("x"), Hang())
    said = {"model": "fake", "messages": USER, "stream": True}
    with httpx.stream("POST", f"{one.url}/v1/chat/completions", json=said) as answer:
        for _ in answer.iter_raw():
            assert counted(one)["strictcall_running", ()] == 1
            break


def test_a_client_cannot_make_new_counters(server: FakeServer) -> None:
    """Names of models, paths and errors are made up by clients; each new one would stay for ever."""
    with proxy(server.url) as one:
        server.says("Hello.")
        before = len(counted(one))
        one.post()
        at_rest(one.url)
        first = len(counted(one))
        for number in range(5):
            one.post(model=f"m{number}")
            one.post(f"/api/x{number}")
        at_rest(one.url)
        assert before < first == len(counted(one))


# ---- health


def test_health_is_of_the_process_and_readiness_of_the_servers(server: FakeServer, one: Proxy) -> None:
    assert one.client.get(f"{one.url}/healthz").json() == {"status": "ok"}
    assert one.client.head(f"{one.url}/healthz").status_code == 200
    got = one.client.get(f"{one.url}/readyz")
    assert (got.status_code, got.json()) == (200, {"status": "ok", "upstreams": {"box": "ok"}})
    with proxy("gone=http://127.0.0.1:9", f"box={server.url}") as two:
        got = two.client.get(f"{two.url}/readyz")
        assert (got.status_code, got.json()["upstreams"]["box"]) == (200, "ok")
        assert "http://127.0.0.1:9" in got.json()["upstreams"]["gone"]
    with proxy("gone=http://127.0.0.1:9") as none:
        assert none.client.get(f"{none.url}/healthz").status_code == 200
        got = none.client.get(f"{none.url}/readyz")
        assert (got.status_code, got.json()["status"]) == (503, "unavailable")


# ---- the page


def test_the_page_says_what_to_paste_and_which_models_there_are(server: FakeServer, one: Proxy) -> None:
    got = one.client.get(f"{one.url}/")
    assert got.headers["content-type"] == "text/html; charset=utf-8"
    for part in (f"{one.url}/v1", MODEL, server.url, "answers", "curl"):
        assert part in got.text
    assert one.client.head(f"{one.url}/").status_code == 200


def test_no_name_can_put_anything_into_the_page() -> None:
    evil = "<script>alert(1)</script>\"'&"
    with FakeServer() as server, proxy(f"<b>={server.url}/<i>", f"x={server.openai_url}") as one:
        server.models = [evil]
        text = one.client.get(f"{one.url}/").text
        assert not [part for part in ("<script>", "<b>", "<i>") if part in text]
        assert "&lt;script&gt;" in text


# ---- models


@pytest.fixture(scope="module")
def many() -> Iterator[tuple[Proxy, FakeServer, FakeServer, FakeServer]]:
    """Two servers of Ollama's form, one of OpenAI's; the names overlap."""
    with FakeServer() as first, FakeServer() as second, FakeServer() as third:
        first.models = ["both:latest", "one:latest"]
        second.models = ["both:latest", "two:7b", "org/two"]
        third.models = ["three", "lab/inner"]
        for found in (first, second, third):
            found.says("Hello.")
        with proxy(f"a={first.url}", f"b={second.url}", f"lab={third.openai_url}") as one:
            yield one, first, second, third


def test_models_of_all_servers_are_one_list(many: tuple[Proxy, FakeServer, FakeServer, FakeServer]) -> None:
    """M1."""
    one, *_ = many
    found = one.client.get(f"{one.url}/v1/models").json()
    assert found["object"] == "list"
    listed = [(model["id"], model["owned_by"]) for model in found["data"]]
    both = [("both:latest", "a"), ("one:latest", "a"), ("two:7b", "b"), ("org/two", "b")]
    assert listed == [*both, ("three", "lab"), ("lab/inner", "lab")]
    for model in found["data"]:
        assert model.keys() == {"id", "object", "created", "owned_by"}
        assert (model["object"], type(model["created"])) == ("model", int)
    assert one.client.get(f"{one.url}/shell/v1/models").json() == found, "under the name of a mode, too"


@pytest.mark.parametrize(
    ("name", "owner"),
    [("both", "a"), ("both:latest", "a"), ("b/both", "b"), ("two:7b", "b"), ("org/two", "b"), ("lab/three", "lab")],
)
def test_a_model_can_be_looked_up_by_any_of_its_names(
    many: tuple[Proxy, FakeServer, FakeServer, FakeServer], name: str, owner: str
) -> None:
    one, *_ = many
    found = one.client.get(f"{one.url}/v1/models/{name}").json()
    assert (found["id"], found["object"], found["owned_by"]) == (name, "model", owner)


def test_an_unknown_model_is_not_found(many: tuple[Proxy, FakeServer, FakeServer, FakeServer]) -> None:
    one, *_ = many
    got = one.client.get(f"{one.url}/v1/models/four")
    assert (got.status_code, got.json()["error"]["code"]) == (404, "model_not_found")


def test_ollamas_list_has_the_models_of_all_servers(many: tuple[Proxy, FakeServer, FakeServer, FakeServer]) -> None:
    """M2: Void looks here every five seconds."""
    one, *_ = many
    tags = one.client.get(f"{one.url}/api/tags").json()["models"]
    names = ["both:latest", "one:latest", "two:7b", "org/two", "three", "lab/inner"]
    assert [tag["name"] for tag in tags] == names
    assert all(tag["model"] == tag["name"] and "digest" in tag for tag in tags)


@pytest.mark.parametrize(
    ("model", "at", "known_as"),
    [
        ("both", 1, "both"),
        ("b/both", 2, "both"),
        ("one", 1, "one"),
        ("two:7b", 2, "two:7b"),
        ("org/two", 2, "org/two"),
        ("three", 3, "three"),
        ("lab/three", 3, "three"),
        ("lab/lab/inner", 3, "lab/inner"),
        ("lab/three@strict", 3, "three"),
    ],
)
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/embeddings"])
def test_the_name_of_a_model_chooses_its_server(
    many: tuple[Proxy, FakeServer, FakeServer, FakeServer], path: str, model: str, at: int, known_as: str
) -> None:
    one, *servers = many
    before = [len(server.requests) for server in servers]
    got = one.post(path, model=model)
    assert got.status_code == 200
    asked = [
        request
        for server, count in zip(servers, before, strict=True)
        for request in server.requests[count:]
        if request.method == "POST" and request.path != "/api/show"
    ]
    assert [request.body["model"] for request in asked] == [known_as]
    assert servers[at - 1].requests[-1] is asked[0]
    assert got.headers["x-strictcall-upstream"] == ("a", "b", "lab")[at - 1]


def test_a_model_that_arrives_later_is_found(many: tuple[Proxy, FakeServer, FakeServer, FakeServer]) -> None:
    one, _, second, _ = many
    assert one.post(model="new").status_code == 404
    second.models.append("new:latest")
    assert one.post(model="new").status_code == 200


# ---- what is passed on


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/version", None),
        ("GET", "/api/ps?all=1&x=%20y", None),
        ("GET", "/api/a%20b/%ED%95%9C/c%2Fd", None),
        ("POST", "/api/show", {"model": "fake", "verbose": True}),
        ("POST", "/api/generate", {"model": "fake", "prompt": "def f(", "suffix": ")", "raw": True}),
        ("POST", "/api/embed", {"model": "fake", "input": ["a", "연차"]}),
        ("POST", "/v1/completions", {"model": "fake", "prompt": "def f(", "suffix": ")", "max_tokens": 9}),
        ("POST", "/v1/embeddings", {"model": "fake", "input": "x", "encoding_format": "base64"}),
        ("DELETE", "/api/delete", {"model": "fake"}),
        ("POST", "/api/blobs/sha256:0", b"\x00\xffnot json"),
        ("HEAD", "/api/blobs/sha256:0", None),
    ],
)
def test_what_is_not_a_chat_is_passed_on_as_it_is(
    server: FakeServer, one: Proxy, method: str, path: str, body: Any
) -> None:
    """M2, M3."""
    sent: dict[str, Any] = {"content": body} if isinstance(body, bytes) else {"json": body} if body else {}
    got = one.client.request(method, one.url + path, **sent)
    asked = server.requests[-1]
    assert (asked.method, asked.path) == (method, path)
    assert asked.body == body
    assert got.status_code == (404 if "delete" in path or "blobs" in path or "?" in path or "%" in path else 200)
    if got.status_code == 200 and "embed" in path:
        assert got.json() == {"echo": body}


def test_what_is_passed_on_streams(server: FakeServer, one: Proxy) -> None:
    """Each line arrives when it was said, not when all is over."""
    goes_on = threading.Event()
    server.plays(line("one"), Wait(goes_on), line("two"), done())
    said = {"model": "fake", "messages": USER}
    with httpx.stream("POST", f"{one.url}/api/chat", json=said, timeout=20) as answer:
        pieces = answer.iter_raw()
        assert next(pieces) == line("one")
        goes_on.set()
        assert b"".join(pieces) == line("two") + done()


def test_a_request_without_a_model_goes_to_the_first_ollama(
    many: tuple[Proxy, FakeServer, FakeServer, FakeServer],
) -> None:
    one, first, _, _ = many
    assert one.client.get(f"{one.url}/api/version").json() == {"version": "0.99.0"}
    assert first.requests[-1].path == "/api/version"


def test_who_looks_for_an_ollama_finds_the_demo_models_where_there_is_no_other() -> None:
    with served(make_app()) as demo_url, proxy("http://127.0.0.1:9", demo_url=demo_url) as running:
        assert "version" in running.client.get(f"{running.url}/api/version").json()
        assert running.client.get(f"{running.url}/api/ps").json() == {"models": []}
