"""What the demo models say is what is read: every dialect, any call."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading import Answer, answer, pieces, read, same

from proxy.catalogue import dialects
from proxy.core.dialect import Dialect
from proxy.core.reader import Begins
from proxy.core.tools import Tools
from proxy.upstream.demo.speech import Call, spelled

TEXT = {"type": "string"}
TOOLS = Tools.of(
    [
        {"name": "ping", "parameters": {"type": "object", "properties": {}}},
        {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": TEXT}, "required": ["city"]}},
        {
            "name": "bookTable",
            "parameters": {
                "type": "object",
                "properties": {
                    "note": TEXT,
                    "guests": {"type": "integer"},
                    "budget": {"type": "number"},
                    "outside": {"type": "boolean"},
                    "days": {"type": "array", "items": TEXT},
                    "host": {
                        "type": "object",
                        "properties": {"name": TEXT, "seats": {"type": "array", "items": {"type": "integer"}}},
                    },
                },
                "required": ["note"],
            },
        },
    ]
)
AWKWARD = "He said \"no\" and 'yes'\nthen {a: [1]}, 서울 🐙 \\ <b> & 100%"
NOTHING = Call("ping", {})
WEATHER = Call("get_weather", {"city": "Paris"})
CALLS = {
    "without arguments": [NOTHING],
    "one argument": [WEATHER],
    "an awkward string": [Call("get_weather", {"city": AWKWARD})],
    "every type": [
        Call(
            "bookTable",
            {
                "note": "two words",
                "guests": -3,
                "budget": 1.5,
                "outside": True,
                "days": ["sat", AWKWARD],
                "host": {"name": "민지", "seats": [1, 2]},
            },
        )
    ],
    "the same tool twice": [WEATHER, Call("get_weather", {"city": "London"})],
    "three tools": [NOTHING, Call("bookTable", {"note": AWKWARD, "guests": 0, "outside": False}), WEATHER],
}

words = st.sampled_from(
    [*"서🐙é\"'\\{}[]()<>,:`#| \n\t", "Paris", "12", "true", "null", "a=b", "\\n", "<b>", "</b>", "&amp;"]
)
texts = st.lists(words, max_size=8).map("".join).filter(lambda text: text == text.strip())
"""White space at the ends is left out: `dots`, `cline_xml`, `seed_oss` and `mimo` cannot tell it from their layout."""
arguments = st.fixed_dictionaries(
    {"note": texts},
    optional={
        "guests": st.integers(-(10**12), 10**12),
        "budget": st.floats(allow_nan=False, allow_infinity=False),
        "outside": st.booleans(),
        "days": st.lists(texts, max_size=3),
        "host": st.fixed_dictionaries({}, optional={"name": texts, "seats": st.lists(st.integers(-9, 9), max_size=3)}),
    },
)
calls = st.lists(
    st.one_of(
        st.just(NOTHING),
        texts.map(lambda city: Call("get_weather", {"city": city})),
        arguments.map(lambda found: Call("bookTable", found)),
    ),
    min_size=1,
    max_size=3,
)


def heard(text: str, begins: Begins = Begins.ANSWER) -> Answer:
    return answer(read(pieces(text, 4), TOOLS, begins=begins))


def assert_heard(found: Answer, said: list[Call], prose: str) -> None:
    assert same([list(one) for one in found.calls], [[one.name, one.arguments] for one in said])
    assert not found.cut
    assert found.content.strip() == prose.strip()


@pytest.mark.parametrize("case", CALLS)
@pytest.mark.parametrize("name", dialects())
def test_a_call_is_heard_as_it_was_meant(name: str, case: str) -> None:
    for prose in ("", "I'll look that up.", "알아볼게요.\n"):
        text = spelled(dialects()[name], CALLS[case], prose=prose)
        for begins in (Begins.ANSWER, Begins.UNKNOWN):
            assert_heard(heard(text, begins), CALLS[case], prose)


@pytest.mark.parametrize("name", dialects())
@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(said=calls, prose=st.sampled_from(["", "One moment.", "잠시만요.\n"]))
def test_any_call_is_heard_as_it_was_meant(name: str, said: list[Call], prose: str) -> None:
    assert_heard(heard(spelled(dialects()[name], said, prose=prose)), said, prose)


IDS = {
    "tool_use_json": r'"id": "(\w+)"',
    "solar_open": r"begin\|>(\w+)<",
    "mistral": r'"id": "(\w{9})"',
    "kimi_k2": r"begin\|>(functions\.\w+:\d+)<",
    "cohere_command3": r'"tool_call_id": "(\d+)"',
    "kimi_k3": r'index="(\d+)"',
}


@pytest.mark.parametrize("name", IDS)
def test_no_two_calls_of_a_conversation_have_the_same_id(name: str) -> None:
    first = spelled(dialects()[name], [WEATHER, WEATHER])
    later = spelled(dialects()[name], [WEATHER], number=2)
    assert len(set(re.findall(IDS[name], first + later))) == 3


def test_reasoning_comes_before_the_call() -> None:
    found = heard(spelled(dialects()["thinking"], [WEATHER], prose="Let me see."))
    assert found.reasoning == "The get_weather tool fits."
    assert_heard(found, [WEATHER], "Let me see.")


def test_calls_in_a_list_share_the_list() -> None:
    text = spelled(dialects()["xlam"], [WEATHER, NOTHING])
    assert text == '[{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "ping", "arguments": {}}]'


def test_an_answer_without_calls_is_its_prose() -> None:
    assert {spelled(one, [], prose="Hello.") for one in dialects().values()} == {"Hello."}


def test_an_example_that_shows_no_arguments_says_what_to_add() -> None:
    mute = Dialect(name="mute", models=(), grammars=(), example="<find_ferry to Coll>")
    with pytest.raises(ValueError, match="mute shows no arguments; add `argument`"):
        spelled(mute, [WEATHER])
