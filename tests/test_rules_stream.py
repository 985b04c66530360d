"""The strict stream, byte for byte: rules S1 to S18, in front of both kinds of model server.

S1 no tools, no calls        S7 role once                S13 one reasoning field
S2 the first delta of a call S8 one kind in a delta      S14 frames
S3 the later ones            S9 no white space for text  S15 [DONE], then the end
S4 arguments are strings     S10 one finish_reason       S16 a call that was cut off
S5 joined: one object        S11 the head of a chunk     S17 names on offer
S6 one call after another    S12 usage if asked for      S18 a client that leaves
"""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fake_server import DONE, Hang, chunk, done, line
from kinds import KINDS, End, Kind, Say, begin, chunks, golden, kind_of, more, structured, text, thought
from running import CALL, TOOLS, USER

FERRY = structured("find_ferry", {"to": "Coll", "seats": 2})
PING = structured("ping_depot", {})
NOTHING: tuple[Any, ...] = ({}, None, "", "{}", "null", [])
FERRY_ARGUMENTS = '{"to":"Coll","seats":2}'


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> Iterator[Kind]:
    with kind_of(request.param) as running:
        yield running


def streamed(kind: Kind, **body: Any) -> str:
    response = kind.proxy.post(stream=True, **({"tools": TOOLS} | body))
    assert response.status_code == 200, response.text
    return golden(response.text)


# ---- S1


@pytest.mark.parametrize("body", [{}, {"tools": []}, {"tools": None}, {"tools": TOOLS, "tool_choice": "none"}])
def test_s1_without_tools_the_text_comes_out_as_it_was_cut(kind: Kind, body: dict[str, Any]) -> None:
    pieces = [
        " \n",
        "<tool_c",
        "all>\n{",
        '"name": "find_ferry", ',
        '"arguments": {}}\n</tool_call>',
        "</think>",
        " 연차\n\n",
    ]
    kind.plays(*map(Say, pieces))
    assert streamed(kind, **{"tools": None} | body) == chunks(*map(text, pieces))


def test_s1_without_tools_reasoning_is_not_read_either(kind: Kind) -> None:
    kind.plays(Say(thinking="I would <tool_call>"), Say(thinking='{"name": "find_ferry"'), Say("Hm."))
    expected = chunks(thought("I would <tool_call>"), thought('{"name": "find_ferry"'), text("Hm."))
    assert streamed(kind, tools=None) == expected


# ---- calls: S2 to S6


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        pytest.param(
            ['<tool_call>\n{"name": "find_ferry", ', '"arguments": {"to": "Co', 'll", "seats": "2"}}\n</tool_call>'],
            [begin("find_ferry"), more('{"to":"Co'), more('ll","seats":2}')],
            id="S2 S3 S4: announced with an empty string, then only index and arguments, as they are written",
        ),
        pytest.param([CALL], [begin("find_ferry"), more(FERRY_ARGUMENTS)], id="S4: also when the call comes whole"),
        pytest.param(
            ['<tool_call>{"name": "ping_depot", "arguments": {}}</tool_call>'],
            [begin("ping_depot"), more("{}")],
            id="S5: no arguments are an empty object",
        ),
        pytest.param(
            ['<tool_call>{"name": "ping_depot"}</tool_call>'],
            [begin("ping_depot"), more("{}")],
            id="S5: and so are arguments that were left out",
        ),
        pytest.param(
            [f"{CALL}\n{CALL}"],
            [begin("find_ferry"), more(FERRY_ARGUMENTS), begin("find_ferry", 1), more(FERRY_ARGUMENTS, 1)],
            id="S6: two calls, one entry a delta, one after another, each its index and id",
        ),
    ],
)
def test_calls_in_text(kind: Kind, pieces: list[str], expected: list[str]) -> None:
    kind.plays(*map(Say, pieces))
    assert streamed(kind) == chunks(*expected, finish="tool_calls")


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        pytest.param(
            [Say(calls=[FERRY])],
            [begin("find_ferry"), more(FERRY_ARGUMENTS)],
            id="S2: id and type are given where the server gives none",
        ),
        pytest.param(
            [Say(calls=[FERRY | {"id": "call_k3x9a2bq", "type": "function"}])],
            [begin("find_ferry", call_id="call_k3x9a2bq"), more(FERRY_ARGUMENTS)],
            id="S2: the server's id is kept",
        ),
        pytest.param(
            [Say(calls=[FERRY | {"id": 7, "type": None}])],
            [begin("find_ferry"), more(FERRY_ARGUMENTS)],
            id="S2: unless it is no string",
        ),
        pytest.param(
            [Say(calls=[structured("find_ferry", '{"to": "Coll", "seats": "2"}')])],
            [begin("find_ferry"), more(FERRY_ARGUMENTS)],
            id="S4: arguments as a string, typed by the schema",
        ),
        pytest.param(
            [Say(calls=[structured("find_ferry", "{'to': 'Coll', seats: 2")])],
            [begin("find_ferry"), more('{"to":"Coll"'), more(',"seats":2}')],
            id="S5: arguments as a broken string",
        ),
        pytest.param(
            [Say(calls=[structured("find_ferry", '"{\\"to\\": \\"Coll\\", \\"seats\\": 2}"')])],
            [begin("find_ferry"), more(FERRY_ARGUMENTS)],
            id="S5: arguments as a string in a string",
        ),
        *(
            pytest.param(
                [Say(calls=[structured("ping_depot", nothing)])],
                [begin("ping_depot"), more("{}")],
                id=f"S5: {nothing!r} for no arguments",
            )
            for nothing in NOTHING
        ),
        pytest.param(
            [Say(calls=[{"function": {"name": "ping_depot"}}])],
            [begin("ping_depot"), more("{}")],
            id="S5: nothing at all for no arguments",
        ),
        pytest.param(
            [Say(calls=[FERRY | {"id": "a"}, PING | {"id": "a"}])],
            [
                *(begin("find_ferry", call_id="a"), more(FERRY_ARGUMENTS)),
                *(begin("ping_depot", 1, call_id="call_1"), more("{}", 1)),
            ],
            id="S6: two calls in a line, one id for both",
        ),
        pytest.param(
            [Say(calls=[FERRY | {"index": 0, "id": "a"}]), Say(calls=[FERRY | {"index": 0, "id": "b"}])],
            [
                *(begin("find_ferry", call_id="a"), more(FERRY_ARGUMENTS)),
                *(begin("find_ferry", 1, call_id="b"), more(FERRY_ARGUMENTS, 1)),
            ],
            id="S6: two calls with the index 0",
        ),
        pytest.param(
            [Say(calls=[FERRY]), Say(calls=[FERRY])],
            [begin("find_ferry"), more(FERRY_ARGUMENTS), begin("find_ferry", 1), more(FERRY_ARGUMENTS, 1)],
            id="S6: the same call twice, without index and id",
        ),
        pytest.param(
            [Say(calls=[FERRY | {"index": 3}]), Say(calls=[PING | {"index": 7}])],
            [begin("find_ferry"), more(FERRY_ARGUMENTS), begin("ping_depot", 1), more("{}", 1)],
            id="S6: indices that do not count from 0",
        ),
        pytest.param(
            [Say(CALL), Say(calls=[PING])],
            [begin("find_ferry"), more(FERRY_ARGUMENTS), begin("ping_depot", 1), more("{}", 1)],
            id="S6: one printed, one structured",
        ),
    ],
)
def test_structured_calls(kind: Kind, parts: list[Say], expected: list[str]) -> None:
    kind.plays(*parts)
    assert streamed(kind) == chunks(*expected, finish="tool_calls")


def test_s6_an_id_of_the_conversation_is_not_given_again(kind: Kind) -> None:
    kind.plays(Say(calls=[FERRY | {"id": "call_0"}]))
    past = {"id": "call_0", "type": "function", "function": {"name": "ping_depot", "arguments": "{}"}}
    history = [
        {"role": "assistant", "content": None, "tool_calls": [past]},
        {"role": "tool", "tool_call_id": "call_0", "content": "pong"},
    ]
    expected = chunks(begin("find_ferry"), more(FERRY_ARGUMENTS), finish="tool_calls")
    assert streamed(kind, messages=[*USER, *history]) == expected


# ---- what else is in a delta: S7 to S9, S13


def test_s7_s8_s13_a_part_that_brings_everything_leaves_in_deltas_of_one_kind(kind: Kind) -> None:
    kind.plays(Say("I look.", "Hm, ", [PING]))
    expected = chunks(thought("Hm, "), text("I look."), begin("ping_depot"), more("{}"), finish="tool_calls")
    assert streamed(kind) == expected


def test_s8_also_in_the_middle_of_a_text(kind: Kind) -> None:
    kind.plays(Say("Well"), Say(" then", calls=[PING]))
    assert streamed(kind) == chunks(text("Well"), text(" then"), begin("ping_depot"), more("{}"), finish="tool_calls")


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        pytest.param([Say(" \n"), Say("\n"), Say(CALL)], [], id="before a printed call"),
        pytest.param(
            [Say("\n"), Say("\n"), Say(calls=[structured("find_ferry", {"to": "Coll", "seats": 2})])],
            [],
            id="before a structured call",
        ),
        pytest.param([Say(CALL), Say("\n"), Say("\n ")], [], id="behind a printed call"),
        pytest.param([Say(calls=[FERRY]), Say("\n"), Say("\n ")], [], id="behind a structured call"),
        pytest.param(
            [Say(thinking=f"So: {CALL}"), Say("\n"), Say("\n ")], [thought("So: ")], id="behind a call in thinking"
        ),
        pytest.param(
            [Say("I look.\n\n"), Say(calls=[FERRY])], [text("I look.")], id="between text and a structured call"
        ),
        pytest.param([Say("I look."), Say("\n\n"), Say(CALL)], [text("I look.")], id="between text and a printed call"),
        pytest.param([Say(""), Say(calls=[FERRY]), Say("")], [], id="empty deltas"),
    ],
)
def test_s9_white_space_around_a_call_is_not_said(kind: Kind, parts: list[Say], expected: list[str]) -> None:
    kind.plays(*parts)
    assert streamed(kind) == chunks(*expected, begin("find_ferry"), more(FERRY_ARGUMENTS), finish="tool_calls")


def test_s9_white_space_between_structured_calls_is_not_said(kind: Kind) -> None:
    kind.plays(Say(calls=[FERRY]), Say("\n"), Say(calls=[PING]))
    calls = [begin("find_ferry"), more(FERRY_ARGUMENTS), begin("ping_depot", 1), more("{}", 1)]
    assert streamed(kind) == chunks(*calls, finish="tool_calls")


@pytest.mark.parametrize("call", [Say(CALL), Say(calls=[FERRY])], ids=["printed", "structured"])
def test_s9_text_behind_a_call_is_said_if_the_model_wrote_it(kind: Kind, call: Say) -> None:
    kind.plays(call, Say("\n\nOne moment."))
    deltas = [begin("find_ferry"), more(FERRY_ARGUMENTS), text("\n\n"), text("One moment.")]
    assert streamed(kind) == chunks(*deltas, finish="tool_calls")


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
def test_s13_reasoning_has_one_name_whatever_the_server_calls_it(field: str) -> None:
    with kind_of("openai") as kind:
        kind.plays(chunk({field: "Hm"}), Say("Hi"))
        assert streamed(kind) == chunks(thought("Hm"), text("Hi"))


def test_s13_reasoning_under_both_names_is_said_once() -> None:
    with kind_of("openai") as kind:
        kind.plays(chunk({"reasoning": "Hm", "reasoning_content": "Hm"}), Say("Hi"))
        assert streamed(kind) == chunks(thought("Hm"), text("Hi"))


def test_s13_reasoning_in_the_text_is_reasoning(kind: Kind) -> None:
    kind.plays(Say("<thi"), Say("nk>Hm"), Say("</think>\n\nHi"))
    assert streamed(kind) == chunks(thought("Hm"), text("\n\n"), text("Hi"))


# ---- the end and the frame: S10 to S12, S14, S15


@pytest.mark.parametrize(
    ("parts", "reason", "finish"),
    [
        pytest.param([Say("Hi")], "stop", "stop", id="text"),
        pytest.param([Say("Hi")], "length", "length", id="text that was cut"),
        pytest.param([Say("Hi")], "tool_calls", "stop", id="no call, whatever the server says"),
        pytest.param([Say("Hi")], "unload", "stop", id="no word of OpenAI's"),
        pytest.param([Say(calls=[PING])], "stop", "tool_calls", id="a call, whatever the server says"),
        pytest.param([Say(calls=[PING])], "length", "tool_calls", id="a whole call before the limit"),
        pytest.param([Say(calls=[{"function": {"name": "ping_depot"}}])], "stop", "tool_calls", id="a bare call"),
        pytest.param([Say(CALL)], "length", "tool_calls", id="a whole printed call before the limit"),
    ],
)
def test_s10_the_finish_reason_is_what_was_sent(kind: Kind, parts: list[Say], reason: str, finish: str) -> None:
    kind.plays(*parts, End(reason))
    body = streamed(kind)
    assert body.endswith(chunks(finish=finish).removeprefix(chunks().partition("\n\n")[0] + "\n\n"))
    assert body.count('"finish_reason":"') == 1


def last_line(kind: Kind, reason: str, **message: Any) -> bytes:
    """A line that brings something and is the end."""
    if kind.name == "openai":
        return chunk(message, reason) + DONE
    said = json.loads(line()) | {"message": {"role": "assistant", "content": ""} | message, "done": True}
    return json.dumps(said | {"done_reason": reason}, separators=(",", ":")).encode() + b"\n"


@pytest.mark.parametrize("reason", ["stop", "length"])
@pytest.mark.parametrize("tools", [TOOLS, None], ids=["tools", "no tools"])
def test_s10_a_finish_that_comes_with_text_gets_a_chunk_of_its_own(kind: Kind, tools: Any, reason: str) -> None:
    kind.plays(Say("Well"), last_line(kind, reason, content=" then"))
    assert streamed(kind, tools=tools) == chunks(text("Well"), text(" then"), finish=reason)


def test_s10_a_finish_that_comes_with_calls_gets_a_chunk_of_its_own(kind: Kind) -> None:
    kind.plays(Say("Well"), last_line(kind, "stop", content=" then", tool_calls=[FERRY, PING]))
    deltas = [text("Well"), text(" then"), begin("find_ferry"), more(FERRY_ARGUMENTS), begin("ping_depot", 1)]
    assert streamed(kind) == chunks(*deltas, more("{}", 1), finish="tool_calls")


@pytest.mark.parametrize("tools", [TOOLS, None], ids=["tools", "no tools"])
def test_s11_every_chunk_has_the_same_head_and_the_name_that_the_client_gave(kind: Kind, tools: Any) -> None:
    kind.plays(Say("Hi", "Hm"), Say(calls=[PING]))
    said = kind.proxy.stream(model="fake@strict", tools=tools, stream_options={"include_usage": True})
    heads = {json.dumps({key: one[key] for key in ("id", "object", "created", "model")}) for one in said}
    assert len(heads) == 1
    assert (said[0]["object"], said[0]["model"]) == ("chat.completion.chunk", "fake@strict")
    assert all(choice["index"] == 0 for one in said for choice in one["choices"])
    again = kind.proxy.stream(tools=tools)
    assert again[0]["id"] != said[0]["id"]


def test_s12_usage_comes_behind_the_finish_if_it_was_asked_for(kind: Kind) -> None:
    kind.plays(Say("Hi"))
    usage = '{"prompt_tokens":12,"completion_tokens":34,"total_tokens":46}'
    assert streamed(kind, stream_options={"include_usage": True}) == chunks(text("Hi"), usage=usage)


@pytest.mark.parametrize("options", [None, {}, {"include_usage": False}])
def test_s12_usage_is_not_sent_unasked(kind: Kind, options: Any) -> None:
    kind.plays(Say("Hi"))
    assert streamed(kind, stream_options=options) == chunks(text("Hi"))


def test_s14_the_frames_of_the_server_are_not_passed_on() -> None:
    with kind_of("openai") as kind:
        hi = chunk({"content": "Hi"})
        kind.plays(
            b": ping\n\n", b"event: message\n" + hi, b"\r\n", hi.replace(b"\n", b"\r\n"), b"data:" + hi[6:], End()
        )
        assert streamed(kind) == chunks(*[text("Hi")] * 3)
        response = kind.proxy.post(stream=True)
    assert response.headers["content-type"] == "text/event-stream"


def test_s15_the_body_ends_although_the_server_keeps_its_own_open(kind: Kind) -> None:
    kind.plays(Say("Hi"), End(), Hang())
    assert streamed(kind) == chunks(text("Hi"))


def test_s15_nothing_is_read_behind_the_end(kind: Kind) -> None:
    last = done() if kind.name == "ollama" else chunk({}, "stop") + DONE
    late = line("late") if kind.name == "ollama" else chunk({"content": "late"})
    kind.plays(Say("Hi"), last + late + b"nonsense\n")
    assert streamed(kind) == chunks(text("Hi"))


# ---- S16


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        pytest.param(
            [Say('<tool_call>{"name": "find_ferry", "arguments": {"to": "Co'), Say("l")],
            [begin("find_ferry"), more('{"to":"Co'), more("l")],
            id="printed, in a string",
        ),
        pytest.param(
            [Say('<tool_call>{"name": "find_ferry", "arguments": {"to": "Coll", "seats": 1')],
            [begin("find_ferry"), more('{"to":"Coll"')],
            id="printed, in a number, which could have gone on",
        ),
        pytest.param(
            [Say(calls=[{"index": 0, **structured("find_ferry", '{"to": "Co')}])],
            [begin("find_ferry"), more('{"to":"Co')],
            id="structured",
        ),
    ],
)
def test_s16_of_a_call_that_was_cut_off_nothing_is_closed_or_invented(
    kind: Kind, parts: list[Say], expected: list[str]
) -> None:
    kind.plays(*parts, End("length"))
    assert streamed(kind) == chunks(*expected, finish="length")


def test_s16_a_structured_call_that_ends_in_a_value_was_cut_off_whatever_the_server_says(kind: Kind) -> None:
    kind.plays(Say(calls=[structured("find_ferry", '{"to": "Co')]), End("stop"))
    assert streamed(kind) == chunks(begin("find_ferry"), more('{"to":"Co'), finish="length")


def test_s16_the_calls_before_the_one_that_was_cut_off_are_whole(kind: Kind) -> None:
    kind.plays(Say(f'{CALL}\n<tool_call>{{"name": "find_ferry", "arguments": {{"to": "T'), End("length"))
    calls = [begin("find_ferry"), more(FERRY_ARGUMENTS), begin("find_ferry", 1), more('{"to":"', 1), more("T", 1)]
    assert streamed(kind) == chunks(*calls, finish="length")


def test_s16_a_second_call_that_nobody_wants_does_not_cut_the_first(kind: Kind) -> None:
    kind.plays(Say(f'{CALL}\n<tool_call>{{"name": "find_ferry", "arguments": {{"to": "T'), End("length"))
    expected = chunks(begin("find_ferry"), more(FERRY_ARGUMENTS), finish="tool_calls")
    assert streamed(kind, parallel_tool_calls=False) == expected


# ---- S17


@pytest.mark.parametrize("name", ["functions.find_ferry", "findFerry", "Find-Ferry", "find_ferry:0"])
@pytest.mark.parametrize("form", ["printed", "structured"])
def test_s17_a_tool_is_called_by_the_name_on_offer(kind: Kind, name: str, form: str) -> None:
    written = (
        Say(CALL.replace("find_ferry", name))
        if form == "printed"
        else Say(calls=[structured(name, {"to": "Coll", "seats": "2"})])
    )
    kind.plays(written)
    assert streamed(kind) == chunks(begin("find_ferry"), more(FERRY_ARGUMENTS), finish="tool_calls")


def test_s17_a_printed_call_to_an_unknown_tool_stays_text(kind: Kind) -> None:
    written = CALL.replace("find_ferry", "sink_ship")
    kind.plays(Say(written))
    said = kind.proxy.stream(tools=TOOLS)
    assert "".join(one["choices"][0]["delta"].get("content") or "" for one in said) == written
    assert said[-1]["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize("arguments", [{"ship": "Isle of Mull"}, '{"ship":"Isle of Mull"}'], ids=["object", "string"])
def test_s17_a_structured_call_to_an_unknown_tool_becomes_text(kind: Kind, arguments: Any) -> None:
    kind.plays(Say(calls=[structured("sink_ship", arguments)]))
    assert streamed(kind) == chunks(text('{"name":"sink_ship","arguments":{"ship":"Isle of Mull"}}'))


def test_s17_arguments_that_no_object_can_be_made_of_are_no_call(kind: Kind) -> None:
    kind.plays(Say(calls=[structured("ping_depot", [1, 2, 3])]))
    assert streamed(kind) == chunks(text('{"name":"ping_depot","arguments":[1,2,3]}'))


# ---- S18


@pytest.mark.parametrize("tools", [TOOLS, None], ids=["tools", "no tools"])
def test_s18_a_client_that_leaves_ends_the_request_to_the_server(kind: Kind, tools: Any) -> None:
    kind.plays(Say("Hi"), Hang())
    body = {"model": "fake", "messages": USER, "stream": True, "tools": tools}
    with httpx.stream("POST", f"{kind.proxy.base_url}/chat/completions", json=body, timeout=20) as response:
        next(response.iter_bytes())
    assert kind.server.chats[-1].left.wait(5)
