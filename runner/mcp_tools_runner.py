"""Run one tool, as shell mode's blocks do: `python runner/mcp_tools_runner.py TOOL 'JSON'`.

It needs no installation, runs from any directory, and starts fast: nothing but the standard library is imported.
Exit codes: 0 there is a result, 2 the call was wrong, 5 the tool failed.
"""

import os
import sys
from typing import Any, NamedTuple, NoReturn

if sys.version_info < (3, 11):  # noqa: UP036 - who pastes a command need not know which Python it finds
    sys.exit("mcp_tools_runner.py needs Python 3.11 or newer, found %d.%d" % sys.version_info[:2])  # noqa: UP031

if not __package__:
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

from db.database import Unusable
from mcp_server.registry import default_registry
from runner.printing import OUT, print_json, print_line
from runner.problem import Problem
from runner.tool_arguments import as_utf8
from runner.tool_calls import FAILED, USAGE, call, show
from runner.tool_listing import described, in_words, listed

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


def main() -> NoReturn:
    """Run the command."""
    for stream in (OUT, sys.stderr):
        # A pipe on Windows has the encoding of the system, which cannot say Korean on most, and its own line ends.
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")  # type: ignore[union-attr]
    sys.stdout = sys.stderr  # for what tools print by themselves
    try:
        code = _run(_options([as_utf8(word) for word in sys.argv[1:]]))
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
        os.dup2(os.open(os.devnull, os.O_WRONLY), OUT.fileno())
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
    if ("list" in named) + ("describe" in named) + bool(rest) > 1:
        raise Problem("a tool to call, --list and --describe do not go together; give one of them")
    return Options(rest[0] if rest else None, rest[1:], **named)


def _run(options: Options) -> int:
    if options.help:
        print_line(_HELP.rstrip())
        return 0
    with default_registry() as registry:
        if options.list:
            _list(listed(registry), options)
            return 0
        if options.describe is not None:
            _describe(described(registry, options.describe), options)
            return 0
        if options.tool is None:
            raise Problem("no tool to call; name one, or see --list and --help")
        result = call(registry, options.tool, options.arguments, "runner", _say)
        return show(result, _say, as_json=options.json, raw=options.raw)


def _list(rows: list[dict[str, Any]], options: Options) -> None:
    if _wants_json(options):
        print_json(rows, indented=OUT.isatty())
        return
    for row in rows:
        print_line(f"{row['name']:<24}  {row['about']}{'' if row['enabled'] else ' (switched off)'}")


def _describe(known: dict[str, Any], options: Options) -> None:
    if _wants_json(options):
        print_json(known, indented=OUT.isatty())
    else:
        print_line(in_words(known))


def _wants_json(options: Options) -> bool:
    return options.json or not (options.raw or OUT.isatty())


def _say(text: str) -> None:
    sys.stderr.write(f"{os.path.basename(__file__)}: {text}\n")


if __name__ == "__main__":
    main()
