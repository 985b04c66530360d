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
from runner.tool_listing import is_built_in

USAGE = 2
FAILED = 5
_CALLERS_FAULT = {"unknown_tool", "switched_off", "bad_arguments"}

Say = Callable[[str], None]
"""Tells the user something that is not data: a line on standard error."""


def call(registry: Registry, name: str, words: list[str], caller: str, say: Say) -> ToolResult:
    """Call a tool with arguments as they were typed."""
    tool = registry.find(name)
    if tool and not is_built_in(tool):
        from runner.tool_bugs import tell  # noqa: PLC0415 - slow to import, and ours have none

        tell(tool, say)
    try:
        given = arguments_of(words, tool)
    except Problem as problem:
        # Said like any other failure: who reads our JSON reads it there.
        return ToolResult.failed("bad_arguments", str(problem))
    if given.note:
        say(f"note: {given.note}")
    result = registry.call(name, given.value, caller)
    if result.failure and result.failure.reason == "switched_off":
        say(f"hint: switch it on: strictcall tools enable {name}")
    return result


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
    for block in result.blocks:
        if block["type"] == "text":
            say(block["text"])
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
