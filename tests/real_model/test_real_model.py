"""SmolLM2-135M on llama.cpp: what it does by itself, and through strictcall.

What it says is its own business and may differ between machines; that equal requests get equal answers is not.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from openai import BadRequestError, DefaultHttpxClient, OpenAI

# One worker has the servers: two of them would fight for the processor.
pytestmark = pytest.mark.xdist_group("llama")

FIND_FERRY: Any = {
    "type": "function",
    "function": {
        "name": "find_ferry",
        "description": "Find a ferry.",
        # Every value is short, so a model that is held to this schema comes to an end.
        "parameters": {
            "type": "object",
            "properties": {"to": {"enum": ["Coll", "Mull"]}, "seats": {"type": "integer"}},
            "required": ["to", "seats"],
            "additionalProperties": False,
        },
        "strict": True,
    },
}
SAVE_NOTE: Any = {
    "type": "function",
    "function": {
        "name": "save_note",
        "description": "Save a note.",
        "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    },
}
QUESTION = {"role": "user", "content": "Which ferry goes to Coll?"}
ASKED: Any = {"model": "smollm2", "messages": [QUESTION], "temperature": 0, "seed": 1, "max_tokens": 24}
FORCED: Any = ASKED | {
    "tools": [SAVE_NOTE, FIND_FERRY],
    "tool_choice": {"type": "function", "function": {"name": "find_ferry"}},
    "max_tokens": 150,
}


@contextmanager
def client(base_url: str) -> Iterator[OpenAI]:
    http = DefaultHttpxClient(trust_env=False)
    with OpenAI(base_url=base_url, api_key="none", max_retries=0, timeout=120, http_client=http) as made:
        yield made


@pytest.fixture
def direct(llama: str) -> Iterator[OpenAI]:
    with client(llama) as made:
        yield made


@pytest.fixture
def proxied(strictcall: str) -> Iterator[OpenAI]:
    with client(strictcall) as made:
        yield made


# ---- by itself


def test_it_streams_what_it_says_whole(direct: OpenAI) -> None:
    whole = direct.chat.completions.create(**ASKED).choices[0]
    chunks = [chunk.choices[0] for chunk in direct.chat.completions.create(**ASKED, stream=True)]
    assert whole.message.content
    assert "".join(choice.delta.content or "" for choice in chunks) == whole.message.content
    assert len(chunks) > 3
    assert chunks[-1].finish_reason == whole.finish_reason


def test_its_template_has_no_tools_and_drops_them_without_a_word(direct: OpenAI, llama: str) -> None:
    can = httpx.get(f"{llama.removesuffix('/v1')}/props", trust_env=False).json()["chat_template_caps"]
    assert not can["supports_tools"]
    plain = direct.chat.completions.create(**ASKED)
    forced = direct.chat.completions.create(**ASKED, tools=[FIND_FERRY], tool_choice="required")
    assert forced.choices == plain.choices
    assert forced.usage == plain.usage


def test_it_keeps_to_a_schema(direct: OpenAI) -> None:
    schema = {"name": "find_ferry", "schema": FIND_FERRY["function"]["parameters"]}
    asked = ASKED | {"max_tokens": 150, "response_format": {"type": "json_schema", "json_schema": schema}}
    answer = direct.chat.completions.create(**asked).choices[0]
    assert answer.finish_reason == "stop"
    assert json.loads(answer.message.content or "").keys() == {"to", "seats"}


# ---- through strictcall


def test_its_name_is_listed(proxied: OpenAI) -> None:
    assert "smollm2" in {model.id for model in proxied.models.list()}


def test_text_is_what_it_is_without_strictcall(direct: OpenAI, proxied: OpenAI) -> None:
    wanted, found = (one.chat.completions.create(**ASKED) for one in (direct, proxied))
    assert found.choices[0].message.content == wanted.choices[0].message.content
    assert found.choices[0].finish_reason == wanted.choices[0].finish_reason
    assert wanted.usage
    assert found.usage
    assert found.usage.prompt_tokens == wanted.usage.prompt_tokens
    assert found.usage.completion_tokens == wanted.usage.completion_tokens


def test_a_stream_of_text_is_what_it_is_without_strictcall(direct: OpenAI, proxied: OpenAI) -> None:
    wanted, found = (
        [chunk.choices[0] for chunk in one.chat.completions.create(**ASKED, stream=True)] for one in (direct, proxied)
    )
    assert [one.delta.content for one in found] == [one.delta.content for one in wanted]
    assert found[-1].finish_reason == wanted[-1].finish_reason


def test_tools_reach_it_although_its_template_has_none(direct: OpenAI, proxied: OpenAI) -> None:
    plain = direct.chat.completions.create(**ASKED)
    offered = proxied.chat.completions.create(**ASKED, tools=[FIND_FERRY])
    assert plain.usage
    assert offered.usage
    assert offered.usage.prompt_tokens > plain.usage.prompt_tokens + 40
    for call in offered.choices[0].message.tool_calls or ():
        assert call.type == "function"
        assert call.function.name == "find_ferry"
        assert isinstance(json.loads(call.function.arguments), dict)


def test_a_forced_call_comes_out_whole(proxied: OpenAI) -> None:
    answer = proxied.chat.completions.create(**FORCED).choices[0]
    assert answer.finish_reason == "tool_calls"
    assert answer.message.content is None
    assert answer.message.tool_calls
    (call,) = answer.message.tool_calls
    assert call.type == "function"
    assert_it_fits(call.function.name, call.function.arguments)


def test_a_forced_call_streams(proxied: OpenAI) -> None:
    with proxied.chat.completions.stream(**FORCED | {"tools": [FIND_FERRY]}) as events:
        pieces = [event.arguments_delta for event in events if event.type == "tool_calls.function.arguments.delta"]
        answer = events.get_final_completion().choices[0]
    assert answer.finish_reason == "tool_calls"
    assert answer.message.tool_calls
    (call,) = answer.message.tool_calls
    assert_it_fits(call.function.name, call.function.arguments)
    assert len([piece for piece in pieces if piece]) > 1


def test_some_tool_is_called_if_one_is_required(proxied: OpenAI) -> None:
    answer = proxied.chat.completions.create(**FORCED | {"tool_choice": "required"}).choices[0]
    # It is free to take the tool whose argument has no end; then the limit ends it, and that must be said.
    assert answer.finish_reason in {"tool_calls", "length"}
    assert answer.finish_reason == "length" or answer.message.tool_calls


@pytest.mark.parametrize("max_tokens", [3, 20])
def test_a_forced_call_that_is_cut_off_is_not_completed(proxied: OpenAI, max_tokens: int) -> None:
    answer = proxied.chat.completions.create(**FORCED | {"max_tokens": max_tokens}).choices[0]
    assert answer.finish_reason == "length"
    for call in answer.message.tool_calls or ():
        assert call.type == "function"
        with pytest.raises(json.JSONDecodeError):
            json.loads(call.function.arguments)


def test_it_goes_on_after_a_result(proxied: OpenAI) -> None:
    function = {"name": "find_ferry", "arguments": '{"to": "Coll", "seats": 2}'}
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "type": "function", "function": function}]}
    result = {"role": "tool", "tool_call_id": "a", "content": "MV Clansman, Saturday at 7:15"}
    answer = proxied.chat.completions.create(**ASKED | {"messages": [QUESTION, call, result], "tools": [FIND_FERRY]})
    assert answer.choices[0].message.content or answer.choices[0].message.tool_calls


@pytest.mark.parametrize("stream", [False, True])
def test_too_long_a_prompt_is_the_clients_problem(proxied: OpenAI, stream: bool) -> None:
    with pytest.raises(BadRequestError, match="context"):
        proxied.chat.completions.create(
            **ASKED | {"messages": [{"role": "user", "content": "ferry " * 5000}]}, stream=stream
        )


def test_it_stops_when_the_client_leaves(direct: OpenAI, proxied: OpenAI, llama: str) -> None:
    before = spoken(llama)
    many = ASKED | {"max_tokens": 600, "extra_body": {"ignore_eos": True}}
    with proxied.chat.completions.create(**many, stream=True) as chunks:
        next(iter(chunks))
    # It does one thing at a time: this waits until the other answer is over, by itself or because nobody wants it.
    direct.chat.completions.create(**ASKED)
    assert spoken(llama) - before < 500


def spoken(llama: str) -> int:
    """How many tokens it has written since it began."""
    meters = httpx.get(f"{llama.removesuffix('/v1')}/metrics", trust_env=False).text
    found = re.search(r"^llamacpp:tokens_predicted_total (\d+)", meters, re.MULTILINE)
    assert found, meters
    return int(found[1])


def assert_it_fits(name: str, arguments: str) -> None:
    assert name == "find_ferry"
    given = json.loads(arguments)
    assert given.keys() == {"to", "seats"}
    assert given["to"] in {"Coll", "Mull"}
    assert type(given["seats"]) is int
