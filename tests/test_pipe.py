"""The walk of a chunk without sockets: bytes of a model server in, bytes for a client out, however they are cut."""

import itertools
import json
import os
from collections.abc import Callable
from typing import Any

import pytest
from fake_server import DONE, chunk, done, line
from hypothesis import given, settings
from hypothesis import strategies as st
from running import CALL, TOOLS

from proxy.catalogue import dialects
from proxy.core.answer import Answer
from proxy.core.emit.emitter import Emitter, Ids, Label
from proxy.core.emit.ollama_chat import OllamaAnswer
from proxy.core.emit.openai_chat import ChatAnswer, ChatStream
from proxy.core.pipe import Pipe
from proxy.core.tools import Tools
from proxy.core.wire import ollama, openai
from proxy.core.wire.parts import Wire

FUZZ = bool(os.environ.get("STRICTCALL_FUZZ"))
RUNS = settings(max_examples=2000 if FUZZ else 40, deadline=None, derandomize=not FUZZ)
DIALECTS = tuple(dialects().values())
OFFER = Tools.of(TOOLS)
WIRES: dict[str, Wire] = {"ollama": ollama, "openai": openai}
LABEL = Label("chatcmpl-1", 1, "m")
EMITTERS: dict[str, Callable[[Ids], Emitter]] = {
    "stream": lambda ids: ChatStream(LABEL, ids, usage=True),
    "whole": lambda ids: ChatAnswer(LABEL, ids),
    "ollama": lambda ids: OllamaAnswer(LABEL, ids, created_at="", stream=True),
    "ollama whole": lambda ids: OllamaAnswer(LABEL, ids, created_at="", stream=False),
}
each_wire = pytest.mark.parametrize("kind", WIRES)
each_emitter = pytest.mark.parametrize("form", EMITTERS)


def piped(kind: str, form: str, pieces: list[bytes], tools: Tools = OFFER) -> bytes:
    """What a client gets when the answer arrives in these pieces."""
    count = itertools.count(1)
    pipe = Pipe(WIRES[kind], Answer(tools, DIALECTS), EMITTERS[form](Ids(lambda: f"call_{next(count)}")))
    said = []
    for piece in pieces:
        said.append(pipe.feed(piece))
        if pipe.over:
            break
    else:
        said.append(pipe.close())
    return b"".join([*said, pipe.finish(), pipe.end()])


def encoded(kind: str, parts: list[tuple[str, str, bool]]) -> bytes:
    """An answer of these contents, thinkings and structured calls."""
    call = {"function": {"name": "find_ferry", "arguments": {"to": "Coll"}}}
    said = []
    for content, thinking, called in parts:
        if kind == "ollama":
            said.append(line(content, thinking=thinking, calls=[call] if called else []))
        else:
            delta = {"content": content, "reasoning_content": thinking, "tool_calls": [call] if called else None}
            said.append(chunk({key: value for key, value in delta.items() if value}))
    return b"".join([*said, done() if kind == "ollama" else chunk({}, "stop") + DONE])


MARKS = ["<tool_call>", "</tool_call>", "<think>", "</think>", "```json\n", "```", "[TOOL_CALLS]", "\n", "  ", "{", '"']
words = st.one_of(st.sampled_from([*MARKS, CALL, CALL[:40], CALL[40:], '{"name": "ping_depot"}']), st.text(max_size=8))
texts = st.lists(words, max_size=4).map("".join)
answers = st.lists(st.tuples(texts, st.one_of(st.just(""), texts), st.booleans()), max_size=6)
places = st.lists(st.integers(0, 2000), max_size=20)


def cut(data: bytes, at: list[int]) -> list[bytes]:
    ends = sorted({min(place, len(data)) for place in at} | {0, len(data)})
    return [data[begin:end] for begin, end in itertools.pairwise(ends)]


@each_wire
@each_emitter
@RUNS
@given(parts=answers, at=places, offered=st.booleans())
def test_a_client_gets_the_same_bytes_wherever_those_of_the_server_are_cut(
    kind: str, form: str, parts: list[tuple[str, str, bool]], at: list[int], offered: bool
) -> None:
    data, tools = encoded(kind, parts), OFFER if offered else Tools()
    assert piped(kind, form, cut(data, at), tools) == piped(kind, form, [data], tools)


@each_wire
def test_a_client_gets_the_same_bytes_at_every_single_cut(kind: str) -> None:
    data = encoded(kind, [("Größe 연차 🚢 ", "Hm", False), (CALL, "", True), ("\n", "", False)])
    expected = piped(kind, "stream", [data])
    for at in range(len(data)):
        assert piped(kind, "stream", [data[:at], data[at:]]) == expected
    assert piped(kind, "stream", [data[at : at + 1] for at in range(len(data))]) == expected


@each_wire
@RUNS
@given(pieces=st.lists(texts, max_size=6), at=places)
def test_without_tools_every_piece_of_text_comes_out_as_it_is(kind: str, pieces: list[str], at: list[int]) -> None:
    data = encoded(kind, [(piece, "", False) for piece in pieces])
    body = piped(kind, "stream", cut(data, at), Tools()).decode()
    chunks = [json.loads(frame.removeprefix("data: ")) for frame in body.split("\n\n")[:-2]]
    deltas = [choice["delta"] for one in chunks for choice in one["choices"]]
    expected = [{"content": piece} for piece in pieces if piece]
    assert deltas == [{"role": "assistant", "content": None}, *expected, {}]


@each_wire
def test_a_last_line_without_its_end_counts(kind: str) -> None:
    data = encoded(kind, [("Hi", "", False)])
    assert piped(kind, "stream", [data.rstrip(b"\n")]) == piped(kind, "stream", [data])


odd = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=6,
)
odd_calls = st.one_of(
    odd,
    st.lists(
        st.fixed_dictionaries(
            {
                "function": st.one_of(
                    odd,
                    st.fixed_dictionaries({"name": st.one_of(odd, st.just("find_ferry"))}, optional={"arguments": odd}),
                )
            },
            optional={"index": odd, "id": odd, "type": odd},
        ),
        max_size=3,
    ),
)
messages = st.fixed_dictionaries(
    {}, optional={"content": odd, "thinking": odd, "reasoning_content": odd, "reasoning": odd, "tool_calls": odd_calls}
)


def _ollama(message: Any, more: Any) -> bytes:
    return json.dumps({"message": message, "done": more}).encode() + b"\n"


def _openai(message: Any, more: Any) -> bytes:
    said = {"choices": [{"index": 0, "delta": message, "finish_reason": more}], "usage": more}
    return b"data: " + json.dumps(said).encode() + b"\n\n"


@each_wire
@each_emitter
@RUNS
@given(said=st.lists(st.tuples(st.one_of(messages, odd), odd), max_size=5))
def test_whatever_json_a_server_sends_a_client_gets_an_answer(
    kind: str, form: str, said: list[tuple[Any, Any]]
) -> None:
    write = _ollama if kind == "ollama" else _openai
    body = piped(kind, form, [write(*one) for one in said]).decode()
    if form == "stream":
        frames = [json.loads(frame.removeprefix("data: ")) for frame in body.split("\n\n")[:-2]]
        calls = [call for one in frames for choice in one["choices"] for call in choice["delta"].get("tool_calls", [])]
        assert all(isinstance(call["function"]["arguments"], str) for call in calls)
        assert all(isinstance(call["id"], str) for call in calls if "id" in call)
    elif form == "whole":
        choice = json.loads(body)["choices"][0]
        if choice["finish_reason"] == "tool_calls":
            for call in choice["message"]["tool_calls"]:
                assert isinstance(json.loads(call["function"]["arguments"]), dict)
