"""The settings that change how an answer is written: `--arguments whole` and `--reasoning tags`."""

import json
import threading
from collections.abc import Iterator

import httpx
import pytest
from fake_server import Wait
from kinds import KINDS, End, Kind, Say, begin, chunks, golden, kind_of, more, structured, text
from running import CALL, TOOLS, USER

FERRY = [begin("find_ferry"), more('{"to":"Coll","seats":2}')]
CUT = '<tool_call>{"name": "find_ferry", "arguments": {"to": "Co'


@pytest.fixture(scope="module", params=KINDS)
def whole(request: pytest.FixtureRequest) -> Iterator[Kind]:
    with kind_of(request.param, arguments="whole") as running:
        yield running


@pytest.fixture(scope="module", params=KINDS)
def tags(request: pytest.FixtureRequest) -> Iterator[Kind]:
    with kind_of(request.param, reasoning="tags") as running:
        yield running


def streamed(kind: Kind) -> str:
    return golden(kind.proxy.post(stream=True, tools=TOOLS).text)


@pytest.mark.parametrize(
    "parts", [list(map(Say, CALL)), [Say(calls=[structured("find_ferry", '{"to":"Coll","seats":2}')])]]
)
def test_a_whole_call_has_its_arguments_in_one_delta(whole: Kind, parts: list[Say]) -> None:
    whole.plays(Say("I look."), *parts, Say("\nDone."))
    deltas = [text("I look."), *FERRY, text("\n"), text("Done.")]
    assert streamed(whole) == chunks(*deltas, finish="tool_calls")


def test_of_a_whole_call_that_was_cut_off_there_is_only_text(whole: Kind) -> None:
    whole.plays(Say(CUT), End("length"))
    assert streamed(whole) == chunks(text('find_ferry {"to":"Co'), finish="length")


def test_a_whole_call_that_ends_in_a_value_was_cut_off_whatever_the_server_says(whole: Kind) -> None:
    whole.plays(Say(calls=[structured("find_ferry", '{"to": "Co')]), End("stop"))
    assert streamed(whole) == chunks(text('find_ferry {"to":"Co'), finish="length")


def test_a_whole_call_before_one_that_was_cut_off_is_a_call(whole: Kind) -> None:
    whole.plays(Say(f"{CALL}\n{CUT}"), End("length"))
    assert streamed(whole) == chunks(*FERRY, text('find_ferry {"to":"Co'), finish="tool_calls")


def test_of_a_whole_call_that_an_error_broke_off_there_is_only_text(whole: Kind) -> None:
    whole.plays(
        Say("I look."), Say(CUT), b'{"error":"boom"}\n' if whole.name == "ollama" else b'data: {"error":"boom"}\n\n'
    )
    frames = streamed(whole).split("\n\n")
    assert [json.loads(frame.removeprefix("data: ")).get("error", {}).get("message") for frame in frames[:-2]] == [
        *(None, None, None),
        "boom",
    ]
    assert "tool_calls" not in "".join(frames)


def test_text_is_not_held_back_for_whole_calls(whole: Kind) -> None:
    go_on = threading.Event()
    whole.plays(Say("I look."), Wait(go_on), Say(CALL))
    body = {"model": "fake", "messages": USER, "stream": True, "tools": TOOLS}
    with httpx.stream("POST", f"{whole.proxy.base_url}/chat/completions", json=body, timeout=20) as response:
        pieces = response.iter_text()
        first = next(pieces)
        go_on.set()
        rest = "".join(pieces)
    assert "I look." in first
    assert golden(first + rest) == chunks(text("I look."), *FERRY, finish="tool_calls")


@pytest.mark.parametrize(
    ("parts", "content"),
    [
        ([Say(thinking="Hm, "), Say(thinking="so."), Say("Hi")], "<think>Hm, so.</think>\n\nHi"),
        ([Say("<think>Hm</think>Hi")], "<think>Hm</think>\n\nHi"),
        ([Say("Hi")], "Hi"),
        ([Say(thinking="a"), Say("b"), Say(thinking="c"), Say("d")], "<think>a</think>\n\nb<think>c</think>\n\nd"),
    ],
)
@pytest.mark.parametrize("tools", [TOOLS, None], ids=["tools", "no tools"])
def test_reasoning_in_tags(tags: Kind, parts: list[Say], content: str, tools: object) -> None:
    tags.plays(*parts)
    if tools is None and parts[0].content.startswith("<think>"):
        content = parts[0].content  # it is in tags already
    message = tags.proxy.post(tools=tools).json()["choices"][0]["message"]
    assert message == {"role": "assistant", "content": content}


def test_reasoning_in_tags_before_a_call(tags: Kind) -> None:
    tags.plays(Say(thinking="Hm"), Say("\n"), Say(CALL))
    assert streamed(tags) == chunks(text("<think>Hm"), text("</think>\n\n"), *FERRY, finish="tool_calls")
