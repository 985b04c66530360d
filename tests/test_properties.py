"""What holds for any text at all."""

import json
import os
from itertools import pairwise
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from reading import ALL, answer, read

from proxy.core.events import ArgsDelta, CallEnd, CallStart, Event, Text, joined
from proxy.core.reader import Begins
from proxy.core.tools import Tools

FUZZ = bool(os.environ.get("STRICTCALL_FUZZ"))
RUNS = settings(
    max_examples=5000 if FUZZ else 250,
    deadline=None,
    derandomize=not FUZZ,
    suppress_health_check=[HealthCheck.too_slow],
)

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "count": {"type": "integer"},
        "unit": {"type": "string", "enum": ["m", "ft"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "extra": {"type": "object"},
        "any": {},
    },
    "required": ["text"],
}
TOOLS = Tools.of([{"name": "note", "parameters": SCHEMA}, {"name": "ping", "parameters": {"type": "object"}}])

WORDS = [
    *(line for dialect in ALL for line in (dialect.example, dialect.example.replace("find_ferry", "note"))),
    *(
        "note",
        "ping",
        '"note"',
        "text",
        "count",
        '{"name": "note", "arguments": {"text": "',
        '"}}',
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
    ),
    *(
        '"',
        "'",
        "\\",
        "\n",
        ":",
        ",",
        "=",
        "<",
        ">",
        "|",
        "```",
        "```json\n",
        "`",
        "<think>",
        "</think>",
        "\n\n",
        " ",
        "-",
        "0",
    ),
    *(
        "</tool_call>",
        "<tool_call>",
        "<function=note>",
        "<parameter=text>",
        "</parameter>",
        "</function>",
        "Action: ",
        "null",
    ),
    *(
        "Action Input: ",
        "Observation:",
        "<|im_end|>",
        "<|channel|>",
        "<|message|>",
        "analysis",
        "commentary to=functions.note",
    ),
    *(
        '<|tool_call>call:note{text:<|"|>',
        '<|"|>',
        "}<tool_call|>",
        "[TOOL_CALLS]",
        "[ARGS]",
        "functions.note:0",
        "[note(text='",
    ),
    *(
        "<invoke name=",
        "<parameter name=",
        "True",
        "12",
        "é",
        "한글",
        "🐙",
        "\ud800",
        "\x00",
        "\\u00e9",
        "\\ud83d",
        "//",
        "/*",
        "#",
    ),
]
texts = st.one_of(
    st.text(max_size=60),
    st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=4)), max_size=14).map("".join),
)


@st.composite
def cut_texts(draw: st.DrawFn) -> tuple[str, list[str]]:
    text = draw(texts)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    edges = [0, *cuts, len(text)]
    return text, [text[begin:end] for begin, end in pairwise(edges)]


@RUNS
@given(cut_texts(), st.sampled_from(["stop", "length"]), st.sampled_from(Begins))
def test_the_events_do_not_depend_on_the_cut(cut: tuple[str, list[str]], finish: str, begins: Begins) -> None:
    text, parts = cut
    whole = read([text], TOOLS, finish=finish, begins=begins)
    assert read(parts, TOOLS, finish=finish, begins=begins) == whole
    assert read(text, TOOLS, finish=finish, begins=begins) == whole


@RUNS
@given(texts, st.sampled_from(["stop", "length"]))
def test_the_arguments_of_a_complete_call_are_a_json_object(text: str, finish: str) -> None:
    for _, arguments in answer(read([text], TOOLS, finish=finish)).calls:
        assert isinstance(arguments, dict)


@RUNS
@given(texts)
def test_the_events_come_in_order(text: str) -> None:
    events = read([text], TOOLS)
    answer(events)  # fails if they do not
    starts = sum(isinstance(event, CallStart) for event in events)
    assert starts == sum(isinstance(event, CallEnd) for event in events)


@RUNS
@given(texts)
def test_without_tools_the_output_is_the_input(text: str) -> None:
    assert read([text], Tools()) == ([Text(text)] if text else [])


plain = st.text(alphabet=st.characters(exclude_characters='<{[`~>"\\]◁', exclude_categories=["Cs"]), max_size=200)
"""No character that begins a mark of a dialect: `◁think▷` would be reasoning."""


@RUNS
@given(plain)
@example("So: the note was long.\nnote that\n ping me")
def test_text_that_holds_no_call_is_returned_byte_for_byte(text: str) -> None:
    tools = Tools.of([{"name": "frobnicate_the_thing", "parameters": SCHEMA}])
    assert answer(read([text], tools)).content == text


keys = st.sampled_from(["text", "count", "unit", "tags", "extra", "any", "other key", 'odd "key"', "ключ"])
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"])),
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)
fitting = st.fixed_dictionaries(
    {"text": st.text(st.characters(exclude_categories=["Cs"]))},
    optional={
        "count": st.integers(-(10**20), 10**20),
        "unit": st.sampled_from(["m", "ft"]),
        "tags": st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=4),
        "extra": st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), values, max_size=4),
        "any": values,
        "other key": values,
    },
)


@RUNS
@given(fitting, st.booleans(), st.sampled_from([None, 2]), st.integers(1, 9))
def test_valid_json_that_fits_the_schema_keeps_its_value(
    arguments: dict[str, Any], ascii_only: bool, indent: int | None, size: int
) -> None:
    call = json.dumps({"name": "note", "arguments": arguments}, ensure_ascii=ascii_only, indent=indent)
    for text in (call, f"<tool_call>\n{call}\n</tool_call>", f"Well.\n{call}", f"[TOOL_CALLS][{call}]"):
        found = answer(read([text[at : at + size] for at in range(0, len(text), size)], TOOLS))
        assert found.calls == [("note", arguments)]


@RUNS
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
def test_a_raw_value_is_kept_to_the_letter(text: str) -> None:
    raw = (
        f'<minimax:tool_call><invoke name="note"><parameter name="text">{text}</parameter></invoke></minimax:tool_call>'
    )
    if not any(mark in text for mark in ("<", "]]>")):
        assert answer(read([raw], TOOLS)).calls == [("note", {"text": text})]


def test_nothing_is_said_twice_when_pieces_are_empty() -> None:
    parts = ["", "<tool_call>", "", '{"name": "ping"}', "", "</tool_call>", ""]
    events: list[Event] = [CallStart("ping", "hermes"), ArgsDelta("{}"), CallEnd()]
    assert joined(read(parts, TOOLS)) == events
