"""Arguments as models write them, and the strict JSON that is made of them."""

import json
from typing import Any

import pytest

from proxy.core.arguments import Arguments, value_of
from proxy.core.calls import arguments
from proxy.core.cursor import Cursor, Cut, Malformed
from proxy.core.events import Repair
from proxy.core.tools import Tool

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "count": {"type": "integer"},
        "ratio": {"type": "number"},
        "flag": {"type": "boolean"},
        "unit": {"enum": ["m", "ft"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "spot": {"$ref": "#/$defs/spot"},
        "seat": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "note": {"type": ["string", "null"]},
        "any": {},
        "max_results": {"type": "integer"},
    },
    "$defs": {"spot": {"type": "object", "properties": {"x": {"type": "integer"}, "in": {"$ref": "#/$defs/spot"}}}},
    "required": ["text"],
}


def strict(written: str, *, cut: bool = False) -> tuple[str, list[str]]:
    """The strict JSON, and the names of the repairs."""
    said = list(arguments(Cursor(written, closed=True, cut=cut), Tool("note", SCHEMA), Arguments()))
    assert None not in said
    text = "".join(item for item in said if isinstance(item, str))
    return text, [item.name for item in said if isinstance(item, Repair)]


@pytest.mark.parametrize(
    ("written", "meant", "repairs"),
    [
        ('{"text": "a"}', {"text": "a"}, []),
        ("{}", {}, []),
        ("{'text': 'it is'}", {"text": "it is"}, ["quotes", "quotes"]),
        ("{'text': 'it's calm'}", {"text": "it's calm"}, ["quotes", "inner-quote", "quotes"]),
        ('{"text": "say "hi" now"}', {"text": 'say "hi" now'}, ["inner-quote", "inner-quote"]),
        ('{"text": "say "hi", and go", "count": 1}', {"text": 'say "hi", and go', "count": 1}, ["inner-quote"] * 2),
        ("{“text”: “a”}", {"text": "a"}, ["quotes", "quotes"]),
        ('{"text": "the “old” mole"}', {"text": "the “old” mole"}, []),
        ('{"text": `a "b"\nc`}', {"text": 'a "b"\nc'}, ["raw-control", "quotes"]),
        ('{"text": """a "b"\nc"""}', {"text": 'a "b"\nc'}, []),
        ('{text: "a"}', {"text": "a"}, ["unquoted-key"]),
        ('{"text": hall}', {"text": "hall"}, ["coerced"]),
        ('{"text" = "a"}', {"text": "a"}, ["equals-sign"]),
        ('{"text": "a",}', {"text": "a"}, ["trailing-comma"]),
        ('{"text": "a" "count": 2}', {"text": "a", "count": 2}, []),
        ('{"text": "a", // why\n "count": 2}', {"text": "a", "count": 2}, ["comment"]),
        ('{"text": "a"', {"text": "a"}, ["missing-bracket"]),
        ('{"text": "a", "tags": ["b"}', {"text": "a", "tags": ["b"]}, ["missing-bracket"]),
        ('{{"text": "a"}}', {"text": "a"}, ["doubled-braces"]),
        ('{"text": "a\tb"}', {"text": "a\tb"}, ["raw-control"]),
        (r'{"text": "\d+ it\'s C:\Users"}', {"text": r"\d+ it's C:\Users"}, ["escape", "escape", "escape"]),
        (r'{"text": "\ud83d\ude80 \ud83d"}', {"text": "🚀 �"}, ["lone-surrogate"]),
        (
            '{"text": "a", "flag": True, "seat": None}',
            {"text": "a", "flag": True, "seat": None},
            ["literal", "literal"],
        ),
        # typed by the schema
        ('{"text": 75001}', {"text": "75001"}, ["coerced"]),
        ('{"text": "a", "count": "5"}', {"text": "a", "count": 5}, ["coerced"]),
        ('{"text": "a", "count": 5.0}', {"text": "a", "count": 5}, ["coerced"]),
        ('{"text": "a", "ratio": 5.0}', {"text": "a", "ratio": 5.0}, []),
        ('{"text": "a", "flag": "true"}', {"text": "a", "flag": True}, ["coerced"]),
        ('{"text": "a", "unit": "FT"}', {"text": "a", "unit": "ft"}, ["coerced"]),
        ('{"text": "a", "tags": "b"}', {"text": "a", "tags": ["b"]}, ["coerced"]),
        ('{"text": "a", "tags": "[\\"b\\"]"}', {"text": "a", "tags": ["b"]}, ["coerced"]),
        ('{"text": "a", "spot": "{\'x\': \'1\'}"}', {"text": "a", "spot": {"x": 1}}, ["coerced"]),
        ('{"text": "a", "spot": {"in": {"x": "2"}}}', {"text": "a", "spot": {"in": {"x": 2}}}, ["coerced"]),
        ('{"text": "a", "count": null}', {"text": "a"}, ["null-dropped"]),
        ('{"text": "a", "note": null}', {"text": "a", "note": None}, []),
        ('{"text": {"value": "a", "type": "string"}}', {"text": "a"}, ["coerced"]),
        ('{"Text": "a", "maxResults": 3}', {"text": "a", "max_results": 3}, ["key", "key"]),
        ('{"text": "a", "any": ["5", 5, {"b": null}]}', {"text": "a", "any": ["5", 5, {"b": None}]}, []),
        ('{"arguments": {"text": "a"}}', {"text": "a"}, ["unwrapped"]),
        ('{"input": {"text": "a"}, "count": 3}', {"text": "a", "count": 3}, ["unwrapped"]),
        ('{"params": {"a": 1}, "text": "b"}', {"params": {"a": 1}, "text": "b"}, []),
        ('{"text": "a", "Text": "b", "text": "c"}', {"text": "a"}, ["key", "duplicate-key", "duplicate-key"]),
        # not an object at all
        ('"{\\"text\\": \\"a\\"}"', {"text": "a"}, ["arguments-as-string"]),
        ('"{"text": "a"}"', {"text": "a"}, ["arguments-as-string"]),
        ('"wind is rising"', {"text": "wind is rising"}, ["plain-string"]),
        ('""', {}, []),
        ("null", {}, []),
        ('[{"text": "a"}]', {"text": "a"}, []),
        ('["a", 2]', {"text": "a", "count": 2}, []),
    ],
)
def test_what_was_meant_is_written_as_strict_json(written: str, meant: dict[str, Any], repairs: list[str]) -> None:
    text, names = strict(written)
    assert json.loads(text) == meant
    assert names == repairs


@pytest.mark.parametrize(
    "written",
    [
        '{"text": "a", "count": "' + "9" * 5000 + '"}',
        '{"text": "a", "any": ' + "9" * 5000 + "}",
        '{"text": "a", "ratio": 1e999, "any": -Infinity}',
        '{"text": "a", "any": 1٣}',
        '[{"name": ["x"], "value": 1}, {"name": 5, "value": 2}]',
    ],
)
def test_odd_numbers_and_names_end_in_strict_json_or_a_refusal(written: str) -> None:
    try:
        text, _ = strict(written)
    except Malformed:
        return
    assert isinstance(json.loads(text, parse_constant=pytest.fail, parse_int=str), dict)


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/J", "$defs": {"J": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/J"}]}}},
        {"properties": {"a": {"type": 5}}},
        {"properties": {"a": {"type": [["x"]]}}},
        {"properties": 3, "required": 4},
        {"anyOf": 1},
    ],
)
def test_a_schema_that_is_nonsense_does_no_harm(schema: dict[str, Any]) -> None:
    said = list(arguments(Cursor('{"a": "b"}', closed=True), Tool("t", schema), Arguments()))
    assert "".join(item for item in said if isinstance(item, str)) == '{"a":"b"}'


def test_numbers_are_kept_as_they_were_written() -> None:
    assert (
        strict('{"any": 12345678901234567890, "ratio": 1.250e3}')[0] == '{"any":12345678901234567890,"ratio":1.250e3}'
    )


@pytest.mark.parametrize("written", ['{"text": "a', '{"text"', '{"text":', '{"text": "a",', '{"any": tru', '{"any": ['])
def test_a_text_that_ends_inside_a_value_is_cut(written: str) -> None:
    if written.endswith("["):
        assert strict(written)[0] == '{"any":[]}'
    else:
        with pytest.raises(Cut):
            strict(written)


@pytest.mark.parametrize("written", ['{"text": "a"', '{"text": "a", "tags": ["b"', '{"count": 5'])
def test_nothing_is_supplied_when_the_token_limit_ended_the_text(written: str) -> None:
    with pytest.raises(Cut):
        strict(written, cut=True)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("['a', 1, True, None]", ["a", 1, True, None]),
        ("(1, 2)", [1, 2]),
        ("-0x1F", -31),
        ("007", 7),
        (".5", 0.5),
        ("1_000", 1000),
    ],
)
def test_literals_of_other_languages(written: str, meant: Any) -> None:
    assert value_of(written) == meant


@pytest.mark.parametrize("written", ["", "[1, 2", '{"a": 1} and more'])
def test_what_spells_no_value_is_refused(written: str) -> None:
    if written == "[1, 2":
        assert value_of(written) == [1, 2]
    else:
        with pytest.raises(Malformed):
            value_of(written)
