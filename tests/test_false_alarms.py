"""Text that nobody wrote for us: Python's own library and whatever is installed, with tools named like common words."""

import json
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from reading import ALL

from proxy.core.events import Reasoning, Text
from proxy.core.normalizer import Normalizer
from proxy.core.tools import Tools

ENOUGH = 10_000_000
PARAMETERS = {
    "search": "query",
    "read": "path",
    "open": "path",
    "list": "directory",
    "get": "url",
    "print": "text",
}
TOOLS = Tools.of(
    [
        {
            "name": name,
            "parameters": {"type": "object", "properties": {parameter: {"type": "string"}}, "required": [parameter]},
        }
        for name, parameter in PARAMETERS.items()
    ]
)
KINDS = (".py", ".pyi", ".txt", ".md", ".rst", ".json", ".toml", ".js", ".html", ".css", ".xml", ".c", ".h", ".cfg")


def files() -> Iterator[Path]:
    """Files from the standard library and from site-packages, in turn, in an order that does not change."""
    roots = [Path(sysconfig.get_path(name)) for name in ("purelib", "stdlib")]
    listings = [sorted(path for path in root.rglob("*") if path.suffix in KINDS) for root in roots]
    ours = {path for path in listings[0] if "strictcall" in path.relative_to(roots[0]).parts[0]}
    for together in zip(*listings, strict=False):
        yield from (path for path in together if path not in ours)
    shortest = min(map(len, listings))
    for listing in listings:
        yield from listing[shortest:]


def texts() -> Iterator[tuple[Path, str]]:
    seen = 0
    for path in files():
        try:
            text = path.read_bytes().decode("utf-8")
        except (UnicodeDecodeError, OSError):
            continue
        yield path, text
        seen += len(text)
        if seen > ENOUGH:
            return
    raise AssertionError(f"only {seen} characters of text are installed here")


def test_ten_megabytes_of_other_text_hold_no_call_and_lose_nothing() -> None:
    alarms, losses = [], []
    for path, text in texts():
        normalizer = Normalizer(TOOLS, ALL)
        events = normalizer.feed(text) + normalizer.finish()
        if not all(isinstance(event, Text | Reasoning) for event in events):
            alarms.append((str(path), events[:3]))
        elif "".join(event.text for event in events if isinstance(event, Text | Reasoning)) != text:
            losses.append(str(path))
    assert not alarms, json.dumps([path for path, _ in alarms], indent=1)
    assert not losses, json.dumps(losses, indent=1)
