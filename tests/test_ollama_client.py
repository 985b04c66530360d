"""Clients that speak Ollama's own protocol: `/api/chat` with tools is made strict, in lines and in one object."""

import json
from collections.abc import Iterator
from typing import Any

import ollama
import pytest
from fake_server import chunk, line
from kinds import KINDS, End, Error, Kind, Say, golden, kind_of, structured
from running import CALL, TOOLS, USER

FERRY = structured("find_ferry", '{"to": "Coll", "seats": "2"}', id="a")
CUT = '<tool_call>{"name": "find_ferry", "arguments": {"to": "Co'
COLL = {"to": "Coll", "seats": 2}


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> Iterator[Kind]:
    with kind_of(request.param) as running:
        yield running


def call(name: str, arguments: Any, index: int = 0, call_id: str = "") -> dict[str, Any]:
    function = {"index": index, "name": name, "arguments": arguments}
    return {"id": call_id or f"call_{index + 1}", "function": function}


def lines(kind: Kind, **body: Any) -> list[dict[str, Any]]:
    response = kind.proxy.post("/api/chat", **({"tools": TOOLS} | body))
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/x-ndjson"
    return [json.loads(one) for one in golden(response.text).splitlines()]


CASES = [
    pytest.param(
        [Say("I look.\n"), Say(CALL[:30]), Say(CALL[30:])],
        [{"content": "I look."}, {"content": "", "tool_calls": [call("find_ferry", COLL)]}],
        id="a printed call",
    ),
    pytest.param(
        [Say(calls=[FERRY, structured("ping_depot", None, id="a")])],
        [
            {"content": "", "tool_calls": [call("find_ferry", COLL, call_id="a")]},
            {"content": "", "tool_calls": [call("ping_depot", {}, 1, call_id="call_1")]},
        ],
        id="structured calls: an index and an id each, arguments as objects",
    ),
    pytest.param(
        [Say(thinking="Hm"), Say("Hi")], [{"content": "", "thinking": "Hm"}, {"content": "Hi"}], id="thinking"
    ),
    pytest.param(
        [Say(thinking=f"Hm: {CALL}")],
        [{"content": "", "thinking": "Hm: "}, {"content": "", "tool_calls": [call("find_ferry", COLL)]}],
        id="a call in thinking",
    ),
    pytest.param([Say("Hi")], [{"content": "Hi"}], id="text"),
    pytest.param(
        [Say(calls=[structured("sink_ship", {})])],
        [{"content": '{"name":"sink_ship","arguments":{}}'}],
        id="an unknown tool",
    ),
    pytest.param(
        [Say(r'<tool_call>{"name": "find_ferry", "arguments": {"to": "\ud83d"}}</tool_call>')],
        [{"content": "", "tool_calls": [call("find_ferry", {"to": "\ufffd"})]}],
        id="half of a pair of surrogates",
    ),
]


@pytest.mark.parametrize(("parts", "messages"), CASES)
def test_a_stream_of_lines(kind: Kind, parts: list[Say], messages: list[dict[str, Any]]) -> None:
    kind.plays(*parts)
    *said, last = lines(kind)
    assert [one["message"] for one in said] == [{"role": "assistant"} | message for message in messages]
    assert all((one["done"], one["model"], bool(one["created_at"])) == (False, "fake", True) for one in said)
    assert last["message"] == {"role": "assistant", "content": ""}
    assert (last["done"], last["done_reason"]) == (True, "stop")
    assert (last["prompt_eval_count"], last["eval_count"]) == (12, 34)


@pytest.mark.parametrize(("parts", "messages"), CASES)
def test_one_object(kind: Kind, parts: list[Say], messages: list[dict[str, Any]]) -> None:
    kind.plays(*parts)
    response = kind.proxy.post("/api/chat", tools=TOOLS, stream=False)
    assert response.headers["content-type"] == "application/json"
    body = json.loads(golden(response.text))
    thinking = "".join(message.get("thinking", "") for message in messages)
    calls = [one for message in messages for one in message.get("tool_calls", [])]
    assert body["message"] == {
        "role": "assistant",
        "content": "".join(message["content"] for message in messages),
        **({"thinking": thinking} if thinking else {}),
        **({"tool_calls": calls} if calls else {}),
    }
    assert (body["done"], body["done_reason"], body["eval_count"]) == (True, "stop", 34)


def test_lines_are_the_default(kind: Kind) -> None:
    kind.plays(Say("Hi"))
    assert len(lines(kind)) == 2


@pytest.mark.parametrize("stream", [True, False])
def test_half_a_call_is_shown_as_text(kind: Kind, stream: bool) -> None:
    kind.plays(Say(CUT), End("length"))
    response = kind.proxy.post("/api/chat", tools=TOOLS, stream=stream)
    said = [json.loads(one) for one in response.text.splitlines()]
    assert "".join(one["message"]["content"] for one in said) == 'find_ferry {"to":"Co'
    assert not any("tool_calls" in one["message"] for one in said)
    assert said[-1]["done_reason"] == "length"


def test_an_error_in_mid_stream_is_a_line(kind: Kind) -> None:
    kind.plays(Say("Hi"), Error("out of memory"))
    assert lines(kind)[1:] == [{"error": "out of memory"}]


@pytest.mark.parametrize("stream", [True, False])
def test_errors_are_text(kind: Kind, stream: bool) -> None:
    kind.plays(kind.refuses(500, "out of memory"))
    response = kind.proxy.post("/api/chat", tools=TOOLS, stream=stream)
    assert response.status_code == 502
    assert list(response.json()) == ["error"]
    assert "out of memory" in response.json()["error"]


def test_a_bad_request_is_told_in_its_own_form(kind: Kind) -> None:
    response = kind.proxy.post("/api/chat", tools=TOOLS, messages=[{"role": "pirate"}])
    assert (response.status_code, "messages[0].role" in response.json()["error"]) == (400, True)


def test_the_history_of_ollama_reaches_the_model(kind: Kind) -> None:
    kind.plays(Say("Hi"))
    past = {"id": "a", "function": {"name": "find_ferry", "arguments": COLL}}
    history = [
        {"role": "assistant", "content": "", "tool_calls": [past]},
        {"role": "tool", "tool_name": "find_ferry", "tool_call_id": "a", "content": "at nine"},
    ]
    lines(kind, messages=[*USER, *history], options={"temperature": 0, "num_predict": 9})
    body = kind.server.chats[-1].body
    assistant, result = body["messages"][1:]
    arguments = assistant["tool_calls"][0]["function"]["arguments"]
    assert (arguments if kind.name == "ollama" else json.loads(arguments)) == COLL
    assert (result["role"], result["content"], result["tool_call_id"]) == ("tool", "at nine", "a")
    sampling = body["options"] if kind.name == "ollama" else body
    assert (sampling["temperature"], sampling["num_predict" if kind.name == "ollama" else "max_tokens"]) == (0, 9)


def test_an_id_of_the_conversation_is_not_given_again(kind: Kind) -> None:
    kind.plays(Say(calls=[FERRY]))
    past = {"role": "assistant", "content": "", "tool_calls": [{"id": "a", "function": {"name": "x", "arguments": {}}}]}
    first = lines(kind, messages=[*USER, past])[0]
    assert first["message"]["tool_calls"] == [call("find_ferry", COLL)]


def test_without_tools_the_lines_of_an_ollama_come_out_as_they_are() -> None:
    with kind_of("ollama") as kind:
        said = [line(CALL), line("", thinking="Hm"), b'{"done":true,"done_reason":"stop","new":[1]}\n']
        kind.plays(*said)
        assert kind.proxy.post("/api/chat").content == b"".join(said)


def test_without_tools_an_openai_server_is_spoken_to_as_well() -> None:
    with kind_of("openai") as kind:
        kind.plays(chunk({"content": CALL}), End())
        said = lines(kind, tools=None)
    assert [one["message"]["content"] for one in said] == [CALL, ""]


def test_the_library_of_ollama_runs_a_tool(kind: Kind) -> None:
    kind.plays_once(Say("I look.\n"), Say(CALL))
    kind.plays(Say("At nine."))
    with ollama.Client(kind.proxy.url) as client:
        messages: list[Any] = list(USER)
        content, calls = "", list[ollama.Message.ToolCall]()
        for part in client.chat("fake", messages, tools=TOOLS, stream=True):
            content += part.message.content or ""
            calls += part.message.tool_calls or []
        assert (content, calls[0].function.name, calls[0].function.arguments) == ("I look.", "find_ferry", COLL)
        messages += [
            {"role": "assistant", "content": content, "tool_calls": [one.model_dump() for one in calls]},
            {"role": "tool", "tool_name": "find_ferry", "content": "at nine"},
        ]
        assert client.chat("fake", messages, tools=TOOLS).message.content == "At nine."
