"""What a model server throws away, won back: printed calls, calls in thinking, and calls that it could not read."""

from collections.abc import Iterator
from typing import Any

import pytest
from kinds import KINDS, End, Error, Kind, Say, begin, chunks, golden, kind_of, more, text, thought
from running import CALL, TOOLS

QUOTED = CALL.replace("seats", "berths")
FERRY = [begin("find_ferry"), more('{"to":"Coll","seats":2}')]
UNREADABLE = "error parsing tool call: raw='%s', err=invalid character ']' after top-level value"


@pytest.fixture(scope="module", params=KINDS)
def running(request: pytest.FixtureRequest) -> Iterator[Kind]:
    with kind_of(request.param) as kind:
        yield kind


@pytest.fixture
def kind(running: Kind) -> Kind:
    running.server.requests.clear()
    return running


def streamed(kind: Kind, **body: Any) -> str:
    response = kind.proxy.post(stream=True, **({"tools": TOOLS} | body))
    assert response.status_code == 200, response.text
    return golden(response.text)


# ---- calls in thinking


@pytest.mark.parametrize(
    ("parts", "expected", "finish"),
    [
        pytest.param(
            [Say(thinking="So: "), Say(thinking=CALL)],
            [thought("So: "), *FERRY],
            "tool_calls",
            id="never followed by an answer: a call",
        ),
        pytest.param(
            [Say(thinking=f"So: {CALL}"), Say("Sorry.")],
            [thought("So: "), thought(CALL), text("Sorry.")],
            "stop",
            id="followed by an answer: quoted",
        ),
        pytest.param(
            [Say(f"<think>So: {CALL}</think>"), Say("Sorry.")],
            [thought("So: "), thought(CALL), text("Sorry.")],
            "stop",
            id="in tags that are closed: quoted",
        ),
        pytest.param(
            [Say(f"<think>So: {CALL}")],
            [thought("So: "), *FERRY],
            "tool_calls",
            id="in tags that are never closed: a call",
        ),
        pytest.param(
            [Say(thinking=f"So: {QUOTED}"), Say(CALL)],
            [thought("So: "), thought(QUOTED), *FERRY],
            "tool_calls",
            id="followed by a printed call: quoted",
        ),
        pytest.param(
            [
                Say(thinking=f"So: {QUOTED}"),
                Say(calls=[{"function": {"name": "find_ferry", "arguments": {"to": "Coll", "seats": 2}}}]),
            ],
            [thought("So: "), thought(QUOTED), *FERRY],
            "tool_calls",
            id="followed by a structured call: quoted",
        ),
    ],
)
def test_a_call_inside_thinking(kind: Kind, parts: list[Say], expected: list[str], finish: str) -> None:
    kind.plays(*parts)
    assert streamed(kind) == chunks(*expected, finish=finish)


def test_thinking_before_and_after_text_is_reasoning(kind: Kind) -> None:
    kind.plays(Say(thinking="a <"), Say("b"), Say(thinking="c"), Say("d"))
    assert streamed(kind) == chunks(thought("a "), thought("<"), text("b"), thought("c"), text("d"))


def test_thinking_that_speaks_of_its_tags_is_thinking_all_the_same(kind: Kind) -> None:
    kind.plays(Say(thinking="The tag `</think>` ends"), Say(thinking=" it."), Say("Yes."))
    message = kind.proxy.post(tools=TOOLS).json()["choices"][0]["message"]
    assert (message["reasoning_content"], message["content"]) == ("The tag `</think>` ends it.", "Yes.")


# ---- calls in error messages


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    "raw",
    [
        pytest.param('{"to": "Coll", "seats": 2}]', id="a stray bracket"),
        pytest.param('{"to": "Coll", "seats": "2"', id="a missing brace"),
        pytest.param('[{"to": "Coll", "seats": 2}]', id="a list"),
        pytest.param("{'to': 'Coll', 'seats': 2}", id="single quotes"),
        pytest.param('{"name": "find_ferry", "arguments": {"to": "Coll", "seats": 2}}', id="with the name"),
    ],
)
def test_the_call_in_a_refusal_is_the_answer(kind: Kind, raw: str, stream: bool) -> None:
    kind.plays(kind.refuses(500, UNREADABLE % raw))
    response = kind.proxy.post(stream=stream, tools=TOOLS)
    if stream:
        assert golden(response.text) == chunks(*FERRY, finish="tool_calls")
    else:
        choice = response.json()["choices"][0]
        assert choice["message"]["tool_calls"][0]["function"]["arguments"] == '{"to":"Coll","seats":2}'
        assert choice["finish_reason"] == "tool_calls"
    assert len(kind.server.chats) == 1


@pytest.mark.parametrize(
    ("parts", "deltas"),
    [
        pytest.param([], [], id="at once"),
        pytest.param([Say("I look.")], [text("I look.")], id="behind text"),
        pytest.param([Say("I look <"), Say("\n")], [text("I look "), text("<")], id="behind text that is held"),
        pytest.param([Say(thinking="Hm")], [thought("Hm")], id="behind thinking"),
        pytest.param(
            [Say(thinking=f"Hm: {QUOTED}")], [thought("Hm: "), thought(QUOTED)], id="behind thinking with a quoted call"
        ),
        pytest.param([Say("\n")], [], id="behind white space"),
    ],
)
def test_the_call_in_an_error_line_is_said_behind_what_was_said(
    kind: Kind, parts: list[Say], deltas: list[str]
) -> None:
    kind.plays(*parts, Error(UNREADABLE % '{"to": "Coll", "seats": 2}]'))
    assert streamed(kind) == chunks(*deltas, *FERRY, finish="tool_calls")
    assert len(kind.server.chats) == 1


def test_raw_text_is_the_one_string_that_a_tool_takes(kind: Kind) -> None:
    kind.plays(kind.refuses(500, "error parsing tool call: raw='ls -R', err=invalid character 'l' looking for value"))
    shell = {
        "name": "run",
        "parameters": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
    }
    body = streamed(kind, tools=[{"type": "function", "function": shell}])
    assert body == chunks(begin("run"), more('{"command":"ls -R"}'), finish="tool_calls")


def test_without_tools_nothing_is_won_back(kind: Kind) -> None:
    kind.plays(kind.refuses(500, UNREADABLE % '{"to": "Coll"}]'))
    assert kind.proxy.post(stream=True).status_code == 502


# ---- answers that the server could not read


UNREADABLE_OUTPUT = [
    "error parsing tool call: raw='{\"depth\": 3}', err=unexpected end",
    "XML syntax error on line 4: element <parameter> closed by </function>",
    "failed to parse JSON: unexpected end of JSON input",
    "tool 'sink_ship' not found",
    "The model produced output that does not match the expected peg-native format",
]


@pytest.mark.parametrize("message", UNREADABLE_OUTPUT)
@pytest.mark.parametrize("form", ["refusal", "line"])
@pytest.mark.parametrize("stream", [True, False])
def test_an_answer_that_the_server_cannot_read_is_asked_for_again_by_prompt(
    kind: Kind, message: str, form: str, stream: bool
) -> None:
    kind.plays_once(kind.refuses(500, message) if form == "refusal" else Error(message))
    kind.plays(Say(CALL))
    response = kind.proxy.post(stream=stream, tools=TOOLS)
    if stream:
        assert golden(response.text) == chunks(*FERRY, finish="tool_calls")
    else:
        assert response.json()["choices"][0]["finish_reason"] == "tool_calls"
    first, second = (chat.body for chat in kind.server.chats)
    assert "tools" in first
    assert "tools" not in second
    assert "find_ferry" in second["messages"][0]["content"]
    kind.proxy.post(tools=TOOLS)
    assert "tools" in kind.server.chats[-1].body, "one bad answer says nothing about the model"


@pytest.mark.parametrize("stream", [True, False])
def test_it_is_asked_for_again_only_once(kind: Kind, stream: bool) -> None:
    kind.plays(kind.refuses(500, UNREADABLE_OUTPUT[2]))
    response = kind.proxy.post(stream=stream, tools=TOOLS)
    assert response.status_code == 502
    assert UNREADABLE_OUTPUT[2] in response.json()["error"]["message"]
    assert len(kind.server.chats) == 2


def test_an_empty_answer_behind_an_unreadable_one_is_not_asked_for_a_third_time(kind: Kind) -> None:
    kind.plays_once(kind.refuses(500, UNREADABLE_OUTPUT[2]))
    kind.plays(End())
    assert kind.proxy.post(tools=TOOLS).json()["error"]["code"] == "empty_answer"
    assert len(kind.server.chats) == 2


def test_what_has_gone_out_is_not_asked_for_again(kind: Kind) -> None:
    kind.plays(Say("I look."), Error(UNREADABLE_OUTPUT[2]))
    assert UNREADABLE_OUTPUT[2] in streamed(kind)
    assert len(kind.server.chats) == 1


def test_what_was_read_but_has_not_gone_out_is_asked_for_again(kind: Kind) -> None:
    kind.plays_once(Say("I look."), Error(UNREADABLE_OUTPUT[2]))
    kind.plays(Say("Found."))
    assert kind.proxy.post(tools=TOOLS).json()["choices"][0]["message"] == {"role": "assistant", "content": "Found."}


def test_a_call_that_was_thrown_away_leaves_nothing_behind() -> None:
    with kind_of("openai", arguments="whole") as kind:
        half = {"index": 0, "id": "a", "function": {"name": "find_ferry", "arguments": '{"to": "Ti'}}
        kind.plays_once(Say(calls=[half]), Error(UNREADABLE_OUTPUT[-1]))
        kind.plays(Say(CALL))
        assert streamed(kind, parallel_tool_calls=False) == chunks(*FERRY, finish="tool_calls")


def test_an_error_in_an_answer_teaches_nothing_about_the_tools_of_its_model(kind: Kind) -> None:
    kind.plays_once(Error("illegal access in function mul_mat, tool chain 12"))
    assert kind.proxy.post(tools=TOOLS).status_code == 502
    kind.plays(Say("Hi"))
    kind.proxy.post(tools=TOOLS)
    assert ["tools" in chat.body for chat in kind.server.chats] == [True, True]


def test_other_failures_are_not_asked_for_again(kind: Kind) -> None:
    kind.plays(kind.refuses(500, "out of memory"))
    assert kind.proxy.post(tools=TOOLS).status_code == 502
    assert len(kind.server.chats) == 1


def test_an_answer_that_the_token_limit_ended_at_once_is_not_asked_for_again(kind: Kind) -> None:
    kind.plays(End("length"))
    ended = kind.proxy.stream(tools=TOOLS)
    assert [choice["finish_reason"] for chunk in ended for choice in chunk["choices"]] == [None, "length"]
    assert len(kind.server.chats) == 1
