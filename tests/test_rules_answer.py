"""The answer in one piece, byte for byte: rules N1 to N4, in front of both kinds of model server.

N1 the message and its calls   N2 text beside calls   N3 usage   N4 reasoning
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fake_server import DONE, chunk
from kinds import KINDS, End, Kind, Say, golden, kind_of, structured
from openai.types.chat import ChatCompletion
from running import CALL, TOOLS

FERRY = structured("find_ferry", {"to": "Coll", "seats": 2})
PING = structured("ping_depot", {})


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> Iterator[Kind]:
    with kind_of(request.param) as running:
        yield running


def whole(message: str, finish: str = "stop") -> str:
    """The body of an answer with this message."""
    return (
        '{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"fake","choices":[{"index":0,"message":'
        f'{message},"finish_reason":"{finish}"}}],'
        '"usage":{"prompt_tokens":12,"completion_tokens":34,"total_tokens":46}}'
    )


def call(name: str, arguments: str, call_id: str = "call_1") -> str:
    function = f'{{"name":"{name}","arguments":{json.dumps(arguments)}}}'
    return f'{{"id":"{call_id}","type":"function","function":{function}}}'


FERRY_CALL = call("find_ferry", '{"to":"Coll","seats":2}')
PING_CALL = call("ping_depot", "{}", "call_2")


@pytest.mark.parametrize(
    ("parts", "message", "finish"),
    [
        pytest.param(
            [Say("Hi "), Say("there.\n")],
            '{"role":"assistant","content":"Hi there.\\n"}',
            "stop",
            id="N1: text, and no key for calls that there are none of",
        ),
        pytest.param(
            [Say("Hi"), End("length")],
            '{"role":"assistant","content":"Hi"}',
            "length",
            id="N1: text that was cut",
        ),
        pytest.param(
            [Say(CALL), Say(calls=[PING])],
            f'{{"role":"assistant","content":null,"tool_calls":[{FERRY_CALL},{PING_CALL}]}}',
            "tool_calls",
            id="N1: calls and null, arguments as strings, {} for none",
        ),
        pytest.param(
            [Say("\n"), Say(calls=[FERRY]), Say("\n")],
            f'{{"role":"assistant","content":null,"tool_calls":[{FERRY_CALL}]}}',
            "tool_calls",
            id="N1: white space around a call is no content",
        ),
        pytest.param(
            [Say("I look.\n"), Say(calls=[FERRY])],
            f'{{"role":"assistant","content":"I look.","tool_calls":[{FERRY_CALL}]}}',
            "tool_calls",
            id="N2: text beside a call",
        ),
        pytest.param(
            [Say(thinking="Hm, "), Say(thinking="so."), Say("Hi")],
            '{"role":"assistant","content":"Hi","reasoning_content":"Hm, so."}',
            "stop",
            id="N4: reasoning",
        ),
        pytest.param(
            [Say("<think>Hm</think>Hi")],
            '{"role":"assistant","content":"Hi","reasoning_content":"Hm"}',
            "stop",
            id="N4: reasoning in the text",
        ),
        pytest.param(
            [Say('<tool_call>{"name": "find_ferry", "arguments": {"to": "Co'), End("length")],
            '{"role":"assistant","content":null,"tool_calls":[' + call("find_ferry", '{"to":"Co') + "]}",
            "length",
            id="N1: a call that was cut off, as far as it was written",
        ),
    ],
)
def test_an_answer_in_one_piece(kind: Kind, parts: list[Say], message: str, finish: str) -> None:
    kind.plays(*parts)
    response = kind.proxy.post(tools=TOOLS)
    assert golden(response.text) == whole(message, finish)
    assert response.headers["content-type"] == "application/json"
    ChatCompletion.model_validate_json(response.text, strict=True)


def test_n1_without_tools_the_text_is_what_the_model_wrote(kind: Kind) -> None:
    kind.plays(Say(" \n"), Say(CALL), Say("</think>\n"))
    content = json.dumps(f" \n{CALL}</think>\n")
    assert golden(kind.proxy.post().text) == whole(f'{{"role":"assistant","content":{content}}}')


def test_n1_without_tools_an_empty_answer_is_one(kind: Kind) -> None:
    kind.plays(End())
    assert golden(kind.proxy.post().text) == whole('{"role":"assistant","content":""}')


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": 5}])
def test_n3_usage_is_three_integers_whatever_the_server_counts(usage: Any) -> None:
    with kind_of("openai") as kind:
        kind.plays(chunk({"content": "Hi"}), chunk({}, "stop", usage=usage), DONE)
        prompt = 5 if usage else 0
        expected = {"prompt_tokens": prompt, "completion_tokens": 0, "total_tokens": prompt}
        assert kind.proxy.post().json()["usage"] == expected


def test_n3_an_ollama_that_counts_nothing() -> None:
    with kind_of("ollama") as kind:
        kind.plays(Say("Hi"), b'{"message":{"role":"assistant","content":""},"done":true}\n')
        body = kind.proxy.post().json()
    assert body["usage"] == {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}


def test_an_answer_that_a_filter_ended_says_so() -> None:
    with kind_of("openai") as kind:
        kind.plays(Say("No."), End("content_filter"))
        assert kind.proxy.post(tools=TOOLS).json()["choices"][0]["finish_reason"] == "content_filter"
