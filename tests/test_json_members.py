"""A member of a JSON text is put in and taken out, and nothing else moves."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.connect.json_members import put, without

PUT = {
    "into nothing": ("{}", '{\n  "s": {\n    "n": 1\n  }\n}'),
    "into an indented object": ('{\n    "a": [1,2]\n}\n', '{\n    "a": [1,2],\n    "s": {\n        "n": 1\n    }\n}\n'),
    "beside another": ('{\n\t"s": {\n\t\t"x": {}\n\t}\n}', '{\n\t"s": {\n\t\t"x": {},\n\t\t"n": 1\n\t}\n}'),
    "into an empty one": ('{\n  "s": {},\n  "a": 1\n}', '{\n  "s": {\n    "n": 1\n  },\n  "a": 1\n}'),
    "on one line": ('{"s":{"x":1},"a":2.50}', '{"s":{"x":1, "n": 1},"a":2.50}'),
    "over an older value": ('{ "s": { "n": {"x": [1, 2]}, "m": 2 } }', '{ "s": { "n": 1, "m": 2 } }'),
    "with the other line ends": ('{\r\n  "s": {}\r\n}', '{\r\n  "s": {\r\n    "n": 1\r\n  }\r\n}'),
    "behind a byte order mark": ('\ufeff{\n "a": 1\n}', '\ufeff{\n "a": 1,\n "s": {\n  "n": 1\n }\n}'),
    "beside braces in strings": ('{"}{": "{\\"s\\": {", "s": {}}', '{"}{": "{\\"s\\": {", "s": {"n": 1}}'),
}


@pytest.mark.parametrize("where", PUT)
def test_a_member_is_put_where_it_would_have_been_typed(where: str) -> None:
    before, after = PUT[where]
    assert put(before, ("s", "n"), 1) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"s": {"n": 1}}', '{"s": {}}'),
        ('{"s": {"a": 1, "n": {"x": ","}}}', '{"s": {"a": 1}}'),
        ('{"s": {"n": {},  "a": 1}}', '{"s": {"a": 1}}'),
        ('{\n  "s": {\n    "a": 1,\n    "n": 2,\n    "b": 3\n  }\n}', '{\n  "s": {\n    "a": 1,\n    "b": 3\n  }\n}'),
    ],
)
def test_a_member_is_taken_out_with_its_comma(before: str, after: str) -> None:
    assert without(before, ("s", "n")) == after


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
OBJECTS = st.dictionaries(st.text(), VALUES, max_size=3)


@settings(deadline=None)
@given(OBJECTS, OBJECTS, OBJECTS, VALUES, st.sampled_from([None, 1, 2, "\t"]))
def test_whatever_the_text_holds_stays(
    before: dict[str, Any], beside: dict[str, Any], behind: dict[str, Any], value: Any, indent: int | str | None
) -> None:
    beside.pop("n", None)
    document = before | {"s": beside} | behind | {"s": beside}
    text = json.dumps(document, indent=indent)
    with_it = put(text, ("s", "n"), value)
    assert json.dumps(json.loads(with_it)) == json.dumps(document | {"s": beside | {"n": value}})
    assert json.loads(without(with_it, ("s", "n"))) == document
    if beside:
        assert without(with_it, ("s", "n")) == text
