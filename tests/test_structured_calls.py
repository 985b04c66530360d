"""Calls that an OpenAI-compatible server streams in pieces, in all the ways in which servers do it wrong."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fake_server import Status, chunk
from kinds import End, Kind, Say, begin, chunks, golden, kind_of, more, structured, text, thought
from running import TOOLS


@pytest.fixture(scope="module")
def kind() -> Iterator[Kind]:
    with kind_of("openai") as running:
        yield running


def piece(arguments: Any, name: str | None = None, index: int | None = 0, **more: Any) -> dict[str, Any]:
    function = {"arguments": arguments} | ({"name": name} if name is not None else {})
    return {"function": function} | ({"index": index} if index is not None else {}) | more


FERRY = [begin("find_ferry", call_id="a"), more('{"to":"Co'), more('ll"}')]
BOTH = [*FERRY, begin("ping_depot", 1, call_id="b"), more("{}", 1)]


@pytest.mark.parametrize(
    ("deltas", "expected"),
    [
        pytest.param(
            [
                [piece("", "find_ferry", id="a", type="function")],
                *([piece(one)] for one in ('{"', "to", '":', ' "Co', 'll"', "}")),
            ],
            [begin("find_ferry", call_id="a"), more('{"to":"Co'), more("ll"), more('"}')],
            id="as OpenAI does",
        ),
        pytest.param(
            [[piece('{"to": "Co', "find_ferry", id="a")], [piece('ll"}', "find_ferry", id="a")]],
            FERRY,
            id="the name and the id in each piece",
        ),
        pytest.param(
            [[piece('{"to": "Co', "find_ferry", id="a")], [piece('ll"}', "find_ferry")], [piece("", "find_ferry")]],
            FERRY,
            id="the name in each piece",
        ),
        pytest.param(
            [[piece('{"to": "Co', "find_ferry", id="a")], [piece('ll"}', "", id="", type="")]],
            FERRY,
            id="an empty name and id in later pieces",
        ),
        pytest.param(
            [[piece('{"to": "Co', "find_ferry", None, id="a")], [piece('ll"}', None, None)]],
            FERRY,
            id="no index",
        ),
        pytest.param(
            [[piece('{"to": "Co', "find_ferry", id="a")], [piece('ll"}')], [piece(None)], [piece("")], [piece("\n")]],
            FERRY,
            id="null, empty and blank pieces behind the end",
        ),
        pytest.param(
            [[piece(None, "find_ferry", id="a")], [piece('{"to": "Co')], [piece('ll"}')]],
            FERRY,
            id="null as the first piece",
        ),
        pytest.param(
            [[piece("", "find_ferry", id="a")], [piece({"to": "Coll"})]],
            [begin("find_ferry", call_id="a"), more('{"to":"Coll"}')],
            id="an object as the only piece",
        ),
        pytest.param(
            [
                [piece('{"to": "Co', "find_ferry", id="a")],
                [piece('ll"}')],
                [piece("", "ping_depot", 1, id="b")],
                [piece("{}", None, 1)],
            ],
            BOTH,
            id="two calls",
        ),
        pytest.param(
            [
                [piece('{"to": "Co', "find_ferry", None, id="a")],
                [piece('ll"}', None, None)],
                [piece("{}", "ping_depot", None, id="b")],
            ],
            BOTH,
            id="two calls without index",
        ),
        pytest.param(
            [
                [piece("", "find_ferry", id="a"), piece("", "ping_depot", 1, id="b")],
                [piece('{"to": "Co')],
                [piece('ll"}')],
                [piece("{}", None, 1)],
            ],
            BOTH,
            id="two calls announced in one delta",
        ),
        pytest.param(
            [
                [piece('{"to": "Co', "find_ferry", id="a"), piece("{", "ping_depot", 1, id="b")],
                [piece("}", None, 1), piece('ll"}')],
            ],
            BOTH,
            id="two calls interleaved",
        ),
        pytest.param(
            [
                [
                    piece("", "ping_depot", id="a"),
                    piece("", "find_ferry", 1, id="b"),
                    piece("", "ping_depot", 2, id="c"),
                ],
                [piece('{"to": "Coll"}', None, 1)],
            ],
            [
                *(begin("ping_depot", call_id="a"), more("{}")),
                *(begin("find_ferry", 1, call_id="b"), more('{"to":"Coll"}', 1)),
                *(begin("ping_depot", 2, call_id="c"), more("{}", 2)),
            ],
            id="three calls announced in one delta, two of them without arguments",
        ),
        pytest.param(
            [[piece('{"to": "Coll"}', "find_ferry", id="a")], [piece('{"to": "Tiree"}', "find_ferry", id="a")]],
            [
                *(begin("find_ferry", call_id="a"), more('{"to":"Coll"}')),
                *(begin("find_ferry", 1, call_id="call_1"), more('{"to":"Tiree"}', 1)),
            ],
            id="two calls with the same index and id",
        ),
    ],
)
@pytest.mark.parametrize("reason", ["tool_calls", "stop"])
def test_a_call_in_pieces(kind: Kind, deltas: list[list[dict[str, Any]]], expected: list[str], reason: str) -> None:
    kind.plays(*(Say(calls=delta) for delta in deltas), End(reason))
    body = golden(kind.proxy.post(stream=True, tools=TOOLS).text)
    assert body == chunks(*expected, finish="tool_calls")


def test_a_role_in_each_delta_goes_out_once(kind: Kind) -> None:
    role = {"role": "assistant", "content": None}
    kind.plays(
        chunk({"role": "assistant", "content": ""}),
        chunk(role | {"tool_calls": [piece('{"to": "Co', "find_ferry", id="a")]}),
        chunk(role | {"tool_calls": [piece('ll"}')]}),
        chunk({"role": "assistant", "content": ""}, "stop"),
        End("stop"),
    )
    assert golden(kind.proxy.post(stream=True, tools=TOOLS).text) == chunks(*FERRY, finish="tool_calls")


def test_arguments_go_out_before_the_call_is_over(kind: Kind) -> None:
    kind.plays(Say(calls=[piece('{"to": "Co', "find_ferry", id="a")]), Say(calls=[piece("l")]), End("length"))
    expected = chunks(begin("find_ferry", call_id="a"), more('{"to":"Co'), more("l"), finish="length")
    assert golden(kind.proxy.post(stream=True, tools=TOOLS).text) == expected


def test_a_call_that_was_cut_off_before_its_arguments_is_seen(kind: Kind) -> None:
    kind.plays(Say(calls=[piece("", "find_ferry", id="a")]), End("length"))
    expected = chunks(begin("find_ferry", call_id="a"), finish="length")
    assert golden(kind.proxy.post(stream=True, tools=TOOLS).text) == expected


def test_an_unknown_tool_in_pieces_is_one_text(kind: Kind) -> None:
    kind.plays(*(Say(calls=[one]) for one in (piece("", "sink_ship", id="a"), piece('{"ship": '), piece("1}"))))
    expected = chunks(text('{"name":"sink_ship","arguments":{"ship":1}}'))
    assert golden(kind.proxy.post(stream=True, tools=TOOLS).text) == expected


def test_an_unknown_tool_that_was_cut_off_is_shown_as_it_was_written(kind: Kind) -> None:
    kind.plays(Say(calls=[piece('{"ship": 1', "sink_ship", id="a")]), End("length"))
    expected = chunks(text(r'{"name":"sink_ship","arguments":"{\"ship\": 1"}'), finish="length")
    assert golden(kind.proxy.post(stream=True, tools=TOOLS).text) == expected


def test_a_call_behind_text_and_thinking(kind: Kind) -> None:
    parts = [
        Say(thinking="Hm"),
        Say("I look.\n"),
        Say(calls=[piece("{", "ping_depot", id="a")]),
        Say(calls=[piece("}")]),
    ]
    kind.plays(*parts, Say("Done."))
    expected = [thought("Hm"), text("I look."), begin("ping_depot", call_id="a"), more("{}"), text("Done.")]
    body = golden(kind.proxy.post(stream=True, tools=TOOLS).text)
    assert body == chunks(*expected, finish="tool_calls")


def test_a_call_is_typed_by_the_schema_of_the_client(kind: Kind) -> None:
    kind.plays(Say(calls=[structured("find_ferry", '{"to": 5, "seats": "2", "deck": "A"}')]))
    message = kind.proxy.post(tools=TOOLS).json()["choices"][0]["message"]
    assert message["tool_calls"][0]["function"]["arguments"] == '{"to":"5","seats":2,"deck":"A"}'


def test_white_space_beside_a_piece_does_not_end_the_call(kind: Kind) -> None:
    first, *rest = piece("", "find_ferry", id="a"), piece('{"to": "Co'), piece('ll"}')
    kind.plays(Say(calls=[first]), *(Say("\n", calls=[one]) for one in rest))
    assert golden(kind.proxy.post(stream=True, tools=TOOLS).text) == chunks(*FERRY, finish="tool_calls")


@pytest.mark.parametrize("stream", [True, False])
def test_a_server_that_cannot_stream_answers_in_one_object(kind: Kind, stream: bool) -> None:
    message = {"role": "assistant", "content": None, "tool_calls": [structured("find_ferry", '{"to": "Coll"}', id="a")]}
    whole = {"id": "1", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    kind.plays(Status(200, json.dumps(whole).encode()))
    got = kind.proxy.post(stream=stream, tools=TOOLS)
    assert got.status_code == 200
    assert '"name":"find_ferry"' in got.text
    assert '"finish_reason":"tool_calls"' in got.text


def test_an_event_without_data_says_nothing(kind: Kind) -> None:
    kind.plays(b"data:\n\n", Say("Hi"))
    assert golden(kind.proxy.post(stream=True, tools=TOOLS).text) == chunks(text("Hi"))
