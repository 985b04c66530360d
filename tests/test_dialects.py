"""Every dialect's fixture: raw text as the model wrote it, in `tests/dialects/<name>.toml`."""

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from reading import ALL, SIZES, answer, pieces, read, same, spaced

from proxy.catalogue import dialects
from proxy.core.dialect import Dialect
from proxy.core.tools import Tools

FIXTURES = Path(__file__).parent / "dialects"
TOOLS = Tools.of(json.loads((FIXTURES / "tools.json").read_text("utf-8")))
EVERY_DIALECT_HAS = {
    "one call",
    "two calls",
    "call after prose",
    "prose about it",
    "cut inside the arguments",
    "awkward string",
}


def cases(name: str) -> list[dict[str, Any]]:
    path = FIXTURES / f"{name}.toml"
    return tomllib.loads(path.read_text("utf-8"))["case"] if path.exists() else []


@pytest.mark.parametrize("name", dialects())
def test_every_dialect_has_its_fixture(name: str) -> None:
    missing = EVERY_DIALECT_HAS - {case["name"] for case in cases(name)}
    assert not missing, f"tests/dialects/{name}.toml lacks the cases: {', '.join(sorted(missing))}"


@pytest.mark.parametrize(
    ("name", "case"),
    [pytest.param(name, case, id=f"{name}: {case['name']}") for name in dialects() for case in cases(name)],
)
@pytest.mark.parametrize("offer", ["all", "alone"])
def test_fixture(name: str, case: dict[str, Any], offer: str) -> None:
    """Each case with every dialect on offer, and with no other than its own (and those it `needs`)."""
    alone = [dialects()[one] for one in (name, *case.get("needs", ()))]
    offered: Sequence[Dialect] = ALL if offer == "all" else alone
    raw, finish = case["raw"], case.get("finish", "stop")
    whole = read([raw], TOOLS, offered, finish=finish)
    for size in SIZES[1:]:
        assert read(pieces(raw, size), TOOLS, offered, finish=finish) == whole, f"in pieces of {size}"
    for cut in range(1, len(raw)):
        assert read([raw[:cut], raw[cut:]], TOOLS, offered, finish=finish) == whole, f"cut at {cut}"
    found = answer(whole)
    expected = [(call["name"], json.loads(call["arguments"])) for call in case.get("calls", [])]
    assert same([list(call) for call in found.calls], [list(call) for call in expected]), found.calls
    assert [name for name, _ in found.cut] == case.get("cut", [])
    if case.get("content") == raw:
        assert found.content == raw
    assert spaced(found.content) == spaced(case.get("content"))
    assert spaced(found.reasoning) == spaced(case.get("reasoning"))
