"""A flag for every setting that fits on a command line."""

from collections.abc import Callable
from dataclasses import Field, fields
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

import click

from proxy.settings import BadSetting, Settings, load
from runner.problem import Problem

_SPELLED: Final = {"upstreams": "--upstream", "allowed_hosts": "--allow-host", "cors_origins": "--cors-origin"}
_WITHOUT_FLAG: Final = {"models", "tools_dir"}


def with_settings(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags to a command; its function gets them all by the names of the settings, None where not given."""
    hints = get_type_hints(Settings)
    for setting in reversed(fields(Settings)):
        if flag_of(setting.name):
            command = _option(setting, hints[setting.name])(command)
    return command


def loaded(flags: dict[str, Any]) -> tuple[Settings, dict[str, str]]:
    """The settings that these flags and everything else make, and where each came from."""
    try:
        return load(flags)
    except BadSetting as error:
        raise Problem(str(error)) from None


def flag_of(name: str) -> str:
    """The flag of a setting; "" if it has none."""
    return "" if name in _WITHOUT_FLAG else _SPELLED.get(name, f"--{name.replace('_', '-')}")


def _option(setting: Field[Any], kind: Any) -> Callable[..., Any]:
    name = flag_of(setting.name)
    about = setting.metadata["about"]
    if get_origin(kind) is tuple:
        return click.option(
            name, setting.name, multiple=True, metavar=name.lstrip("-").upper(), help=f"{about} Repeatable."
        )
    if kind is bool:
        return click.option(f"{name}/--no-{name.lstrip('-')}", setting.name, default=None, help=about)
    if get_origin(kind) is Literal:
        shown = f"{about} [default: {setting.default}]"
        return click.option(name, setting.name, type=click.Choice(get_args(kind)), default=None, help=shown)
    shown = f"{about} [default: {setting.default}]" if setting.default != "" else about
    return click.option(name, setting.name, type=kind, default=None, help=shown)
