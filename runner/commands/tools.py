"""`strictcall tools`: the tools, and the record of their calls.

Exit codes: 0 there is a result, 2 the call was wrong, 5 the tool failed.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from glob import escape
from io import StringIO
from itertools import chain
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from db.calls import Call, latest, prune
from db.registry import Registry
from mcp_server.registry import default_registry
from runner.call_log import Table, coming
from runner.columns import padded, plain, room, width, wrapped
from runner.printing import OUT, print_json, print_line
from runner.problem import Problem
from runner.tool_arguments import as_utf8
from runner.tool_calls import call as call_tool
from runner.tool_calls import show as show_result
from runner.tool_listing import about, described, in_words, listed, named


def _names(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem[str]]:
    # What a file of the user's prints or has wrong with it is not for the line that is being typed.
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()), default_registry() as registry:
        found = [tool for tool in registry.all_tools() if tool.name.startswith(begun)]
    return [CompletionItem(tool.name, help=about(tool)) for tool in found]


def _arguments(context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem[str]]:
    """`key=` for what the tool takes and has not been given, `@file` for a file."""
    words = context.params.get("arguments") or ()
    # bash cuts words at @ and at =. What it puts in then stands in place of the @, too, but behind the =.
    if begun.startswith("@") or words[-1:] == ("@",):
        folder, name = os.path.split(begun.removeprefix("@"))
        found = sorted(path.name for path in Path(folder or ".").glob(f"{escape(name)}*"))
        return [CompletionItem("@" + os.path.join(folder, one)) for one in found]  # noqa: PTH118 - as it was typed
    if words[-1:] == ("=",):
        return []
    given = {word.partition("=")[0] for word in words}
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()), default_registry() as registry:
        tool = registry.find(context.params.get("name") or "")
    takes = tool.input_schema.get("properties", {}) if tool else {}
    return [CompletionItem(f"{name}=") for name in takes if name.startswith(begun) and name not in given]


@contextmanager
def _opened() -> Iterator[Registry]:
    """The registry. What tools print by themselves is no data."""
    with redirect_stdout(sys.stderr), default_registry() as registry:
        yield registry


_calls = click.IntRange(0, 1_000_000)  # no record is longer
_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_tool = click.argument("name", metavar="TOOL", shell_complete=_names)
_some_tools = click.argument("names", metavar="TOOL...", nargs=-1, required=True, shell_complete=_names)


@click.group(invoke_without_command=True)
@click.pass_context
def tools(context: click.Context) -> None:
    """The tools: list, try, switch on and off; who called them."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@tools.command("list", short_help="Which tools there are, and which are on.")
@_as_json
def list_tools(*, as_json: bool) -> None:
    """Which tools there are, which are on, and what is wrong with those of your own."""
    with _opened() as registry:
        rows, problems = listed(registry), registry.problems
    if as_json:
        print_json({"tools": rows, "problems": problems})
        return
    # What is wrong has been logged, which is to say: stands on standard error.
    wide, columns = max(width(row["name"]) for row in rows), room()
    for row in rows:
        state = click.style("on ", fg="green") if row["enabled"] else click.style("off", fg="yellow")
        origin = "" if row["from"] == "strictcall" else f"  ({row['from']})"
        text = wrapped(plain(row["about"]) + origin, columns, wide + 7)
        click.echo(f"{state}  {padded(row['name'], wide)}  {text}")


@tools.command()
@_tool
@_as_json
def show(name: str, *, as_json: bool) -> None:
    """What a tool does and takes; --json adds the schemas."""
    with _opened() as registry:
        known = described(registry, name)
    if as_json:
        print_json(known)
    else:
        print_line(in_words(known))


@tools.command(short_help="Call a tool, and print its result.")
@_tool
@click.argument("arguments", nargs=-1, shell_complete=_arguments)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, also on a terminal.")
@click.option("--raw", is_flag=True, help="Print the result alone, without success or error around it.")
def call(name: str, arguments: tuple[str, ...], *, as_json: bool, raw: bool) -> int:
    """Call a tool, and print its result: JSON into a pipe or a file, text on a terminal.

    ARGUMENTS are a JSON object, key=value words, @FILE, or - for standard input.

    Exit codes: 0 there is a result, 2 the call was wrong, 5 the tool failed.
    """
    with _opened() as registry:
        result = call_tool(registry, name, [as_utf8(word) for word in arguments], "strictcall", _say)
    return show_result(result, _say, as_json=as_json, raw=raw)


@tools.command()
@_some_tools
@_as_json
def enable(names: tuple[str, ...], *, as_json: bool) -> None:
    """Switch tools on."""
    _switch(names, enabled=True, as_json=as_json)


@tools.command(short_help="Switch tools off: nobody can call them.")
@_some_tools
@_as_json
def disable(names: tuple[str, ...], *, as_json: bool) -> None:
    """Switch tools off: no model, client or command can call them."""
    _switch(names, enabled=False, as_json=as_json)


@tools.command()
@click.option("--tool", metavar="TOOL", shell_complete=_names, help="Only calls of this tool.")
@click.option("-n", "count", metavar="N", type=_calls, default=20, show_default=True, help="The last N.")
@click.option("--follow", "-f", "following", is_flag=True, help="And those to come, until Ctrl-C.")
@click.option(
    "--prune",
    "keep",
    metavar="[KEEP]",
    is_flag=False,
    flag_value=0,
    type=_calls,
    help="Forget all calls, or all but the last KEEP.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def log(tool: str | None, count: int, keep: int | None, *, following: bool, as_json: bool) -> None:
    """Who called which tool with what, and what came of it."""
    with _opened() as registry:
        if keep is not None:
            _prune(registry, keep, alone=tool is None and not following, as_json=as_json)
            return
        newest = latest(registry.database, max(count, 1), tool)
        if not newest and tool is not None:
            named(registry, tool)  # a tool that is gone may have calls; one that never was has been misspelled
        known = newest[:count][::-1]
        more = coming(registry.database, tool, newest[0].id if newest else 0) if following else ()
        with suppress(KeyboardInterrupt):
            _print_calls(known, more, as_json=as_json)


def _print_calls(known: list[Call], more: Iterable[Call], *, as_json: bool) -> None:
    if as_json:
        for one in chain(known, more):
            print_json(one._asdict())
        return
    if not known:
        click.echo("no calls yet", err=True)
    table = Table.of(known)
    if known or more:
        print_line(table.head())
    for one in chain(known, more):
        click.echo(table.line(one, room()), file=OUT)


def _switch(names: tuple[str, ...], *, enabled: bool, as_json: bool) -> None:
    """Switch all of them, or none if one is misspelled."""
    with _opened() as registry:
        chosen = [named(registry, name) for name in names]
        for tool in chosen:
            registry.switch(tool.name, enabled=enabled)
    if as_json:
        print_json([{"name": tool.name, "enabled": enabled} for tool in chosen])
        return
    for tool in chosen:
        click.echo(f"{tool.name} is {'on' if enabled else 'off'}")
    click.echo("Servers that run follow within a second or two.", err=True)


def _prune(registry: Registry, keep: int, *, alone: bool, as_json: bool) -> None:
    if not alone:
        raise Problem("--prune forgets calls of all tools, and ends; leave out --tool and --follow")
    forgotten = prune(registry.database, keep)
    if as_json:
        print_json({"forgotten": forgotten})
    else:
        print_line(f"forgot {forgotten} calls")


def _say(text: str) -> None:
    click.echo(f"strictcall: {text}", err=True)
