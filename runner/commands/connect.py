"""`strictcall connect`: our tools in an MCP client."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from runner.columns import room, wrapped
from runner.connect.client_file import NAME, ClientFile
from runner.connect.clients import CLIENTS, Step, System
from runner.connect.ways import ways
from runner.flags import loaded
from runner.printing import print_json
from runner.problem import Problem

_SAID: Final = {
    "shown": "Put this into {file}, beside what is there, or let --write do it:",
    "written": "wrote {file}",
    "updated": "updated the entry in {file}",
    "already there": "already there: {file}",
    "put back": "{file} is as it was before",
    "entry removed": "took the entry out of {file}; what has changed there since stays",
    "file removed": "removed {file}; it held nothing else",
    "not there": "nothing to undo: {file} has no strictcall",
}


_EACH: Final = "\n".join(f"  {one.name:<14}  {one.title}: {one.about}" for one in CLIENTS.values())


@click.command(short_help="Give an MCP client our tools.", epilog=f"\b\nClients:\n{_EACH}")
@click.argument("client", metavar="CLIENT", type=click.Choice(list(CLIENTS)))
@click.option("--print", is_flag=True, help="Show what to put where (the default).")
@click.option("--write", is_flag=True, help="Put it there; a backup is kept, all else stays.")
@click.option("--undo", is_flag=True, help="Take it out again.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def connect(client: str, *, as_json: bool, **actions: bool) -> None:
    """Give an MCP client our tools: what goes into its configuration, and what to click."""
    action = _only(actions)
    chosen = CLIENTS[client]
    file = ClientFile(chosen.place(System(sys.platform, os.environ, Path.cwd())), chosen.key)
    told: dict[str, Any] = {"client": client, "file": str(file.path)}
    if action == "undo":
        told["done"] = file.undo()
        told["steps"] = [Step(f"Restart {chosen.title}.")._asdict()] if told["done"] != "not there" else []
    else:
        reached = ways(loaded({})[0], os.environ)
        entry, steps = chosen.entry(reached), chosen.steps(reached)
        if not file.path.parent.is_dir():
            missing = f"{chosen.title} seems not to be installed: there is no {file.path.parent}"
            click.echo(f"strictcall: note: {missing}", err=True)
        told["done"] = file.write(entry) if action == "write" else "shown"
        told["backup"] = str(file.backup) if file.backup.exists() else None
        told |= {"config": {file.key: {NAME: entry}}, "steps": [step._asdict() for step in steps]}
    if as_json:
        print_json(told)
    else:
        click.echo("\n".join(_lines(told)))


def _only(actions: dict[str, bool]) -> str:
    """The one that is wanted."""
    wanted = [name for name, given in actions.items() if given]
    if len(wanted) > 1:
        raise Problem(f"--{wanted[0]} and --{wanted[1]} cannot both be done; choose one")
    return wanted[0] if wanted else "print"


def _lines(told: dict[str, Any]) -> Iterator[str]:
    yield _SAID[told["done"]].format(file=told["file"])
    if told["done"] == "shown":
        yield f"\n{json.dumps(told['config'], ensure_ascii=False, indent=2)}"
    elif told.get("backup"):
        yield f"as it was before: {told['backup']}"
    if told.get("steps"):
        yield "\nThen:"
    for number, step in enumerate(told.get("steps", ()), 1):
        yield f"  {number}. {wrapped(step['do'], room(), 5)}"
        if step["paste"]:
            yield f"     {click.style(step['paste'], bold=True)}"
