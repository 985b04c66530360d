"""The tools on offer, found again under the names that models give them."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from proxy.core.schema import Schema, canonical

_PREFIX: Final = re.compile(
    r"^(?:to=|call:|mcp__\w+?__|functions_|(?:functions?|default_api|tools?|api|multi_tool_use)[.:/])+", re.IGNORECASE
)
_SUFFIX: Final = re.compile(r"(?:\([^()]*\)|:\d+|<[|｜].*|\.call|\s+(?:json|code|commentary|analysis))$", re.DOTALL)
_NAME: Final = re.compile(r"[\w.\-]+")
_WRAPPING: Final = " \t\r\n\"'`*"


class Tool:
    """A tool that the client offered."""

    __slots__ = ("name", "schema")

    def __init__(self, name: str, parameters: object) -> None:
        self.name = name
        self.schema = Schema(parameters if isinstance(parameters, dict) else {})


class Tools:
    """All tools on offer."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self.all = {tool.name: tool for tool in tools}
        self._canonical: dict[str, Tool | None] = {}
        for tool in self.all.values():
            # Two tools that differ only in spelling: neither may be guessed.
            key = canonical(tool.name)
            self._canonical[key] = None if key in self._canonical else tool

    @classmethod
    def of(cls, declared: Iterable[Mapping[str, Any]]) -> "Tools":
        """From OpenAI's `tools`: `{"type": "function", "function": {"name", "parameters"}}`, or the bare function."""
        functions = [tool["function"] if isinstance(tool.get("function"), Mapping) else tool for tool in declared]
        return cls(
            Tool(
                function["name"], function.get("parameters", function.get("inputSchema", function.get("input_schema")))
            )
            for function in functions
            if isinstance(function.get("name"), str)
        )

    @classmethod
    def named(cls, names: Iterable[str]) -> "Tools":
        """Tools of which only the names matter."""
        return cls(Tool(name, None) for name in names)

    def __bool__(self) -> bool:
        return bool(self.all)

    def find(self, written: str) -> Tool | None:
        """The tool that was meant by `written`."""
        exact = self.all.get(written)
        if exact:
            return exact
        name = _SUFFIX.sub("", written.strip(_WRAPPING)).strip(_WRAPPING)
        return self._known(name) or self._known(_PREFIX.sub("", name)) or self._known(_undoubled(name))

    def _known(self, name: str) -> Tool | None:
        return self.all.get(name) or self._canonical.get(canonical(name))

    def begins(self, written: str) -> bool:
        """May more text turn `written` into the name of a tool?"""
        name = _PREFIX.sub("", written.strip(_WRAPPING))
        begun = canonical(name) if _NAME.fullmatch(name) else ""
        return bool(begun) and any(known.startswith(begun) for known in self._canonical)


def _undoubled(name: str) -> str:
    """`search.search`: some templates write the name as its own namespace."""
    first, dot, second = name.partition(".")
    return second if dot and first == second else name
