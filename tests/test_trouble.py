"""What clients see when a model server, or another client, misbehaves: all that was said, then an error, never silence.

E2: a failure in mid-stream is a frame with an error object, then [DONE]. S18: a client that leaves stops the model.
"""

import gzip
import json
import socket
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from fake_server import DONE, Hang, Raw, Request, Reset, Step, Wait, chunk, done, line
from hypothesis import given, settings
from hypothesis import strategies as st
from running import TOOLS, USER, FakeServer, Proxy, content_of, proxy
from serving import at_rest

from proxy.core import pipe
from proxy.core.answer import Answer
from proxy.core.emit.emitter import Ids, Label
from proxy.core.emit.openai_chat import ChatStream
from proxy.core.tools import Tools
from proxy.core.wire import ollama as ollama_wire
from proxy.core.wire import openai as openai_wire
from proxy.core.wire.parts import Wire

KEYS = (
    *("message", "content", "thinking", "tool_calls", "function", "name", "arguments", "id", "index", "done", "error"),
    *("done_reason", "eval_count", "choices", "delta", "finish_reason", "reasoning", "usage", "prompt_tokens"),
)
"""All that the protocols of model servers have names for."""
SOON = 10
"""Seconds after which a test gives up; nothing here takes one."""
LONG = 1 << 17
"""Bytes that are too many for one line, here."""
UPSTREAMS = ("ollama", "openai")
WIRES: dict[str, Wire] = {"ollama": ollama_wire, "openai": openai_wire}


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    with FakeServer() as one:
        yield one


@pytest.fixture(scope="module")
def proxies(server: FakeServer) -> Iterator[dict[str, Proxy]]:
    """One in front of each form of the server; both lose their patience soon."""
    with (
        pytest.MonkeyPatch.context() as patch,
        proxy(server.url, idle_timeout=0.3) as ollama,
        proxy(server.openai_url, idle_timeout=0.3) as openai,
    ):
        patch.setattr(pipe, "MAX_LINE", LONG)
        yield {"ollama": ollama, "openai": openai}


@pytest.fixture(params=UPSTREAMS)
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module", params=UPSTREAMS)
def patient(server: FakeServer, request: pytest.FixtureRequest) -> Iterator[Proxy]:
    """A proxy that waits for its server."""
    with proxy(server.url if request.param == "ollama" else server.openai_url) as one:
        yield one


def said(form: str, text: str) -> bytes:
    return line(text) if form == "ollama" else chunk({"content": text})


def form_of(request: Request) -> str:
    return "ollama" if request.path == "/api/chat" else "openai"


def over(form: str) -> list[bytes]:
    return [done()] if form == "ollama" else [chunk({}, "stop"), DONE]


def error_line(form: str) -> bytes:
    if form == "ollama":
        return b'{"error":"out of memory"}\n'
    return b'data: {"error":{"message":"out of memory","type":"server_error"}}\n\n'


def in_protocol(form: str, data: bytes) -> bytes:
    return data + b"\n" if form == "ollama" else b"data: " + data + b"\n\n"


def troubles(form: str) -> dict[str, tuple[Step, int, str, str]]:
    """What happens, and what the client is told: status, code, and a part of the message."""
    return {
        "the connection breaks": (Reset(), 502, "upstream_died", "broke off the answer"),
        "it closes without being done": (b"\n", 502, "upstream_died", "without saying that it was done"),
        "it hangs": (Hang(), 504, "upstream_timeout", "raise idle_timeout"),
        "it says that it failed": (error_line(form), 502, "upstream_failed", "out of memory"),
        "not JSON": (in_protocol(form, b"{nonsense"), 502, "upstream_failed", "not of its protocol"),
        "JSON of another kind": (in_protocol(form, b"[1, 2]"), 502, "upstream_failed", "not of its protocol"),
        "invalid UTF-8": (said(form, "~").replace(b"~", b"\xff\xfe"), 502, "upstream_failed", "not of its protocol"),
        "a web page": (b"<!doctype html>\n<html>busy</html>\n", 502, "upstream_failed", "not of its protocol"),
        "a number for the text": (said(form, "~").replace(b'"~"', b"7"), 502, "upstream_failed", "not of its protocol"),
        "a line without an end": (b"x" * (LONG + 1), 502, "upstream_failed", "not of its protocol"),
    }


@pytest.fixture(params=list(troubles("ollama")))
def trouble(request: pytest.FixtureRequest, form: str) -> tuple[Step, int, str, str]:
    return troubles(form)[request.param]


Trouble = tuple[Step, int, str, str]


@pytest.mark.parametrize("stream", [True, False])
def test_trouble_before_the_first_token_is_a_status(
    server: FakeServer, proxies: dict[str, Proxy], form: str, trouble: Trouble, stream: bool
) -> None:
    step, status, code, message = trouble
    server.plays(b"\n", step)
    got = proxies[form].post(stream=stream)
    error = got.json()["error"]
    assert (got.status_code, error["code"]) == (status, code)
    assert message in error["message"]


def test_trouble_in_mid_stream_is_an_error_frame_behind_what_was_said(
    server: FakeServer, proxies: dict[str, Proxy], form: str, trouble: Trouble
) -> None:
    step, _, code, message = trouble
    server.plays(said(form, "Hello"), said(form, ", <tool_ca"), step)
    *chunks, last = proxies[form].stream(tools=TOOLS)
    assert content_of(chunks) == "Hello, <tool_ca", "what was held back is said, too"
    assert all(choice["finish_reason"] is None for chunk in chunks for choice in chunk["choices"])
    error = last["error"]
    assert (error["code"], error["type"], error["param"]) == (code, "api_error", None)
    assert message in error["message"]


def test_trouble_in_a_whole_answer_is_a_status(
    server: FakeServer, proxies: dict[str, Proxy], form: str, trouble: Trouble
) -> None:
    step, status, code, _ = trouble
    server.plays(said(form, "Hello"), step)
    got = proxies[form].post(tools=TOOLS)
    assert (got.status_code, got.json()["error"]["code"]) == (status, code)


def test_a_call_in_mid_stream_is_left_as_it_was_sent(
    server: FakeServer, proxies: dict[str, Proxy], form: str, trouble: Trouble
) -> None:
    step, _, code, _ = trouble
    server.plays(said(form, '<tool_call>{"name": "find_ferry", "arguments": {"to": "Co'), step)
    *chunks, last = proxies[form].stream(tools=TOOLS)
    calls = [call for one in chunks for choice in one["choices"] for call in choice["delta"].get("tool_calls", ())]
    assert "".join(call["function"]["arguments"] for call in calls) == '{"to":"Co'
    assert all(choice["finish_reason"] is None for one in chunks for choice in one["choices"])
    assert last["error"]["code"] == code


@pytest.mark.parametrize("tools", [TOOLS, []], ids=["read", "passed on"])
def test_ollamas_clients_hear_of_trouble_in_their_own_form(
    server: FakeServer, proxies: dict[str, Proxy], tools: list[dict[str, Any]]
) -> None:
    server.plays(line("Hello"), Reset())
    got = proxies["ollama"].post("/api/chat", tools=tools)
    *lines, last = [json.loads(one) for one in got.text.splitlines()]
    assert "".join(one["message"]["content"] for one in lines) == "Hello"
    assert "broke off the answer" in last["error"]


def test_a_stream_that_is_passed_on_does_not_end_as_if_it_were_whole(
    server: FakeServer, proxies: dict[str, Proxy], form: str
) -> None:
    server.plays(chunk({"content": "Hello"}), Reset())
    first, error = proxies[form].stream("/off/v1/chat/completions")
    assert content_of([first]) == "Hello"
    assert error["error"]["code"] == "upstream_died"


def test_a_whole_answer_that_is_passed_on_and_breaks_off_breaks_off(
    server: FakeServer, proxies: dict[str, Proxy], form: str
) -> None:
    server.plays(Raw(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"))
    with pytest.raises(httpx.RemoteProtocolError):
        proxies[form].post("/off/v1/chat/completions")


@pytest.mark.parametrize("media_type", [b"text/event-stream", b"application/x-ndjson"])
def test_a_stream_with_a_length_breaks_off_without_more_than_was_announced(
    server: FakeServer, proxies: dict[str, Proxy], caplog: pytest.LogCaptureFixture, media_type: bytes
) -> None:
    server.plays(Raw(b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nContent-Length: 20\r\n\r\n{" % media_type))
    with pytest.raises(httpx.RemoteProtocolError):
        proxies["ollama"].post("/off/v1/chat/completions")
    assert "Traceback" not in caplog.text


def test_an_encoding_that_nobody_asked_for_is_passed_on_with_its_name(
    server: FakeServer, proxies: dict[str, Proxy]
) -> None:
    packed = gzip.compress(b'{"a": 1}')
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
    server.plays(Raw(head % len(packed) + packed))
    assert proxies["ollama"].post("/off/v1/chat/completions").json() == {"a": 1}


def test_an_answer_that_was_finished_is_whole_however_its_stream_ends(
    server: FakeServer, proxies: dict[str, Proxy]
) -> None:
    server.plays(chunk({"content": "Hello"}), chunk({}, "stop"), Reset())
    chunks = proxies["openai"].stream()
    assert content_of(chunks) == "Hello"
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop"


def test_a_server_that_points_elsewhere_is_an_error_that_says_where(
    server: FakeServer, proxies: dict[str, Proxy], form: str
) -> None:
    server.plays(Raw(b"HTTP/1.1 301 Moved\r\nLocation: https://there/api/chat\r\nContent-Length: 0\r\n\r\n"))
    got = proxies[form].post(stream=True)
    assert got.status_code == 502
    assert "https://there/api/chat" in got.json()["error"]["message"]


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/api/generate"])
def test_a_compressed_body_is_refused_with_the_fix(proxies: dict[str, Proxy], path: str) -> None:
    one, packed = proxies["ollama"], gzip.compress(b'{"model": "fake", "messages": []}')
    got = one.client.post(one.url + path, content=packed, headers={"content-encoding": "gzip"})
    assert got.status_code == 415
    assert "send it as it is" in got.text


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=12,
)


@pytest.mark.parametrize("form", UPSTREAMS)
@settings(max_examples=60, deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(KEYS), json_values, max_size=6) | json_values, max_size=4))
def test_no_line_of_a_server_is_beyond_us(form: str, values: list[Any]) -> None:
    read = pipe.Pipe(
        WIRES[form], Answer(Tools.of(TOOLS), ()), ChatStream(Label("1", 1, "m"), Ids(lambda: "c"), usage=True)
    )
    for value in values:
        read.feed(in_protocol(form, json.dumps(value).encode()))
    read.finish()
    read.end()


# ---- before the head of the response


def test_a_server_that_is_not_there_is_named_with_the_fix(form: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        gone = f"http://127.0.0.1:{taken.getsockname()[1]}"
    with proxy(gone if form == "ollama" else f"{gone}/v1") as one:
        for stream in (True, False):
            got = one.post(stream=stream, tools=TOOLS)
            error = got.json()["error"]
            assert (got.status_code, error["code"]) == (502, "upstream_down")
            assert gone in error["message"]
            assert "--upstream" in error["message"]


@pytest.mark.parametrize("path", ["/v1/models", "/api/tags", "/", "/readyz"])
def test_a_server_that_hangs_does_not_take_the_others_with_it(server: FakeServer, path: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        hung = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with proxy(f"a={hung}/v1", f"b={hung}", server.url, connect_timeout=1) as one:
            got = httpx.get(one.url + path, timeout=SOON)
            assert got.status_code == 200
            assert "fake:latest" in got.text or path == "/readyz"


def test_what_is_no_http_at_all_is_an_error_of_the_server(
    server: FakeServer, proxies: dict[str, Proxy], form: str
) -> None:
    server.plays(Raw(b"SSH-2.0-OpenSSH_9.6\r\n"))
    got = proxies[form].post()
    assert (got.status_code, got.json()["error"]["code"]) == (502, "upstream_died")


def test_a_kept_connection_that_has_gone_stale_is_replaced(
    server: FakeServer, proxies: dict[str, Proxy], form: str
) -> None:
    server.says("Hello.")
    proxies[form].post()
    at_rest(proxies[form].url)
    before = len(server.chats)
    server.plays_once(Reset())
    got = proxies[form].post(stream=True)
    assert got.status_code == 200
    assert len(server.chats) == before + 2


def test_a_kept_connection_that_breaks_in_the_head_of_an_answer_is_not_replaced(
    server: FakeServer, proxies: dict[str, Proxy], form: str
) -> None:
    server.says("Hello.")
    proxies[form].post()
    at_rest(proxies[form].url)
    before = len(server.chats)
    server.plays_once(Raw(b"HTTP/1.1 200 OK\r\nContent-"))
    assert proxies[form].post().status_code == 502
    assert len(server.chats) == before + 1


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("first", [b"\n", None])
def test_a_request_is_never_sent_again_after_the_first_byte_of_its_answer(
    server: FakeServer, proxies: dict[str, Proxy], form: str, stream: bool, first: bytes | None
) -> None:
    before = len(server.chats)
    server.plays(first or said(form, "Hello"), Reset())
    proxies[form].post(stream=stream)
    assert len(server.chats) == before + 1


@pytest.mark.parametrize("begun", [False, True], ids=["before the head", "in mid-answer"])
def test_a_server_that_is_given_up_on_may_stop(
    server: FakeServer, proxies: dict[str, Proxy], form: str, begun: bool
) -> None:
    server.plays(*([said(form, "Hello")] if begun else []), Hang())
    assert proxies[form].post().status_code == 504
    assert server.chats[-1].left.wait(SOON)


# ---- clients


def leave(proxy: Proxy, body: dict[str, Any], arrived: threading.Event, *, path: str, read: bytes = b"") -> None:
    """Send a request, read until `read` has come or the server was asked, and be gone."""
    data = json.dumps({"model": "fake", "messages": USER} | body).encode()
    host = proxy.url.removeprefix("http://")
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(data)}\r\n\r\n"
    name, _, port = host.partition(":")
    with socket.create_connection((name, int(port)), timeout=SOON) as client:
        client.sendall(head.encode() + data)
        assert arrived.wait(SOON)
        got = b""
        while read not in got:
            got += client.recv(4096)


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/off/v1/chat/completions"])
@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("spoken", [False, True], ids=["before the first token", "in mid-stream"])
def test_a_client_that_leaves_stops_the_model(
    server: FakeServer, patient: Proxy, path: str, stream: bool, spoken: bool
) -> None:
    """S18."""
    arrived = threading.Event()

    def script(request: Request) -> Iterable[Step]:
        if spoken:
            yield said(form_of(request), "Hello")
        arrived.set()
        yield Hang()

    server.answers(script)
    leave(patient, {"stream": stream}, arrived, path=path, read=b"Hello" if spoken and stream else b"")
    assert server.chats[-1].left.wait(SOON)


def test_a_client_that_does_not_read_stops_the_server_from_writing(server: FakeServer, patient: Proxy) -> None:
    """What is under way is bounded by buffers of the system and ours, not by what the model says."""
    piece, most = "x" * 10_000, 200_000_000
    sent = 0
    all_sent = threading.Event()

    def script(request: Request) -> Iterable[Step]:
        nonlocal sent
        data = said(form_of(request), piece)
        while sent < most:
            sent += len(data)
            yield data
        all_sent.set()

    server.answers(script)
    body = json.dumps({"model": "fake", "messages": USER, "stream": True}).encode()
    host = patient.url.removeprefix("http://")
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(SOON)
        client.connect(("127.0.0.1", int(host.partition(":")[2])))
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n\r\n"
        client.sendall(head.encode() + body)
        assert client.recv(1)
        seen = -1
        while seen != sent and not all_sent.wait(0.5):  # until it gets no further
            seen = sent
        assert sent < most / 4  # what the sockets of four ends hold, which the kernel may stretch to megabytes each
    assert server.chats[-1].left.wait(SOON)


def test_streams_at_the_same_time_do_not_mix(server: FakeServer, patient: Proxy) -> None:
    """All are under way before one goes on, then each says its own."""
    many = 200
    all_here = threading.Event()
    here = iter(range(1, many + 1))

    def script(request: Request) -> Iterable[Step]:
        number = request.body["messages"][0]["content"]
        form = form_of(request)
        yield said(form, f"{number}:")
        if next(here) == many:
            all_here.set()
        yield Wait(all_here)
        for at in range(20):
            yield said(form, f" {number}.{at}")
        yield from over(form)

    server.answers(script)

    def ask(number: int) -> str:
        return content_of(patient.stream(messages=[{"role": "user", "content": str(number)}]))

    with ThreadPoolExecutor(many) as clients:
        answers = list(clients.map(ask, range(many)))
    assert answers == [f"{one}:" + "".join(f" {one}.{at}" for at in range(20)) for one in range(many)]


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/embeddings"])
def test_a_body_that_is_announced_too_large_is_refused_unread(patient: Proxy, path: str) -> None:
    host = patient.url.removeprefix("http://")
    with socket.create_connection(("127.0.0.1", int(host.partition(":")[2])), timeout=SOON) as client:
        client.sendall(f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 99999999999\r\n\r\n".encode())
        assert client.recv(4096).startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize("announced", [True, False], ids=["by its length", "by what arrives"])
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/api/chat", "/v1/embeddings", "/api/generate"])
def test_a_body_that_is_too_large_is_refused(server: FakeServer, announced: bool, path: str) -> None:
    body = json.dumps({"model": "fake", "messages": USER, "prompt": "x" * 2000}).encode()
    pieces = (body[at : at + 100] for at in range(0, len(body), 100))
    before = len(server.chats)
    with proxy(server.url, max_body=1000) as one:
        got = httpx.post(one.url + path, content=body if announced else pieces, timeout=SOON)
        assert got.status_code == 413
        assert "max_body" in got.text
        assert got.headers["x-should-retry"] == "false"
    assert len(server.chats) == before
