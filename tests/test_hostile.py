"""Text made to hurt: it must cost no more than its length, lose nothing, and never raise."""

import gc
import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import pytest
from reading import ALL, answer, pieces, read

from proxy.core.arguments import MAX_NESTING
from proxy.core.events import CallEnd, CallStart, Reasoning, Text
from proxy.core.normalizer import Normalizer
from proxy.core.reader import MAX_WASTE, Begins
from proxy.core.tools import Tools

TOOLS = Tools.of(
    [
        {
            "name": name,
            "parameters": {
                "type": "object",
                "properties": {"path": {"type": "string"}, "text": {"type": "string"}, "any": {}},
                "required": ["text"],
            },
        }
        for name in ("search", "write")
    ]
)

BEGINNINGS = {
    "angle brackets": "<",
    "braces": "{",
    "braces on lines": "{\n",
    "brackets on lines": "[\n",
    "quotes": '"',
    "quotes on lines": '"\n',
    "backticks": "`",
    "fences": "```json\n",
    "tildes": "~~~\n",
    "newlines": "\n",
    "indents": "\n   ",
    "letters": "a",
    "spaces": " ",
    "lone surrogates": "\ud800",
    "NULs": "\x00",
    "opening tags": "<tool_call>",
    "opening tags and braces": "<tool_call>{",
    "calls that never get a name": '<tool_call>{"arguments": {"a": "',
    "unmarked objects": '{"arguments": "\n',
    "thinking tags": "<think>\n",
    "labels": "Action: search\n",
    "names": "search\n",
    "channels": "<|channel|>",
    "message starts": "<|start|>assistant",
    "end tokens": "<|im_end|> x",
    "end tokens in a row": "<|im_end|> ",
    "headers": "<｜tool▁call▁begin｜>search<｜tool▁sep｜>",
    "namespace tokens": "]<]minimax[>[",
    "fenced calls, then prose": '```json\n{"name": "search", "arguments": {"text": "x"}}\n```\nprose\n',
}
INSIDE = {
    "Python calls": ("", "[search(text='\n"),
    "deep arrays": ('<tool_call>{"name": "search", "arguments": {"any": ', "["),
    "deep objects": ('<tool_call>{"name": "search", "arguments": {"any": ', '{"a":'),
    "inner quotes": ('<tool_call>{"name": "search", "arguments": {"text": "', 'a" b '),
    "inner quotes and commas": ('<tool_call>{"name": "search", "arguments": {"text": "', 'a", b '),
    "backslashes": ('<tool_call>{"name": "search", "arguments": {"text": "', "\\"),
    "commas": ('<tool_call>{"name": "search", "arguments": {', ","),
    "stars of a comment": ('<tool_call>{"name": "search", /*', "*"),
    "parameter tags": ("<tool_call><function=search><parameter=text>", "<parameter=path"),
    "closing tags": ("<tool_call><function=search><parameter=text>", "</function>\n"),
    "ends in a Gemma string": ('<|tool_call>call:search{text:<|"|>', "}<tool_call|>"),
    "ends of CDATA": ('<function name="search"><param name="text"><![CDATA[', "]]"),
    "a key without an end": ('<tool_call>{"', "k"),
    "calls quoted in reasoning": ("<think>", '<tool_call>{"name": "search", "arguments": {"text": "x"}}</tool_call> '),
    "calls to a tool that is not there": ("<tool_call>[", '{"name": "nope", "arguments": {}},'),
}
HOSTILE = {**{name: ("", text) for name, text in BEGINNINGS.items()}, **INSIDE}


def calls_made(work: Callable[[], Any]) -> int:
    """How many functions run: a measure of work that does not depend on the machine."""
    count = 0

    def counted(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    gc.disable()  # what other tests have left behind is not cleaned up at this one's expense
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("size", [0, 4])
def test_work_grows_with_the_length_and_no_faster(name: str, size: int) -> None:
    before, repeated = HOSTILE[name]
    short, long = (before + repeated * (length // len(repeated)) for length in (4_000, 32_000))
    work = [calls_made(partial(read, pieces(text, size), TOOLS, begins=Begins.ANSWER)) for text in (short, long)]
    assert work[1] < 8 * work[0] * 1.5 + MAX_WASTE  # so much may be read in vain in a text of any length


@pytest.mark.parametrize("name", BEGINNINGS)
@pytest.mark.parametrize("begins", [Begins.ANSWER, Begins.UNKNOWN])
def test_nothing_is_lost(name: str, begins: Begins) -> None:
    text = BEGINNINGS[name] * (200_000 // len(BEGINNINGS[name])) + " the end"
    events = read([text], TOOLS, begins=begins)
    assert not any(isinstance(event, CallStart) for event in events)
    said = "".join(event.text for event in events if isinstance(event, Text | Reasoning))
    assert said == (text.removeprefix("<think>\n<think>") if name == "thinking tags" else text)


def test_nesting_deeper_than_the_limit_is_no_call() -> None:
    deep = "[" * (MAX_NESTING + 1) + "]" * (MAX_NESTING + 1)
    raw = f'{{"name": "search", "arguments": {{"any": {deep}, "text": "x"}}}}'
    assert answer(read([raw], TOOLS)).content == raw


def test_nesting_at_the_limit_is_a_call() -> None:
    deep = "[" * (MAX_NESTING - 1) + "]" * (MAX_NESTING - 1)
    raw = f'{{"name": "search", "arguments": {{"any": {deep}, "text": "x"}}}}'
    assert len(answer(read([raw], TOOLS)).calls) == 1


def test_a_call_that_nests_too_deep_after_it_was_announced_ends_incomplete() -> None:
    raw = '<tool_call>{"name": "search", "arguments": {"text": "x", "any": ' + "[" * 100_000
    events = read([raw], TOOLS)
    assert [event for event in events if isinstance(event, CallEnd)] == [CallEnd(complete=False)]


def test_a_megabyte_in_one_argument_is_passed_on_piece_by_piece() -> None:
    normalizer = Normalizer(TOOLS, ALL)
    normalizer.feed('<tool_call>{"name": "search", "arguments": {"text": "')
    assert calls_made(lambda: [normalizer.feed("abcd") for _ in range(1000)]) < 6 * 1000
