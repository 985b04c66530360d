"""What is wrong with a command line, in our words: Click's speak of types and ranges."""

from difflib import get_close_matches

import click


def wrong(error: click.UsageError) -> str:
    """One line: what is wrong, and what to do."""
    look = f"see: {error.ctx.command_path if error.ctx else 'strictcall'} --help"
    match error:
        case click.NoSuchCommand():
            return f"there is no command {error.command_name}; {_meant(error.possibilities) or look}"
        case click.NoSuchOption():
            return f"there is no option {error.option_name}; {_meant(error.possibilities) or look}"
        case click.MissingParameter(param=click.Parameter(type=click.Choice(choices=choices)) as missing):
            return f"{_name(missing)} is missing; name one of {', '.join(choices)}, or {look}"
        case click.MissingParameter(param=click.Parameter() as missing):
            return f"{_name(missing)} is missing; {look}"
        case click.BadParameter(param=click.Parameter(type=kind) as given):
            found = error.message.partition(" is not ")[0].strip("'")
            match kind:
                case click.Choice(choices=choices):
                    near = _meant(get_close_matches(found, choices, n=2))
                    return f"{_name(given)} cannot be {found}; {near or 'it is one of ' + ', '.join(choices)}"
                case click.types.IntParamType():
                    return f"{_name(given)} cannot be {found}; it is a whole number{_range(kind)}"
    return f"{' '.join(error.format_message().split()).rstrip('.')}; {look}"


def _meant(near: list[str] | None) -> str:
    return f"did you mean {' or '.join(near)}?" if near else ""


def _name(parameter: click.Parameter) -> str:
    """As it is written on the command line."""
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)
    return parameter.human_readable_name.removesuffix("...")


def _range(kind: click.types.IntParamType) -> str:
    lowest, highest = getattr(kind, "min", None), getattr(kind, "max", None)
    if highest is not None:
        return f" from {lowest} to {highest}"
    return "" if lowest is None else f", at least {lowest}"
