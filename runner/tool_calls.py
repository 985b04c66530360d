"""One call of a tool from a command line: made, printed, and told by an exit code.

The runner and `strictcall tools call` are this, behind two ways to read a command line.
"""

from collections.abc import Callable
from typing import Any

from db.registry import Registry
from db.result import ToolResult
from runner.printing import OUT, print_json, print_line
from runner.problem import Problem
from runner.tool_arguments import arguments_of

USAGE = 2
FAILED = 5
_CALLERS_FAULT = {"unknown_tool", "bad_arguments"}

Say = Callable[[str], None]
"""Tells the user something that is not data: a line on standard error."""


def call(registry: Registry, name: str, words: list[str], caller: str, say: Say) -> ToolResult:
    """Call a tool with arguments as they were typed."""
    try:
        given = arguments_of(words, registry.find(name))
    except Problem as problem:
        # Said like any other failure: who reads our JSON reads it there.
        return ToolResult.failed("bad_arguments", str(problem))
    if given.note:
        say(f"note: {given.note}")
    return registry.call(name, given.value, caller)


def show(result: ToolResult, say: Say, *, as_json: bool, raw: bool) -> int:
    """Print a result for whoever reads it, a program or a person, and return the exit code."""
    failure = result.failure
    if as_json:
        print_json(result.as_json(), indented=OUT.isatty())
    elif not (raw or OUT.isatty()):
        print_line(result.text)  # the same that every other caller gets
    elif failure:
        say(failure.message)
    else:
        _show(result.structured.get("result", result.text), raw=raw)
    if not failure:
        return 0
    return USAGE if failure.reason in _CALLERS_FAULT else FAILED


def _show(value: Any, *, raw: bool) -> None:
    if not raw:
        from runner.readable import readable  # noqa: PLC0415 - only for the eye

        print_line(readable(value))
    elif isinstance(value, str):
        print_line(value)
    else:
        print_json(value, indented=OUT.isatty())
