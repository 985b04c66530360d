"""What goes wrong, as clients are told: rules E1 to E4, in front of both kinds of model server.

E1 the body and the status   E2 in mid-stream   E3 an empty answer   E4 the context
"""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fake_server import Status
from kinds import KINDS, End, Error, Kind, Say, begin, chunks, golden, kind_of, more, text, thought
from running import CALL, TOOLS, proxy
from serving import served

from proxy.upstream.demo.app import make_app

TOO_LONG = "the prompt is longer than the context length currently available to the model"


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> Iterator[Kind]:
    with kind_of(request.param) as running:
        yield running


def problem(response: httpx.Response, status: int) -> dict[str, Any]:
    """The error of a response; checks its form (E1)."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    body = response.json()
    assert list(body) == ["error"]
    error: dict[str, Any] = body["error"]
    assert list(error) == ["message", "type", "param", "code"]
    assert isinstance(error["message"], str)
    assert isinstance(error["type"], str)
    assert error["code"] is None or isinstance(error["code"], str)
    return error


# ---- E1


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"messages": []}, "messages"),
        ({"messages": "Hi"}, "messages"),
        ({"messages": [{"role": "pirate", "content": "Hi"}]}, "messages[0].role"),
        ({"model": ""}, "model"),
        ({"model": None}, "model"),
        ({"tools": [{"type": "function", "function": {}}]}, "tools[0]"),
        ({"temperature": "hot"}, "temperature"),
        ({"tool_choice": "required"}, "tool_choice"),
        ({"tools": TOOLS, "tool_choice": {"type": "function", "function": {"name": "sink_ship"}}}, "tool_choice"),
    ],
)
def test_e1_a_bad_request_names_its_field_and_is_not_to_be_repeated(
    kind: Kind, body: dict[str, Any], param: str, stream: bool
) -> None:
    asked = len(kind.server.chats)
    response = kind.proxy.post(stream=stream, **body)
    error = problem(response, 400)
    assert (error["type"], error["param"]) == ("invalid_request_error", param)
    assert response.headers["x-should-retry"] == "false"
    assert len(kind.server.chats) == asked


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff", b'"hi"'])
def test_e1_a_body_that_is_no_json_object_is_a_bad_request(kind: Kind, data: bytes) -> None:
    response = httpx.post(f"{kind.proxy.base_url}/chat/completions", content=data)
    assert problem(response, 400)["type"] == "invalid_request_error"


@pytest.mark.parametrize("stream", [True, False])
def test_e1_an_unknown_model_is_404(kind: Kind, stream: bool) -> None:
    kind.plays(kind.refuses(404, "model 'nope' not found"))
    response = kind.proxy.post(model="nope", stream=stream)
    error = problem(response, 404)
    assert "nope" in error["message"]
    assert response.headers["x-should-retry"] == "false"


@pytest.mark.parametrize("path", ["/v1/nothing", "/nothing", "/v1/models/nothing"])
def test_e1_an_unknown_path_is_404(kind: Kind, path: str) -> None:
    problem(httpx.get(kind.proxy.url + path), 404)


def test_e1_a_wrong_method_is_405(kind: Kind) -> None:
    problem(httpx.get(f"{kind.proxy.base_url}/chat/completions"), 405)


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("status", "passed", "retry"),
    [(400, 400, False), (401, 401, False), (429, 429, True), (500, 502, True), (503, 503, True)],
)
def test_e1_a_refusal_has_the_status_that_it_means_for_a_client(
    kind: Kind, status: int, passed: int, retry: bool, stream: bool
) -> None:
    kind.plays(kind.refuses(status, "the boiler is cold"))
    response = kind.proxy.post(stream=stream)
    assert "the boiler is cold" in problem(response, passed)["message"]
    assert ("x-should-retry" not in response.headers) == retry


def test_e1_a_refusal_that_is_no_json_is_told(kind: Kind) -> None:
    kind.plays(Status(500, b"<h1>Bad Gateway</h1>"))
    assert "Bad Gateway" in problem(kind.proxy.post(), 502)["message"]


@pytest.mark.parametrize("stream", [True, False])
def test_e1_a_server_that_is_down_is_502_and_named(stream: bool) -> None:
    for url in ("http://127.0.0.1:9", "http://127.0.0.1:9/v1"):
        with proxy(url) as running:
            error = problem(running.post(stream=stream), 502)
        assert error["code"] == "upstream_down"
        assert "127.0.0.1:9" in error["message"]


# ---- E2


def failed(*deltas: str, message: str, code: str = "upstream_failed", kind: str = "api_error") -> str:
    """A stream that breaks off with an error behind these deltas."""
    said = chunks(*deltas).rpartition("data: {")[0]
    error = {"message": message, "type": kind, "param": None, "code": code}
    return f"{said}data: {json.dumps({'error': error}, separators=(',', ':'))}\n\ndata: [DONE]\n\n"


@pytest.mark.parametrize("tools", [TOOLS, None], ids=["tools", "no tools"])
@pytest.mark.parametrize(
    ("parts", "deltas"),
    [
        pytest.param([Say("Hi")], [text("Hi")], id="text"),
        pytest.param([Say("Hi"), Say(thinking="Hm")], [text("Hi"), thought("Hm")], id="reasoning"),
    ],
)
def test_e2_in_mid_stream_the_error_is_a_frame_behind_what_was_said(
    kind: Kind, parts: list[Say], deltas: list[str], tools: Any
) -> None:
    kind.plays(*parts, Error("out of memory"))
    response = kind.proxy.post(stream=True, tools=tools)
    assert response.status_code == 200
    assert golden(response.text) == failed(*deltas, message="out of memory")


def test_e2_what_was_held_back_is_said_before_the_error(kind: Kind) -> None:
    kind.plays(Say("See <tool_"), Error("out of memory"))
    body = golden(kind.proxy.post(stream=True, tools=TOOLS).text)
    assert body == failed(text("See "), text("<tool_"), message="out of memory")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        pytest.param('"Co', ['{"to":"Co'], id="in a value"),
        pytest.param('"Coll"', ['{"to":"Coll', '"'], id="behind a value"),
    ],
)
def test_e2_a_call_that_the_error_broke_off_is_not_closed(kind: Kind, value: str, said: list[str]) -> None:
    kind.plays(Say(f'<tool_call>{{"name": "find_ferry", "arguments": {{"to": {value}'), Error("out of memory"))
    body = golden(kind.proxy.post(stream=True, tools=TOOLS).text)
    assert body == failed(begin("find_ferry"), *map(more, said), message="out of memory")


def test_e2_what_is_not_of_the_protocol_ends_the_stream_with_an_error(kind: Kind) -> None:
    garbage = b"<html>\n" if kind.name == "ollama" else b"data: <html>\n\n"
    kind.plays(Say("Hi"), garbage, Say("never said"))
    frames = golden(kind.proxy.post(stream=True).text).split("\n\n")
    assert frames[-4:-3] + frames[-2:] == [chunks(text("Hi")).split("\n\n")[1], "data: [DONE]", ""]
    assert "not of its protocol" in json.loads(frames[-3].removeprefix("data: "))["error"]["message"]


ODD: list[dict[str, Any]] = [
    {"content": 5},
    {"content": ["Hi"]},
    {"content": "Hi", "tool_calls": 5},
    {"tool_calls": [5]},
    {"tool_calls": [{"function": 5}]},
    {"tool_calls": [{"function": {"name": 5, "arguments": {}}}]},
    {"tool_calls": [{"function": {"name": ["x"], "arguments": {}}}]},
]


@pytest.mark.parametrize("message", ODD, ids=str)
def test_e2_values_of_a_wrong_type_are_an_error_of_the_server_not_of_ours(kind: Kind, message: dict[str, Any]) -> None:
    said: Any = {"message": message, "done": False}
    if kind.name == "openai":
        said = {"choices": [{"index": 0, "delta": message, "finish_reason": None}]}
    kind.plays((b"" if kind.name == "ollama" else b"data: ") + json.dumps(said).encode() + b"\n\n")
    assert "not of its protocol" in problem(kind.proxy.post(stream=True, tools=TOOLS), 502)["message"]


@pytest.mark.parametrize("stream", [True, False])
def test_e2_before_the_first_word_an_error_line_is_a_refusal(kind: Kind, stream: bool) -> None:
    kind.plays(Error("out of memory"))
    assert problem(kind.proxy.post(stream=stream), 502)["message"] == "out of memory"


def test_e2_half_an_answer_that_is_not_streamed_is_an_error(kind: Kind) -> None:
    kind.plays(Say("Hi"), Error("out of memory"))
    assert problem(kind.proxy.post(tools=TOOLS), 502)["message"] == "out of memory"


# ---- E3


EMPTY = [
    pytest.param([End()], id="nothing"),
    pytest.param([Say(""), Say(""), End()], id="empty deltas"),
    pytest.param([Say("\n"), Say("\n"), End()], id="white space"),
]


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("parts", EMPTY)
def test_e3_tokens_but_no_answer_is_asked_for_again_once_by_prompt(
    kind: Kind, parts: list[Say | End], stream: bool
) -> None:
    before = len(kind.server.chats)
    kind.plays_once(*parts)
    kind.plays(Say(CALL))
    response = kind.proxy.post(stream=stream, tools=TOOLS)
    if stream:
        calls = [begin("find_ferry"), more('{"to":"Coll","seats":2}')]
        assert golden(response.text) == chunks(*calls, finish="tool_calls")
    else:
        assert response.json()["choices"][0]["finish_reason"] == "tool_calls"
    first, second = (chat.body for chat in kind.server.chats[before:])
    assert "tools" in first
    assert "tools" not in second
    assert "<tool_call>" in second["messages"][0]["content"]


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("parts", EMPTY)
def test_e3_an_answer_that_stays_empty_is_an_error(kind: Kind, parts: list[Say | End], stream: bool) -> None:
    before = len(kind.server.chats)
    kind.plays(*parts)
    error = problem(kind.proxy.post(stream=stream, tools=TOOLS), 502)
    assert error["code"] == "empty_answer"
    assert "34 tokens" in error["message"]
    assert len(kind.server.chats) == before + 2


# ---- E4


@pytest.mark.parametrize("stream", [True, False])
def test_e4_a_prompt_that_is_too_long_is_told_as_such(kind: Kind, stream: bool) -> None:
    kind.plays(kind.refuses(400, TOO_LONG))
    response = kind.proxy.post(stream=stream)
    error = problem(response, 400)
    assert (error["code"], error["param"]) == ("context_length_exceeded", "messages")
    assert "context" in error["message"]
    assert response.headers["x-should-retry"] == "false"


def test_e4_also_if_the_server_fails_on_it(kind: Kind) -> None:
    kind.plays(kind.refuses(500, "exceed_context_size_error: request (9000 tokens)"))
    assert problem(kind.proxy.post(), 400)["code"] == "context_length_exceeded"


def test_e4_also_in_a_line_of_the_answer(kind: Kind) -> None:
    kind.plays(Error(TOO_LONG))
    assert problem(kind.proxy.post(), 400)["code"] == "context_length_exceeded"


def test_e4_also_in_mid_stream(kind: Kind) -> None:
    kind.plays(Say("Hi"), Error(TOO_LONG))
    message = f"the prompt is longer than the context of fake: {TOO_LONG}; shorten it, or raise num_ctx"
    frames = kind.proxy.post(stream=True).text.split("\n\n")
    error = json.loads(frames[-3].removeprefix("data: "))["error"]
    assert (error["message"], error["code"]) == (message, "context_length_exceeded")


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("nope", "run: ollama pull nope"),
        ("demo/nope", "there is no demo model"),
        ("demo/hermes@shel", "behind @ may stand strict, shell, off"),
    ],
)
def test_e1_a_model_that_is_not_there_is_said_with_the_fix(model: str, words: str) -> None:
    with served(make_app()) as demo_url, proxy(demo_url, demo_url=demo_url) as running:
        answer = running.post(model=model)
        assert answer.status_code == 404
        assert words in answer.json()["error"]["message"]


def test_e1_an_address_without_v1_is_said_to_be_no_ollama() -> None:
    async def app(scope: Any, _receive: Any, send: Any) -> None:
        assert scope["type"] == "http"
        await send({"type": "http.response.start", "status": 404, "headers": []})
        await send({"type": "http.response.body", "body": b"Unexpected endpoint"})

    with served(app) as url, proxy(url) as running:
        assert f"add /v1: --upstream {url}/v1" in running.post().json()["error"]["message"]
