"""The `strictcall` command. Data goes to standard output and nothing else does."""

import os
import sys
from pathlib import Path

import click

from runner.commands.config import config
from runner.commands.db import db
from runner.commands.demo import demo
from runner.commands.dialects import dialects
from runner.commands.mcp import mcp
from runner.commands.parse import parse
from runner.commands.serve import serve
from runner.inputs import Problem

USAGE = 2


def main() -> None:
    """Run the command; a mistake of the user's is one line on standard error."""
    _open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):
        # A pipe on Windows has the encoding of the system, which cannot say most of what models write.
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    try:
        sys.exit(strictcall.main(standalone_mode=False) or 0)
    except Problem as problem:
        _fail(str(problem))
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "strictcall"
        _fail(f"{error.format_message().rstrip('.?')}; see: {command} --help")
    except click.Abort:
        _fail("interrupted")
    except BrokenPipeError:
        sys.exit(0)  # whoever read us has seen enough
    except OSError as error:
        _fail(f"cannot write: {error.strerror}; make room, or write elsewhere")


def _open_what_is_closed() -> None:
    """Whoever started us may have closed a standard stream: the next file that is opened would take its place."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - it stays open


def _fail(message: str) -> None:
    click.echo(f"strictcall: {message}", err=True)
    sys.exit(USAGE)


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="strictcall", prog_name="strictcall")
@click.pass_context
def strictcall(context: click.Context) -> None:
    """Whatever dialect a local model calls tools in, the client gets strict OpenAI tool calls."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (serve, mcp, config, parse, dialects, demo, db):
    strictcall.add_command(command)


if __name__ == "__main__":
    main()
