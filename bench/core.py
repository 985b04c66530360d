"""What a delta costs in the core, against `orjson.loads` of the Ollama line that would carry it.

Contenders alternate within one run and the best of several rounds counts, so the ratios hold on a noisy machine.

    python bench/core.py [--json]
"""

import inspect
import json
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import orjson

sys.path.insert(0, str(Path(__file__).parent.parent))

from proxy.catalogue import dialects
from proxy.core.normalizer import Normalizer
from proxy.core.tools import Tools

ROUNDS = 7
PIECE = 4
TOOLS = Tools.of(
    [
        {
            "type": "function",
            "function": {
                "name": "write_file",
                "parameters": {
                    "type": "object",
                    "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
                    "required": ["path", "content"],
                },
            },
        }
    ]
)
PROSE = (
    "The harbour was quiet when the ferry came in, and nobody on the pier could say why it was late again. "
    "Someone had hung a lamp in the window of the office; it moved a little in the wind.\n\n"
    "You could see three things from there: the mole, the boats (most of them old), and, on a clear day, the island. "
)
CODE = inspect.getsource(textwrap)
SHAPES: dict[str, tuple[str, str, Callable[[str], str]]] = {
    # dialect: what stands before a long string value, what behind it, how the value is written
    "JSON (hermes)": (
        '<tool_call>{"name": "write_file", "arguments": {"path": "a", "content": "',
        '"}}</tool_call>',
        lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    ),
    "XML-like (qwen3_coder)": (
        "<tool_call>\n<function=write_file>\n<parameter=path>\na\n</parameter>\n<parameter=content>\n",
        "\n</parameter>\n</function>\n</tool_call>",
        str,
    ),
    "Python (lfm2)": (
        "<|tool_call_start|>[write_file(path='a', content='",
        "')]<|tool_call_end|>",
        lambda text: text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n"),
    ),
    "Gemma (gemma4)": (
        '<|tool_call>call:write_file{path:<|"|>a<|"|>,content:<|"|>',
        '<|"|>}<tool_call|>',
        str,
    ),
}


def pieces(text: str) -> list[str]:
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]


def line(piece: str) -> bytes:
    """The NDJSON line in which Ollama sends a delta."""
    return orjson.dumps(
        {
            "model": "qwen2.5-coder:7b",
            "created_at": "2026-01-31T08:15:02.123456789Z",
            "message": {"role": "assistant", "content": piece},
            "done": False,
        }
    )


def seconds(work: Callable[[], object]) -> float:
    begin = time.process_time_ns()
    work()
    return (time.process_time_ns() - begin) / 1e9


def fed(before: str, parts: list[str]) -> Callable[[], None]:
    """Feed `parts` to an answer that has begun with `before`; the beginning is not timed."""
    normalizer = Normalizer(TOOLS, dialects().values())
    normalizer.feed(before)
    feed = normalizer.feed

    def work() -> None:
        for part in parts:
            feed(part)

    return work


def loaded(lines: list[bytes]) -> Callable[[], None]:
    def work() -> None:
        loads = orjson.loads
        for one in lines:
            loads(one)

    return work


def deltas() -> Iterator[tuple[str, float, float]]:
    """Microseconds of a delta and of its line, for each kind of text."""
    kinds = {"prose": ("", PROSE * 60), "code": ("", CODE * 3)}
    for name, (before, _, written) in SHAPES.items():
        kinds[f"arguments, {name}, prose"] = (before, written(PROSE * 60))
        kinds[f"arguments, {name}, code"] = (before, written(CODE * 3))
    for name, (before, text) in kinds.items():
        parts = pieces(text)
        lines = [line(part) for part in parts]
        ours, theirs = [], []
        for _ in range(ROUNDS):
            ours.append(seconds(fed(before, parts)))
            theirs.append(seconds(loaded(lines)))
        yield name, min(ours) / len(parts) * 1e6, min(theirs) / len(parts) * 1e6


def growth() -> Iterator[tuple[str, list[float]]]:
    """Microseconds a kilobyte for one string argument of 2 KB, 20 KB, 200 KB and 2 MB."""
    for name, (before, _, written) in SHAPES.items():
        costs = []
        for size in (2_000, 20_000, 200_000, 2_000_000):
            parts = pieces(written(CODE * (size // len(CODE) + 1))[:size])
            rounds = 5 if size > 20_000 else 40
            best = min(seconds(fed(before, parts)) for _ in range(rounds))
            costs.append(best / size * 1e9)
        yield name, costs


def table(rows: Iterable[Iterable[object]]) -> None:
    for row in rows:
        first, *others = row
        print(f"{first!s:<44}" + "".join(f"{other!s:>12}" for other in others))


def main() -> None:
    costs = list(deltas())
    grown = list(growth())
    if "--json" in sys.argv:
        print(json.dumps({"deltas": costs, "growth": grown}))
        return
    print(f"A delta of {PIECE} characters: Normalizer.feed against orjson.loads of its line, CPU time\n")
    table([("", "feed µs", "loads µs", "ratio")])
    table((name, f"{ours:.2f}", f"{theirs:.2f}", f"{ours / theirs:.2f}") for name, ours, theirs in costs)
    print("\nOne string argument in such deltas: µs a KB, and the last against that of 20 KB\n")
    table([("", "2 KB", "20 KB", "200 KB", "2 MB", "ratio")])
    table((name, *(f"{cost:.0f}" for cost in row), f"{row[3] / row[1]:.2f}") for name, row in grown)


if __name__ == "__main__":
    main()
