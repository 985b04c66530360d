"""`strictcall view`: a Markdown document in a window of its own."""

import os

import click

from mcp_server.viewer.limits import SIZES, USUAL_SIZE
from runner.problem import Problem


@click.command(short_help="Show a Markdown document in a window.")
@click.argument("file", type=click.Path(), required=False)
@click.option("--follow", is_flag=True, help="Go along with what is added at the end; with -, show it as it comes.")
@click.option("--title", metavar="TEXT", help="Title of the window. [default: the first heading]")
@click.option(
    "--size",
    type=click.Choice([*SIZES]),
    default=USUAL_SIZE,
    show_default=True,
    help="s is 480x680, m 720x1024, l 1080x1440, f the full screen.",
)
@click.option("--background", is_flag=True, help="Do not bring the window to the front.")
@click.option("--list", "listing", is_flag=True, help="List the windows that are open, with their addresses.")
@click.option("--json", "as_json", is_flag=True, help="Print id, title and address of each window as one JSON line.")
def view(
    *, file: str | None, follow: bool, title: str | None, size: str, background: bool, listing: bool, as_json: bool
) -> None:
    """Show FILE (.md, .markdown or .txt) in a window that changes when the file does. - shows standard input.

    \b
      strictcall view README.md
      ollama run llama3.2 "Explain WAL in SQLite" | strictcall view - --follow
    """  # noqa: D301 - \b is click's
    from runner.view import list_windows, show_file, show_input  # noqa: PLC0415 - only this command needs it

    if listing == (file is not None):
        raise Problem("name a file, - for standard input, or ask for --list")
    os.environ.setdefault("STRICTCALL_LANG", "en")  # the tools speak Korean, unless told otherwise; commands do not
    wanted = {"title": title, "size": size, "foreground": not background, "follow": follow}
    if file is None:
        list_windows(as_json=as_json)
    elif file == "-":
        show_input(wanted, as_json=as_json)
    else:
        show_file(file, wanted, as_json=as_json)
