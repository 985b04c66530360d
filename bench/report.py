"""What was measured as tables: the figures, their ratios to nginx, and the bars that strictcall has set itself."""

import statistics
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from bench.load import Measured

DIRECT = "direct"
NGINX = "nginx"
LITELLM = "litellm"
STRICTCALL = "strictcall"

Figures = dict[str, dict[str, float | None]]  # contender: figure: value


@dataclass(frozen=True, slots=True)
class Row:
    """All that is known of one contender."""

    name: str
    rounds: Mapping[str, list[Measured]]  # phase: what each round measured
    resident_mb: tuple[float, float] | None  # after the start and at the end; None where there is no process


def figures(rows: list[Row]) -> Figures:
    """Every figure of every contender: the medians of all rounds."""
    found = {row.name: of(row) for row in rows}
    for name, row in found.items():
        mine, direct = row["first token µs"], found.get(DIRECT, {}).get("first token µs")
        row["added µs"] = mine - direct if name != DIRECT and mine is not None and direct is not None else None
    return found


def of(row: Row) -> dict[str, float | None]:
    """The figures of one contender."""

    def median(phase: str, value: Callable[[Measured], float]) -> float | None:
        values = [value(one) for one in row.rounds[phase]]
        return statistics.median(values) if values else None

    def cpu(phase: str, count: Callable[[Measured], int]) -> float | None:
        return median(phase, lambda one: one.cpu / count(one) * 1e6) if row.resident_mb else None

    texts = ("1", "50", "200", "paced", "no tools", "calls")
    start, end = row.resident_mb or (None, None)
    return {
        "first token µs": median("first", lambda one: statistics.median(one.first or [float("nan")]) * 1e6),
        **{f"events/s {phase}": median(phase, lambda one: one.events / one.seconds) for phase in texts},
        "requests/s": median("short", lambda one: one.requests / one.seconds),
        **{f"CPU µs/event {phase}": cpu(phase, lambda one: one.events) for phase in texts},
        "CPU µs/request": cpu("short", lambda one: one.requests),
        "MB at start": start,
        "MB at end": end,
        "wrong": sum(len(one.wrong) for rounds in row.rounds.values() for one in rounds),
    }


# How the columns of the tables are headed, and which figures they hold.
TIMES = {
    "first token": "first token µs",
    "added": "added µs",
    "1": "events/s 1",
    "50": "events/s 50",
    "200": "events/s 200",
    "50 calls": "events/s calls",
    "requests/s": "requests/s",
}
COSTS = {
    "1": "CPU µs/event 1",
    "50": "CPU µs/event 50",
    "200": "CPU µs/event 200",
    "50 paced": "CPU µs/event paced",
    "50 no tools": "CPU µs/event no tools",
    "50 calls": "CPU µs/event calls",
    "request": "CPU µs/request",
}
REST = {"at start": "MB at start", "at end": "MB at end", "wrong": "wrong"}


@dataclass(frozen=True, slots=True)
class Bar:
    """Something that strictcall wants to hold."""

    says: str
    value: Callable[[Figures, str], float | None]
    most: float = float("inf")
    least: float = 0.0


def against(figure: str, other: str = NGINX) -> Callable[[Figures, str], float | None]:
    return lambda found, me: ratio(found, figure, me, other)


BARS = (
    Bar("50 streams of text, tools offered: CPU per event at most 2x nginx's", against("CPU µs/event 50"), most=2),
    Bar("50 streams of text, tools offered: events/s at least 0.8x nginx's", against("events/s 50"), least=0.8),
    Bar("the first token: added time at most 6x nginx's", against("added µs"), most=6),
    Bar(
        "50 streams of calls, arguments of 2 KB: CPU per event at most 6x nginx's",
        against("CPU µs/event calls"),
        most=6,
    ),
    Bar(
        "50 streams of text: events per second of CPU at least 100x LiteLLM's",
        lambda found, me: ratio(found, "CPU µs/event 50", LITELLM, me),
        least=100,
    ),
    Bar("resident after start: at most 100 MB", lambda found, me: found[me]["MB at start"], most=100),
)


def ratio(found: Figures, figure: str, one: str, other: str) -> float | None:
    """A figure of one contender divided by that of another, if both are known."""
    above, below = (found.get(name, {}).get(figure) for name in (one, other))
    return above / below if above is not None and below else None


def show(found: Figures) -> None:
    """Print everything."""
    print("\nTime: µs to the first token; events/s by number of streams; short answers/s on 50 connections\n")
    table(found, TIMES)
    print("\nCPU of the proxy: µs per event by number of streams; per short answer\n")
    table(found, COSTS)
    print("\nResident memory in MB, and answers that were not what was sent\n")
    table(found, REST)
    if NGINX in found:
        ratios = {one: {name: ratio(found, name, one, NGINX) for name in values} for one, values in found.items()}
        print("\nRatios to nginx: time\n")
        table(ratios, TIMES)
        print("\nRatios to nginx: CPU\n")
        table(ratios, COSTS)
    for me in (name for name in found if name.startswith(STRICTCALL)):
        print(f"\nBars: {me}\n")
        for bar in BARS:
            print(f"  {bar.says:<74}{verdict(bar, bar.value(found, me))}")


def table(found: Figures, columns: Mapping[str, str]) -> None:
    lines: Iterable[tuple[str, list[str]]] = (
        ("", list(columns)),
        *((name, [number(values[figure]) for figure in columns.values()]) for name, values in found.items()),
    )
    for name, cells in lines:
        print(f"{name:<20}" + "".join(f"{cell:>13}" for cell in cells))


def number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.2f}"


def verdict(bar: Bar, value: float | None) -> str:
    if value is None:
        return f"{'-':>8}  not measured"
    return f"{number(value):>8}  {'holds' if bar.least <= value <= bar.most else 'DOES NOT HOLD'}"
