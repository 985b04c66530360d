"""The cursor: reads that do not know that the text came in pieces."""

import re
from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from proxy.core.cursor import BOUND, Cursor, Malformed, Parse, collect
from proxy.core.events import Event, Repair, Text
from proxy.core.words import Words

T = TypeVar("T")


def run(read: Callable[[Cursor], Parse[T]], *parts: str) -> tuple[list[Any], T, str]:
    """What a read says, what it returns, and what it leaves."""
    cursor = Cursor()
    said: list[Event | Repair | str] = []
    parse, rest = read(cursor), list(parts)
    while True:
        try:
            item = next(parse)
        except StopIteration as stop:
            return said, stop.value, cursor.rest + "".join(rest)
        if item is not None:
            said.append(item)
        elif rest:
            cursor.feed(rest.pop(0))
        else:
            cursor.close(cut=False)


@pytest.mark.parametrize("parts", [("ab<end>c",), tuple("ab<end>c"), ("ab<", "end>c"), ("ab<en", "d>", "c")])
def test_until_says_the_text_and_stops_before_the_word(parts: tuple[str, ...]) -> None:
    said, word, left = run(lambda cursor: cursor.until(Words(("<end>",)), Text), *parts)
    assert ("".join(text.text for text in said), word, left) == ("ab", "<end>", "<end>c")


def test_until_says_what_was_not_a_word_after_all() -> None:
    said, word, _ = run(lambda cursor: cursor.until(Words(("<end>",)), Text), "a<e", "x")
    assert ("".join(text.text for text in said), word) == ("a<ex", None)


def test_accept_takes_a_word_in_any_case_or_nothing() -> None:
    assert run(lambda cursor: cursor.accept("Abc"), "aB", "Cd")[1:] == (True, "d")
    assert run(lambda cursor: cursor.accept("abc"), "ab", "d")[1:] == (False, "abd")


def test_accept_does_not_wait_when_it_can_tell() -> None:
    cursor = Cursor("ax")
    assert list(cursor.accept("abc")) == []


def test_take_while_refuses_what_is_too_long_to_be_a_name() -> None:
    with pytest.raises(Malformed):
        run(lambda cursor: cursor.take_while(re.compile("[^a]")), "a" * (BOUND + 1))


def test_rewind_brings_back_every_character_however_it_came() -> None:
    cursor = Cursor("one ")
    outer = cursor.mark()
    cursor.take(4)
    cursor.feed("two ")
    inner = cursor.mark()
    cursor.take(4)
    cursor.feed("three")
    cursor.take(5)
    assert cursor.since(outer) == "one two three"
    assert cursor.since(inner) == "two three"
    cursor.rewind(inner)
    assert cursor.rest == "two three"
    cursor.take(4)
    cursor.rewind(outer)
    assert cursor.rest == "one two three"


def test_collect_keeps_the_pieces_and_passes_the_repairs_on() -> None:
    repair = Repair("comma", ",", "")

    def read() -> Parse[int]:
        yield "a"
        yield repair
        yield "b"
        return 7

    assert run(lambda cursor: collect(read(), cursor)) == ([repair], ("ab", 7), "")


def test_a_waiting_read_lets_plain_deltas_pass() -> None:
    cursor = Cursor("plain")
    parse = cursor.until(Words(("<end>",)), Text)
    assert next(parse) == Text("plain")
    assert next(parse) is None
    assert cursor.run is not None
    search, wrap = cursor.run
    assert search(" more") is None
    assert wrap(" more") == Text(" more")
    assert search("<e")


def test_nothing_passes_a_read_whose_text_may_be_taken_back() -> None:
    cursor = Cursor("plain")
    cursor.mark()
    parse = cursor.until(Words(("<end>",)), Text)
    next(parse)
    next(parse)
    assert cursor.run is None
