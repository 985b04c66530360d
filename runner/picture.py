"""A reading, shown to a person."""

import json
from collections.abc import Iterator

import click

from proxy.core.events import ArgsDelta, CallEnd, CallStart, Event, Reasoning, Text
from runner.reading import Call, Reading

_WIDTH = 100


def picture(reading: Reading, *, explain: bool) -> str:
    """What a client would get, for the eye."""
    return "\n".join(_lines(reading, explain=explain))


def _lines(reading: Reading, *, explain: bool) -> Iterator[str]:
    if explain:
        yield _head("events")
        yield from _steps(reading)
    if reading.reasoning.strip():
        yield _head("reasoning")
        yield from _indented(reading.reasoning.strip())
    if reading.content.strip():
        yield _head("content")
        yield from _indented(reading.content.strip())
    for call in reading.calls:
        yield _head("call" if call.complete else "cut off") + click.style(f"  ({call.dialect})", dim=True)
        yield "  " + click.style(call.name, fg="green" if call.complete else "yellow", bold=True)
        yield from _indented(_pretty(call), "  ")
    if not reading.calls:
        yield _head("no call")
    if reading.repairs:
        yield _head("repairs")
        for repair in reading.repairs:
            after = _short(repair.after) if repair.after else click.style("dropped", dim=True)
            yield f"  {repair.name:<20} {_short(repair.before)} {click.style('→', dim=True)} {after}"


def _head(word: str) -> str:
    return click.style(word, bold=True, fg="cyan")


def _pretty(call: Call) -> str:
    if not call.complete:
        return call.arguments
    return json.dumps(json.loads(call.arguments), ensure_ascii=False, indent=2)


def _indented(text: str, indent: str = "") -> Iterator[str]:
    for line in text.split("\n"):
        yield f"  {indent}{line}"


def _steps(reading: Reading) -> Iterator[str]:
    for piece, events in reading.steps:
        said = "  ".join(_event(event) for event in events) or click.style("waits", dim=True)
        yield f"  {_short(piece) if piece else '(end)':<24} {said}"


def _event(event: Event) -> str:
    match event:
        case Text():
            return f"text {_short(event.text)}"
        case Reasoning():
            return f"reasoning {_short(event.text)}"
        case CallStart():
            return click.style(f"call {event.name}", fg="green")
        case ArgsDelta():
            return f"arguments {_short(event.text)}"
        case CallEnd():
            return click.style("end" if event.complete else "cut off", fg="green" if event.complete else "yellow")


def _short(text: str) -> str:
    shown = json.dumps(text, ensure_ascii=False)
    return shown if len(shown) <= _WIDTH else shown[: _WIDTH - 2] + '…"'
