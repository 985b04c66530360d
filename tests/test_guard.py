"""Who may ask, and what everybody else is told: OpenAI's error object with the right status, never a traceback.

E1: the form of errors; a permanent fault is never one that clients repeat. Q4: any key, where none is wanted.
"""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from running import TOOLS, USER, FakeServer, Proxy, proxy

from proxy.settings import BadSetting, load

PAGE = "https://app.example"
BODY = {"model": "fake", "messages": USER}


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    with FakeServer() as one:
        yield one


@pytest.fixture(scope="module")
def plain(server: FakeServer) -> Iterator[Proxy]:
    with proxy(server.url) as one:
        yield one


@pytest.fixture(scope="module")
def guarded(server: FakeServer) -> Iterator[Proxy]:
    with proxy(server.url, api_key="s3cret") as one:
        yield one


@pytest.fixture(scope="module")
def shared(server: FakeServer) -> Iterator[Proxy]:
    """Allows a page and a name."""
    with proxy(server.url, cors_origins=(PAGE,), allowed_hosts=("box.local",)) as one:
        yield one


def error_of(got: httpx.Response, status: int) -> dict[str, Any]:
    """The error object, after a look at its form (E1)."""
    assert got.status_code == status, got.text
    assert got.headers["content-type"] == "application/json"
    error: dict[str, Any] = got.json()["error"]
    assert error.keys() == {"message", "type", "param", "code"}
    assert error["message"]
    assert error["type"]
    assert "Traceback" not in error["message"]
    return error


# ---- names


@pytest.mark.parametrize("host", ["localhost:8787", "127.0.0.1", "LOCALHOST", "[::1]:8787", "127.0.0.1:1"])
def test_this_machine_has_several_names(plain: Proxy, host: str) -> None:
    assert plain.post(headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8787", "[", "a b", ""]
)
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/models", "/api/tags", "/", "/healthz"])
def test_a_name_that_somebody_points_here_is_refused(plain: Proxy, host: str, path: str) -> None:
    error = error_of(plain.client.get(plain.url + path, headers={"Host": host}), 403)
    assert error["code"] == "host_not_allowed"
    assert "allowed_hosts" in error["message"]


def test_a_name_can_be_allowed(shared: Proxy) -> None:
    assert shared.post(headers={"Host": "Box.local:8787"}).status_code == 200


# ---- pages


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost.evil.example"]
)
def test_a_page_from_elsewhere_is_refused(server: FakeServer, plain: Proxy, origin: str) -> None:
    before = len(server.chats)
    error = error_of(plain.post(headers={"Origin": origin}), 403)
    assert f"--cors-origin {origin}" in error["message"]
    assert len(server.chats) == before


def test_our_own_page_may_ask(plain: Proxy) -> None:
    assert plain.post(headers={"Origin": plain.url}).status_code == 200


def test_a_page_that_was_named_may_ask_and_read_the_answer(shared: Proxy) -> None:
    got = shared.post(headers={"Origin": PAGE})
    assert got.status_code == 200
    assert got.headers["access-control-allow-origin"] == PAGE
    assert got.headers["access-control-expose-headers"] == "*"
    assert got.headers["vary"] == "origin"
    asked = {"Origin": PAGE, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-one"}
    preflight = shared.client.options(f"{shared.url}/v1/chat/completions", headers=asked)
    assert preflight.status_code == 204
    assert preflight.headers["access-control-allow-origin"] == PAGE
    assert preflight.headers["access-control-allow-headers"] == "x-one"
    assert "POST" in preflight.headers["access-control-allow-methods"]


def test_a_page_that_was_not_named_gets_no_preflight(plain: Proxy, shared: Proxy) -> None:
    for one in (plain, shared):
        got = one.client.options(f"{one.url}/v1/chat/completions", headers={"Origin": "https://evil.example"})
        error_of(got, 403)
        assert "access-control-allow-origin" not in got.headers


def test_without_a_page_there_is_nothing_about_pages(plain: Proxy, shared: Proxy) -> None:
    for one in (plain, shared):
        assert not [name for name in one.post().headers if name.startswith("access-control")]


def test_every_page_can_be_allowed(server: FakeServer) -> None:
    with proxy(server.url, cors_origins=("*",)) as one:
        got = one.post(headers={"Origin": "https://any.example"})
        assert got.headers["access-control-allow-origin"] == "https://any.example"


def test_a_preflight_needs_no_key_but_the_request_does(server: FakeServer) -> None:
    """A browser sends no key with the first and wants to read why the second was refused."""
    with proxy(server.url, api_key="s3cret", cors_origins=(PAGE,)) as one:
        assert one.client.options(f"{one.url}/v1/models", headers={"Origin": PAGE}).status_code == 204
        refused = one.post(headers={"Origin": PAGE})
        assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (401, PAGE)


# ---- keys


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Bearer"},
        {"Authorization": "s3cret"},
        {"Authorization": "Bearer s3cre"},
        {"Authorization": "Bearer s3cret2"},
        {"x-api-key": "wrong"},
        {"x-api-key": ""},
    ],
)
@pytest.mark.parametrize(
    "path", ["/v1/chat/completions", "/v1/models", "/api/tags", "/api/pull", "/metrics", "/", "/no"]
)
def test_a_wrong_key_is_refused(server: FakeServer, guarded: Proxy, headers: dict[str, str], path: str) -> None:
    before = len(server.requests)
    error = error_of(guarded.client.get(guarded.url + path, headers=headers), 401)
    assert error["code"] == "invalid_api_key"
    assert "s3cret" not in error["message"]
    assert len(server.requests) == before


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer s3cret"},
        {"authorization": "bearer  s3cret"},
        {"x-api-key": "s3cret"},
        {"Authorization": "Bearer", "x-api-key": "s3cret"},
    ],
)
def test_the_right_key_opens_and_stays_here(server: FakeServer, guarded: Proxy, headers: dict[str, str]) -> None:
    assert guarded.post(headers=headers).status_code == 200
    assert "s3cret" not in json.dumps([request.headers for request in server.requests])


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_whoever_watches_over_it_needs_no_key(guarded: Proxy, path: str) -> None:
    assert guarded.client.get(guarded.url + path).status_code == 200


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer"}, {"Authorization": "Bearer noop"}])
def test_any_key_will_do_where_none_is_wanted(plain: Proxy, headers: dict[str, str]) -> None:
    """Q4."""
    assert plain.post(headers=headers).status_code == 200


def test_the_clients_key_is_passed_on_where_none_is_ours(server: FakeServer, plain: Proxy) -> None:
    plain.post(headers={"Authorization": "Bearer theirs"})
    assert server.chats[-1].headers["authorization"] == "Bearer theirs"


def test_the_model_server_sees_its_own_host(server: FakeServer, plain: Proxy) -> None:
    plain.post(headers={"Host": "localhost:99"})
    assert server.chats[-1].headers["host"] == server.url.removeprefix("http://")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "box.local"])  # noqa: S104 - refused
def test_to_be_reached_from_elsewhere_takes_a_key(host: str) -> None:
    with pytest.raises(BadSetting, match=r"--api-key"):
        load({"host": host}, env={})
    assert load({"host": host, "api_key": "k"}, env={})[0].host == host


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_loopback_takes_none(host: str) -> None:
    assert load({"host": host}, env={})[0].host == host


# ---- errors


@pytest.mark.parametrize(
    "path", ["/nothing", "/v1", "/v1/chat", "/v1/responses", "/strict", "/odd/v1/models", "/.env", "//"]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_unknown_path_is_said_to_be_one(plain: Proxy, method: str, path: str) -> None:
    error = error_of(plain.client.request(method, plain.url + path), 404)
    assert error["code"] == "unknown_path"
    assert "/v1" in error["message"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/chat/completions"),
        ("PUT", "/v1/chat/completions"),
        ("GET", "/shell/v1/chat/completions"),
        ("POST", "/v1/models"),
        ("POST", "/healthz"),
        ("DELETE", "/"),
        ("GET", "/v1/embeddings"),
        ("PATCH", "/api/pull"),
    ],
)
def test_a_wrong_method_is_said_to_be_one(plain: Proxy, method: str, path: str) -> None:
    got = plain.client.request(method, plain.url + path)
    assert error_of(got, 405)["code"] == "method_not_allowed"
    assert got.headers["allow"]


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/embeddings", "/v1/completions"])
def test_an_unknown_model_is_named_with_the_fix(server: FakeServer, path: str) -> None:
    with FakeServer() as other, proxy(server.url, other.openai_url) as one:
        error = error_of(one.post(path, model="qwen9"), 404)
        assert (error["code"], error["param"]) == ("model_not_found", "model")
        assert "qwen9" in error["message"]


BAD_BODIES = {
    "nothing": b"",
    "half": b'{"model": "fake", "messages": [',
    "not UTF-8": b'{"model": "\xff"}',
    "half a pair": b'{"model": "fake", "messages": [{"role": "user", "content": "\\ud800"}]}',
    "too deep": b"[" * 5000,
    "a list": b"[]",
    "text": b'"hello"',
    "a form": b"model=fake&messages=hello",
    "infinity": b'{"model": "fake", "messages": [], "seed": 1e999}',
    "no number": b'{"model": "fake", "messages": [], "seed": NaN}',
    "no messages": b'{"model": "fake"}',
    "no model": b'{"messages": [{"role": "user", "content": "x"}]}',
}


@pytest.mark.parametrize("body", list(BAD_BODIES.values()), ids=list(BAD_BODIES))
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/off/v1/chat/completions"])
def test_a_bad_body_is_the_clients_fault(plain: Proxy, path: str, body: bytes) -> None:
    got = plain.client.post(plain.url + path, content=body)
    if "/off/" in path and got.status_code == 200:
        return  # the model server took it
    error_of(got, 400)


DEEP = json.loads("[" * 400 + "]" * 400)
DEEP_SCHEMA = json.loads('{"properties":{"x":' * 450 + "{}" + "}}" * 450)


@pytest.mark.parametrize(
    "deep",
    [
        {"metadata": DEEP},
        {"options": {"x": DEEP}},
        {"response_format": {"type": "json_schema", "json_schema": {"schema": {"x": DEEP}}}},
        {
            "tools": [
                {"type": "function", "function": {"name": "f", "parameters": {"properties": {"x": {"enum": DEEP}}}}}
            ]
        },
        {"tools": [{"type": "function", "function": {"name": "f", "parameters": DEEP_SCHEMA}}]},
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": DEEP}]}]},
    ],
    ids=lambda one: next(iter(one)),
)
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/off/v1/chat/completions", "/api/chat", "/v1/embeddings"])
@pytest.mark.parametrize("openai", [False, True])
def test_a_body_too_deep_to_pass_on_is_the_clients_fault(
    server: FakeServer, deep: Any, path: str, openai: bool
) -> None:
    server.says("Hello.")
    with proxy(server.openai_url if openai else server.url) as one:
        got = one.client.post(one.url + path, json={"model": "fake@strict", "messages": USER, "tools": TOOLS} | deep)
        assert got.status_code in {200, 400}, got.text


ATOMS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4)
)
KEYS = st.sampled_from(
    [
        *("model", "messages", "tools", "tool_choice", "stream", "stream_options", "options", "n", "stop", "seed"),
        *("temperature", "max_tokens", "response_format", "json_schema", "schema", "reasoning", "reasoning_effort"),
        *(
            "format",
            "think",
            "role",
            "content",
            "type",
            "text",
            "image_url",
            "images",
            "tool_calls",
            "function",
            "name",
        ),
        *("arguments", "id", "tool_call_id", "parameters", "properties", "required", "enum", "items", "anyOf", "$ref"),
        *("allOf", "parallel_tool_calls", "include_usage", "keep_alive", "function_call", "description", "logprobs"),
    ]
)
WORDS = st.sampled_from(["fake", "user", "assistant", "tool", "system", "function", "object", "text", "#", "required"])
VALUES = st.recursive(
    ATOMS | WORDS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=10
)
MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "system"])},
    optional={"content": VALUES, "tool_calls": VALUES, "images": VALUES, "name": VALUES, "tool_call_id": VALUES},
)
FUNCTION = st.fixed_dictionaries({"name": st.sampled_from(["f", "g"])}, optional={"parameters": VALUES})
REQUEST = st.fixed_dictionaries(
    {"model": st.just("fake"), "messages": st.lists(MESSAGE, min_size=1, max_size=2) | VALUES},
    optional={
        "tools": st.lists(st.fixed_dictionaries({"type": st.just("function"), "function": FUNCTION}), max_size=2)
        | VALUES,
        **dict.fromkeys(("tool_choice", "options", "stop", "response_format", "format", "think", "n"), VALUES),
        "stream": st.booleans(),
    },
)


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/api/chat", "/v1/embeddings", "/api/show"])
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(body=REQUEST | st.dictionaries(KEYS, VALUES, max_size=4) | VALUES)
def test_no_body_is_beyond_us(plain: Proxy, path: str, body: Any) -> None:
    got = plain.client.post(plain.url + path, json=body)
    assert got.status_code in {200, 400, 404}, got.text
