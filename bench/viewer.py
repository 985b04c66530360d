"""What it costs to read a document for the viewer, against markdown-it alone, which neither colours nor sanitizes.

Both read the same text, in turns, and the best of several rounds counts, so the ratios hold on a noisy machine. Nothing
that was coloured or drawn before is used again.

    python -m bench.viewer [--json]
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from markdown_it import MarkdownIt

from bench.core import table
from mcp_server.viewer.documents import formulas, highlighting
from mcp_server.viewer.documents.markdown import read

SIZE = 1_000_000
ROUNDS = 3
ROOT = Path(__file__).parent.parent
PROSE = "## 연차 %d\n\n**연차**는 [규정](rules.md)에 따라 *매년* 생깁니다. 자세한 것은 https://a.example 을 보세요. "
DOCUMENTS: dict[str, Callable[[int], str]] = {
    # name: a part of the document, by its number
    "the README": lambda _: (ROOT / "README.md").read_text("utf-8"),
    "Korean prose": lambda number: PROSE % number + "쓰지 않은 연차는 다음 해로 넘어가지 않습니다. " * 20 + "\n\n",
    "a table": lambda number: f"| {number} | 이름 | `code` |\n" if number else "| a | b | c |\n|---|:-:|--:|\n",
    "Python": lambda number: f"```python\n# {number}\n{(ROOT / 'bench/core.py').read_text('utf-8')}\n```\n\n",
    "formulas": lambda number: f"The sum $x_{{{number}}} = \\sum_{{i=0}}^n \\frac{{i}}{{{number}}}$ is of interest. ",
    "one word": lambda _: "x" * SIZE,
}


def document(part: Callable[[int], str]) -> str:
    parts: list[str] = []
    length = 0
    while length < SIZE:
        parts.append(part(len(parts)))
        length += len(parts[-1])
    return "".join(parts)[:SIZE]


def seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def measured(text: str) -> tuple[float, float]:
    """Seconds of ours and of theirs."""
    bare = MarkdownIt("gfm-like2", {"linkify": False}).disable("linkify")
    ours, theirs = [], []
    for _ in range(ROUNDS):
        for cached in (highlighting.coloured, formulas.mathml):
            cached.cache_clear()
        ours.append(seconds(lambda: read(text)))
        theirs.append(seconds(lambda: bare.render(text)))
    return min(ours), min(theirs)


def main() -> None:
    found = {name: measured(document(part)) for name, part in DOCUMENTS.items()}
    if "--json" in sys.argv:
        print(json.dumps({"characters": SIZE, "seconds": found}))
        return
    print(f"A document of {SIZE:,} characters: seconds, CPU time\n")
    table([("", "ours", "markdown-it", "ratio")])
    table((name, f"{ours:.2f}", f"{theirs:.2f}", f"{ours / theirs:.2f}") for name, (ours, theirs) in found.items())


if __name__ == "__main__":
    main()
