"""The corpus: what a model wrote, and what a client must get (`tests/corpus/RULES.md`)."""

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from reading import ALL, SIZES, answer, pieces, read, same, spaced

from proxy.catalogue import dialects
from proxy.core.tools import Tools

HERE = Path(__file__).parent
CASES: list[dict[str, Any]] = [
    json.loads(line) for line in (HERE / "corpus/cases.jsonl").read_text("utf-8").strip().split("\n")
]
DISPUTES = {case["id"] for case in tomllib.loads((HERE / "corpus_disputes.toml").read_text("utf-8")).get("dispute", [])}
FUZZ = bool(os.environ.get("STRICTCALL_FUZZ"))
SAMPLE = 7
"""Every so many cases are cut at every single place; `make fuzz` cuts all."""

cases = pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES])


def test_disputes_are_few() -> None:
    assert len(DISPUTES) <= 10


@cases
def test_case(case: dict[str, Any]) -> None:
    tools = Tools.of(case["tools"])
    whole = read([case["raw"]], tools)
    for size in SIZES[1:]:
        assert read(pieces(case["raw"], size), tools) == whole, f"in pieces of {size}"
    hint = dialects().get(case["dialect"].replace("-", "_"))
    for offered in (ALL, (hint, *ALL) if hint else ALL):
        if case["id"] not in DISPUTES:
            _judge(case, read([case["raw"]], tools, offered))


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in (CASES if FUZZ else CASES[::SAMPLE])])
def test_case_cut_at_every_place(case: dict[str, Any]) -> None:
    raw, tools = case["raw"], Tools.of(case["tools"])
    whole = read([raw], tools)
    for cut in range(1, len(raw)):
        assert read([raw[:cut], raw[cut:]], tools) == whole, f"cut at {cut}"


def _judge(case: dict[str, Any], events: Any) -> None:
    found = answer(events)
    assert [name for name, _ in found.calls] == [call["name"] for call in case["calls"]]
    for (_, arguments), expected in zip(found.calls, case["calls"], strict=True):
        assert same(arguments, expected["arguments"]), arguments
    if case["content"] == case["raw"]:
        assert found.content == case["raw"]
    assert spaced(found.content) == spaced(case["content"])
    assert spaced(found.reasoning) == spaced(case["reasoning"])
