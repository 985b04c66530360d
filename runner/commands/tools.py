"""`strictcall tools`: the tools, and the record of their calls.

Exit codes: 0 there is a result, 2 the call was wrong, 5 the tool failed.
"""

import contextlib
import shutil
import sys

import click
from click.shell_completion import CompletionItem

from db.calls import latest, prune
from db.registry import Registry
from mcp_server.registry import default_registry
from runner.call_log import HEAD, calls, line
from runner.columns import padded, plain, width
from runner.printing import print_json, print_line
from runner.problem import Problem
from runner.tool_arguments import as_utf8
from runner.tool_calls import call as call_tool
from runner.tool_calls import show as show_result
from runner.tool_listing import described, in_words, listed, named


def _names(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem[str]]:
    with default_registry() as registry:
        found = [tool for tool in registry.all_tools() if tool.name.startswith(begun)]
    return [CompletionItem(tool.name, help=tool.description.partition("\n")[0]) for tool in found]


_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_tool = click.argument("name", metavar="TOOL", shell_complete=_names)
_some_tools = click.argument("names", metavar="TOOL...", nargs=-1, required=True, shell_complete=_names)


@click.group(invoke_without_command=True)
@click.pass_context
def tools(context: click.Context) -> None:
    """The tools: list, try, switch on and off; who called them."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@tools.command("list")
@_as_json
def list_tools(*, as_json: bool) -> None:
    """Which tools there are, and which are on."""
    with default_registry() as registry:
        rows = listed(registry)
    if as_json:
        print_json(rows)
        return
    wide = max(width(row["name"]) for row in rows)
    for row in rows:
        state = click.style("on ", fg="green") if row["enabled"] else click.style("off", fg="yellow")
        click.echo(f"{state}  {padded(row['name'], wide)}  {plain(row['about'])}")


@tools.command()
@_tool
@_as_json
def show(name: str, *, as_json: bool) -> None:
    """What a tool does and takes; --json adds the schemas."""
    with default_registry() as registry:
        tool = named(registry, name)
    if as_json:
        print_json(described(tool))
    else:
        print_line(in_words(tool))


@tools.command()
@_tool
@click.argument("arguments", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, also on a terminal.")
@click.option("--raw", is_flag=True, help="Print the result alone, without success or error around it.")
def call(name: str, arguments: tuple[str, ...], *, as_json: bool, raw: bool) -> int:
    """Call a tool, and print its result: JSON into a pipe or a file, text on a terminal.

    ARGUMENTS are a JSON object, key=value words, @FILE, or - for standard input.

    Exit codes: 0 there is a result, 2 the call was wrong, 5 the tool failed.
    """
    with default_registry() as registry:
        result = call_tool(registry, name, [as_utf8(word) for word in arguments], "strictcall", _say)
    return show_result(result, _say, as_json=as_json, raw=raw)


@tools.command()
@_some_tools
@_as_json
def enable(names: tuple[str, ...], *, as_json: bool) -> None:
    """Switch tools on."""
    _switch(names, enabled=True, as_json=as_json)


@tools.command()
@_some_tools
@_as_json
def disable(names: tuple[str, ...], *, as_json: bool) -> None:
    """Switch tools off: no model, client or command can call them."""
    _switch(names, enabled=False, as_json=as_json)


def _switch(names: tuple[str, ...], *, enabled: bool, as_json: bool) -> None:
    """Switch all of them, or none if one is misspelled."""
    with default_registry() as registry:
        chosen = [named(registry, name) for name in names]
        for tool in chosen:
            registry.switch(tool.name, enabled=enabled)
    if as_json:
        print_json([{"name": tool.name, "enabled": enabled} for tool in chosen])
        return
    for tool in chosen:
        click.echo(f"{tool.name} is {'on' if enabled else 'off'}")
    click.echo("Servers that run follow within a second.", err=True)


@tools.command()
@click.option("--tool", metavar="TOOL", shell_complete=_names, help="Only calls of this tool.")
@click.option("-n", "count", metavar="N", type=click.IntRange(min=0), default=20, show_default=True, help="The last N.")
@click.option("--follow", "-f", "following", is_flag=True, help="And those to come, until Ctrl-C.")
@click.option(
    "--prune",
    "keep",
    metavar="[KEEP]",
    is_flag=False,
    flag_value=0,
    type=click.IntRange(min=0),
    help="Forget all calls, or all but the last KEEP.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def log(tool: str | None, count: int, keep: int | None, *, following: bool, as_json: bool) -> None:
    """Who called which tool with what, and what came of it."""
    with default_registry() as registry:
        if keep is not None:
            _prune(registry, keep, alone=tool is None and not following, as_json=as_json)
            return
        if not latest(registry.database, 1, tool) and tool is not None:
            named(registry, tool)  # a tool that is gone may have calls; one that never was has been misspelled
        if not as_json:
            click.echo(HEAD)
        with contextlib.suppress(KeyboardInterrupt):
            for one in calls(registry.database, tool, count, follow=following):
                if as_json:
                    print_json(one._asdict())
                else:
                    click.echo(line(one, shutil.get_terminal_size().columns if sys.stdout.isatty() else None))


def _prune(registry: Registry, keep: int, *, alone: bool, as_json: bool) -> None:
    if not alone:
        raise Problem("--prune forgets calls of all tools, and ends; leave out --tool and --follow")
    forgotten = prune(registry.database, keep)
    if as_json:
        print_json({"forgotten": forgotten})
    else:
        click.echo(f"forgot {forgotten} calls")


def _say(text: str) -> None:
    click.echo(f"strictcall: {text}", err=True)
