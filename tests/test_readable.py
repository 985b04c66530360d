"""Results for the eye."""

from typing import Any

import pytest

from runner.readable import readable


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "(nothing)"),
        ("안녕\nhello", "안녕\nhello"),
        ([], "(none)"),
        (["a", 1, True], "- a\n- 1\n- yes"),
        ({"a": 1, "long": None}, "a     1\nlong  -"),
        ([{"이름": "김", "n": 1}, {"이름": "남궁", "n": 2}], "이름  n\n----  -\n김    1\n남궁  2"),
        ([{"a": 1}, {"b": 2}], "a  b\n-  -\n1\n   2"),
        ([{"a": "x\ny"}, {"a": "z"}], "a\n  x\n  y\n\na  z"),
        ({"rows": [{"a": 1}, {"a": 2}]}, "rows\n  a\n  -\n  1\n  2"),
        ("\x1b[31mred\x07 \x9b0m", "�[31mred� �0m"),
    ],
)
def test_a_value_as_a_person_would_write_it(value: Any, text: str) -> None:
    assert readable(value) == text
