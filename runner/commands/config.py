"""`strictcall config`: the settings, and where they come from."""

import json
from typing import Any

import click

from db.location import SETTINGS, database_path, settings_files, tools_folder, user_settings
from proxy.settings import shown
from runner.flags import loaded, with_settings
from runner.printing import print_json


@click.group(invoke_without_command=True)
@click.pass_context
def config(context: click.Context) -> None:
    """The settings: flags, STRICTCALL_*, strictcall.toml."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@config.command()
@with_settings
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def show(*, as_json: bool, **flags: Any) -> None:
    """Every setting, and where its value came from."""
    settings, sources = loaded(flags)
    values = shown(settings)
    if as_json:
        print_json({name: {"value": value, "from": sources[name]} for name, value in values.items()})
        return
    for name, value in values.items():
        click.echo(f"{name:<16} {json.dumps(value, ensure_ascii=False):<44} {click.style(sources[name], dim=True)}")
    read = ", ".join(settings_files()) or f"none; settings may be in ./{SETTINGS} or {user_settings()}"
    click.echo(f"\nfiles read: {read}")
    click.echo(f"database: {database_path()}\ntools of your own: {_tools()}")


def _tools() -> str:
    try:
        return tools_folder(database_path())
    except ValueError as error:
        return str(error)
