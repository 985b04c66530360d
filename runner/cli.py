"""The `strictcall` command. Data goes to standard output and nothing else does."""

import os
import sqlite3
import sys
from pathlib import Path

import click

from db.database import Unusable
from runner.commands.completion import VARIABLE, completion
from runner.commands.config import config
from runner.commands.connect import connect
from runner.commands.db import db
from runner.commands.demo import demo
from runner.commands.dialects import dialects
from runner.commands.mcp import mcp
from runner.commands.parse import parse
from runner.commands.serve import serve
from runner.commands.tools import tools
from runner.commands.view import view
from runner.commands.viewer import viewer
from runner.problem import Problem
from runner.tool_calls import FAILED, USAGE
from runner.usage import wrong


def main() -> None:
    """Run the command; a mistake of the user's is one line on standard error."""
    _open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):
        # A pipe on Windows has the encoding of the system, which cannot say what models write, and its own line ends.
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")  # type: ignore[union-attr]
    try:
        colour = False if os.environ.get("NO_COLOR") else None  # None: on a terminal
        code = strictcall.main(prog_name="strictcall", complete_var=VARIABLE, standalone_mode=False, color=colour)
        sys.exit(code or 0)
    except Problem as problem:
        _fail(str(problem))
    except click.UsageError as error:
        _fail(wrong(error))
    except click.Abort:
        _fail("interrupted")
    except Unusable as error:
        _fail(str(error), FAILED)
    except sqlite3.Error as error:
        _fail(f"the database did not answer: {error}; try again, or mend it", FAILED)
    except BrokenPipeError:
        sys.exit(0)  # whoever read us has seen enough
    except OSError as error:
        _fail(f"cannot write: {error.strerror}; make room, or write elsewhere")


def _open_what_is_closed() -> None:
    """Whoever started us may have closed a standard stream: the next file that is opened would take its place."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - it stays open


def _fail(message: str, code: int = USAGE) -> None:
    click.echo(f"strictcall: {message}", err=True)
    sys.exit(code)


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="strictcall", prog_name="strictcall")
@click.pass_context
def strictcall(context: click.Context) -> None:
    """Whatever dialect a local model calls tools in, the client gets strict OpenAI tool calls."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (serve, mcp, tools, view, viewer, db, connect, config, parse, dialects, demo, completion):
    strictcall.add_command(command)


if __name__ == "__main__":
    main()
