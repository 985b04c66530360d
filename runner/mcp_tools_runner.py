"""Run one tool, as shell mode's blocks do: `python runner/mcp_tools_runner.py TOOL 'JSON'`.

It needs no installation, runs from any directory, and starts fast: nothing but the standard library is imported.
Exit codes: 0 there is a result, 2 the call was wrong, 5 the tool failed.
"""

import json
import os
import sys
from typing import Any, NamedTuple, NoReturn

if sys.version_info < (3, 11):  # noqa: UP036 - who pastes a command need not know which Python it finds
    sys.exit("mcp_tools_runner.py needs Python 3.11 or newer, found %d.%d" % sys.version_info[:2])  # noqa: UP031

if not __package__:
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

from db.arguments import signature
from db.database import Unusable
from db.registry import Registry
from db.result import ToolResult
from db.tool import Tool
from mcp_server.registry import default_registry

USAGE = 2
FAILED = 5
_CALLERS_FAULT = {"unknown_tool", "bad_arguments"}
_HELP = """\
usage: mcp_tools_runner.py [--json | --raw] TOOL [ARGUMENTS]
       mcp_tools_runner.py --list | --describe TOOL | --help

Call one tool and print its result: JSON into a pipe or a file, text on a terminal.

ARGUMENTS is one of
  '{"key": "value"}'   a JSON object
  key=value ...        one word for each argument
  @FILE                a file that holds a JSON object
  -                    the same from standard input

  --json               print JSON, also on a terminal
  --raw                print the result alone, without success or error around it
  --list               list the tools
  --describe TOOL      show what a tool does, takes and returns

examples
  mcp_tools_runner.py get_employee_info '{"employee_id": "EMP001"}'
  mcp_tools_runner.py calculate_vacation_days employee_id=EMP001 year=2025

exit codes: 0 there is a result, 2 the call was wrong, 5 the tool failed
"""
_OUT = sys.stdout
"""Where the result goes, alone: what a tool prints by itself goes to standard error."""
_FLAGS = {"--json": "json", "--raw": "raw", "--list": "list", "--help": "help", "-h": "help"}


class Options(NamedTuple):
    """What the command line says."""

    tool: str | None
    arguments: list[str]
    describe: str | None = None
    list: bool = False
    json: bool = False
    raw: bool = False
    help: bool = False


class Problem(Exception):  # noqa: N818 - the user's word for it
    """Something that the user can mend: what is wrong, and what to do."""


def main() -> NoReturn:
    """Run the command."""
    for stream in (_OUT, sys.stderr):
        # A pipe on Windows has the encoding of the system, which cannot say Korean on most, and its own line ends.
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")  # type: ignore[union-attr]
    sys.stdout = sys.stderr
    try:
        code = _run(_options([_as_utf8(word) for word in sys.argv[1:]]))
        _OUT.flush()
    except Problem as problem:
        _say(f"{problem}")
        code = USAGE
    except Unusable as error:
        _say(f"{error}")
        code = FAILED
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:
        # Whoever read us has seen enough; Python would complain once more when it closes the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), _OUT.fileno())
        code = 0
    sys.exit(code)


def _options(words: list[str]) -> Options:
    """The command line, read. argparse would cost more than the call."""
    named: dict[str, Any] = {}
    rest: list[str] = []
    left = iter(words)
    for word in left:
        if word == "--describe":
            named["describe"] = next(left, None)
            if named["describe"] is None:
                raise Problem("--describe needs the name of a tool; see --list")
        elif word in _FLAGS:
            named[_FLAGS[word]] = True
        elif word == "--":
            rest += left
        elif word.startswith("-") and word != "-":
            raise Problem(f"there is no option {word}; see --help")
        else:
            rest.append(word)
    return Options(rest[0] if rest else None, rest[1:], **named)


def _run(options: Options) -> int:
    if options.help:
        _print(_HELP.rstrip())
        return 0
    with default_registry() as registry:
        if options.list:
            return _list(registry, options)
        if options.describe is not None:
            return _describe(_tool(registry, options.describe), options)
        if options.tool is None:
            raise Problem("no tool to call; name one, or see --list and --help")
        try:
            arguments = _arguments(options.arguments, registry.find(options.tool))
        except Problem as problem:
            # Said like any other failure: who reads our JSON reads it there.
            return _show(ToolResult.failed("bad_arguments", str(problem)), options)
        return _show(registry.call(options.tool, arguments, "runner"), options)


# ---- arguments


def _arguments(words: list[str], tool: Tool | None) -> Any:
    """The arguments as they were given; the registry judges them."""
    if not words:
        return {}
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
        return _pairs(words, tool)
    # cmd.exe knows no single quotes: it cuts at spaces and leaves the quotes in.
    return _json(" ".join(words).strip().removeprefix("'").removesuffix("'"))


def _loaded(raw: bytes, where: str) -> Any:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Problem(f"{where} is not UTF-8 (byte {error.start}); save it as UTF-8") from None
    return _json(text)


def _json(text: str) -> Any:
    try:
        return json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        return _leniently(text, error)


def _leniently(text: str, error: Exception) -> Any:
    """What is meant by JSON that has lost its quotes: PowerShell takes them away from `{"a": "b"}`."""
    from proxy.core.arguments import value_of  # noqa: PLC0415 - only needed here
    from proxy.core.cursor import Malformed  # noqa: PLC0415

    try:
        meant = value_of(text)
    except Malformed:
        meant = None
    if not isinstance(meant, dict):
        raise Problem(
            f"the arguments are not JSON ({error}); they were {text[:200]!r}. "
            "If the shell takes the quotes away, write KEY=VALUE, or put the JSON into a file and write @FILE"
        ) from None
    _say(f"note: the arguments are not strict JSON; read as {json.dumps(meant, ensure_ascii=False)}")
    return meant


def _pairs(words: list[str], tool: Tool | None) -> dict[str, Any]:
    properties = tool.input_schema["properties"] if tool else {}
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


def _as_utf8(word: str) -> str:
    """An argument in UTF-8 under a locale that is not."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return os.fsencode(word).decode("utf-8", "replace")
    return word


# ---- what is printed


def _show(result: ToolResult, options: Options) -> int:
    failure = result.failure
    if failure and not _wants_json(options):
        _say(failure.message)
    else:
        _print(_shown(result, options))
    if not failure:
        return 0
    return USAGE if failure.reason in _CALLERS_FAULT else FAILED


def _shown(result: ToolResult, options: Options) -> str:
    """Into a pipe goes the text that every other caller gets, too."""
    if options.json:
        return _as_json(result.as_json())
    if "result" not in result.structured or not (options.raw or _OUT.isatty()):
        return result.text
    if options.raw:
        return result.value if isinstance(result.value, str) else _as_json(result.value)
    from runner.readable import readable  # noqa: PLC0415 - only for the eye

    return readable(result.value)


def _list(registry: Registry, options: Options) -> int:
    on = {tool.name for tool in registry.tools()}
    rows = [
        {"name": tool.name, "about": tool.description.partition("\n")[0], "enabled": tool.name in on}
        for tool in registry.all_tools()
    ]
    if _wants_json(options):
        _print(_as_json(rows))
    else:
        for row in rows:
            _print(f"{row['name']:<24}  {row['about']}{'' if row['enabled'] else ' (switched off)'}")
    return 0


def _describe(tool: Tool, options: Options) -> int:
    if _wants_json(options):
        described = {
            "name": tool.name,
            "description": tool.description,
            "inputSchema": tool.input_schema,
            "outputSchema": tool.output_schema,
            "hints": tool.hints._asdict(),
            "timeout": tool.timeout,
        }
        _print(_as_json(described))
    else:
        _print(f"{tool.name}: {tool.description}\n\nTakes {signature(tool.input_schema)}.")
    return 0


def _tool(registry: Registry, name: str) -> Tool:
    tool = registry.find(name)
    if tool is None:
        raise Problem(registry.unknown(name))
    return tool


def _wants_json(options: Options) -> bool:
    return options.json or not (options.raw or _OUT.isatty())


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2 if _OUT.isatty() else None)


def _print(text: str) -> None:
    _OUT.write(f"{text}\n")


def _say(text: str) -> None:
    sys.stderr.write(f"{os.path.basename(__file__)}: {text}\n")


if __name__ == "__main__":
    main()
