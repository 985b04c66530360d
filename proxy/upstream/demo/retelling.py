"""Answers in words from the results of tools. Every scalar of a result stands in them as the tool wrote it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Json = Any


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool gave back."""

    tool: str
    text: str


def retold(results: list[Result], *, korean: bool) -> str:
    """One answer from all results."""
    return "\n\n".join(_one(result, korean=korean) for result in results)


def _one(result: Result, *, korean: bool) -> str:
    tool = result.tool or ("도구" if korean else "the tool")
    if not result.text.strip():
        return f"{tool}의 결과가 비어 있습니다." if korean else f"The result of {tool} is empty."
    lead = f"{tool}의 결과입니다:" if korean else f"Here is what {tool} says:"
    try:
        lines = list(_lines(_loaded(result.text), ""))
    except RecursionError:  # nested deeper than anyone would tell it
        lines = [result.text]
    return f"{lead} {lines[0]}" if len(lines) == 1 else "\n".join([lead, *(f"- {line}" for line in lines)])


def _loaded(text: str) -> Json:
    """The JSON that the text is, numbers as they are written; other text is itself."""
    try:
        found = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except json.JSONDecodeError:
        return text
    return found if isinstance(found, dict | list) and found else text


def _lines(value: Json, label: str) -> Iterator[str]:
    """`{"wind": {"top_speed": 5}}` as `wind, top speed: 5`."""
    match value:
        case dict() if value:
            for key, item in value.items():
                name = str(key).replace("_", " ")
                yield from _lines(item, f"{label}, {name}" if label else name)
        case list() if value and not any(isinstance(item, dict | list) for item in value):
            text = ", ".join(map(_said, value))
            yield f"{label}: {text}" if label else text
        case list() if value:
            for number, item in enumerate(value, 1):
                yield from _lines(item, f"{label} {number}".strip())
        case _:
            yield f"{label}: {_said(value)}" if label else _said(value)


def _said(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)
