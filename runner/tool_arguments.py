"""The arguments of a tool, as a command line gives them: JSON, key=value, a file, or standard input.

'{"query": "연차"}'   query=연차   @arguments.json   -

Shells take quotes away; what is meant by the rest is read, and said.
"""

import json
import os
import sys
from typing import Any, NamedTuple

from db.tool import Tool
from runner.problem import Problem


class Given(NamedTuple):
    """The arguments, for the registry to judge; `note` says how they were read if that is not how they were written."""

    value: Any
    note: str = ""


def arguments_of(words: list[str], tool: Tool | None) -> Given:
    """What these words mean. A `tool` says which values are text."""
    if not words:
        return Given({})
    first = words[0]
    if len(words) == 1 and first == "-":
        return _loaded(sys.stdin.buffer.read(), "standard input")
    if len(words) == 1 and first.startswith("@"):
        try:
            with open(first[1:], "rb") as file:
                return _loaded(file.read(), first[1:])
        except OSError as error:
            raise Problem(f"cannot read {first[1:]}: {error.strerror}; name a file with a JSON object") from None
    if "=" in first and first.partition("=")[0].isidentifier():
        return Given(_pairs(words, tool))
    # cmd.exe knows no single quotes: it cuts at spaces and leaves the quotes in.
    return _json(" ".join(words).strip().removeprefix("'").removesuffix("'"), tool)


def as_utf8(word: str) -> str:
    """A word in UTF-8 under a locale that is not."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return os.fsencode(word).decode("utf-8", "replace")
    return word


def _loaded(raw: bytes, where: str) -> Given:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Problem(f"{where} is not UTF-8 (byte {error.start}); save it as UTF-8") from None
    if not text.strip():
        raise Problem(f"{where} is empty; it should hold a JSON object, {{}} for no arguments")
    return _json(text)


def _json(text: str, tool: Tool | None = None) -> Given:
    try:
        return Given(json.loads(text or "{}"))
    except (ValueError, RecursionError) as error:
        return _leniently(text, error, tool)


def _leniently(text: str, error: Exception, tool: Tool | None) -> Given:
    """What is meant by JSON that has lost its quotes: PowerShell takes them away from `{"a": "b"}`."""
    from proxy.core.arguments import value_of  # noqa: PLC0415 - only needed here
    from proxy.core.cursor import Malformed  # noqa: PLC0415

    try:
        meant = value_of(text)
    except Malformed:
        meant = None
    if not isinstance(meant, dict):
        names = list(tool.input_schema.get("properties", {})) if tool else []
        if len(names) == 1 and text[:1] not in {"{", "["}:
            value = f'"{text}"' if " " in text else text
            raise Problem(f"wanted KEY=VALUE or a JSON object, found {text[:200]!r}; write {names[0]}={value[:200]}")
        raise Problem(
            f"the arguments are not JSON ({error}); they were {text[:200]!r}. "
            "If the shell takes the quotes away, write KEY=VALUE, or put the JSON into a file and write @FILE"
        ) from None
    return Given(meant, f"the arguments are not strict JSON; read as {json.dumps(meant, ensure_ascii=False)}")


def _pairs(words: list[str], tool: Tool | None) -> dict[str, Any]:
    properties = tool.input_schema.get("properties", {}) if tool else {}
    pairs: dict[str, Any] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key.isidentifier():
            raise Problem(f"wanted KEY=VALUE, found {word!r}; put quotes around a value that has spaces")
        if key in pairs:
            raise Problem(f"{key} is given twice; give it once")
        pairs[key] = value if properties.get(key, {}).get("type", "string") == "string" else _value(value)
    return pairs


def _value(written: str) -> Any:
    """A list or an object is written as JSON; the rest is typed by the registry."""
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        return written
