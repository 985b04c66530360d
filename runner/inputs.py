"""What the command line is given: files, tools, cases. What is wrong with them is said in one line, with the fix."""

import json
import sys
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from proxy.catalogue import dialects
from proxy.core.dialect import Dialect
from proxy.core.tools import Tools
from runner.problem import Problem


def bytes_of(path: str) -> bytes:
    """What is in a file, or comes from standard input for `-`."""
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise Problem(f"cannot read {path}: {error.strerror}; name a file, or - for standard input") from None


def text_of(path: str) -> str:
    """The text of a file, or of standard input for `-`."""
    raw = bytes_of(path)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = raw[error.start]
        raise Problem(f"{path} is not UTF-8 (byte 0x{byte:02x} at {error.start}); save it as UTF-8") from None


def tools_of(path: str) -> Tools:
    """The tools of a file: a list as in an OpenAI request, or an object with such a list as `tools`."""
    declared = _json(text_of(path).removeprefix("\ufeff"), path)
    if isinstance(declared, dict):
        declared = declared.get("tools", [declared])
    wanted = 'wanted a list of {"type": "function", "function": {"name": ..., "parameters": {...}}}'
    if not isinstance(declared, list) or not all(isinstance(tool, dict) for tool in declared):
        raise Problem(f"{path} holds no tools; {wanted}")
    if not declared:
        raise Problem(f"{path} holds no tools, so nothing can be a call; {wanted}")
    tools = Tools.of(declared)
    if len(tools.all) < len(declared):
        raise Problem(f"{path} holds a tool without a name of its own; {wanted}")
    return tools


def dialects_of(name: str | None) -> Sequence[Dialect]:
    """All dialects, or the one that is named."""
    known = dialects()
    if name is None:
        return tuple(known.values())
    if name not in known:
        near = get_close_matches(name, known, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else "see: strictcall dialects"
        raise Problem(f"there is no dialect {name!r}; {hint}")
    return (known[name],)


def hinted(name: str | None) -> Sequence[Dialect]:
    """All dialects, the one that is hinted at first; a label that is no dialect says nothing."""
    known = dialects()
    first = known.get((name or "").replace("-", "_"))
    return tuple(dict.fromkeys((first, *known.values()))) if first else tuple(known.values())


def cases_of(path: str) -> Iterator[dict[str, Any]]:
    """The cases of a JSONL file: each with `id`, `raw` and `tools`."""
    for number, line in enumerate(text_of(path).split("\n"), 1):
        if not line.strip():
            continue
        case = _json(line, f"{path}, line {number}")
        if (
            not isinstance(case, dict)
            or not isinstance(case.get("raw"), str)
            or not isinstance(case.get("tools"), list)
        ):
            raise Problem(f'{path}, line {number} is no case; wanted {{"id": ..., "raw": "...", "tools": [...]}}')
        yield case


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise Problem(
            f"{where} is not JSON: {error.msg} in line {error.lineno}, column {error.colno}; mend it there"
        ) from None
