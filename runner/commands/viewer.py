"""`strictcall viewer`: the app that keeps the Markdown windows. Tools and `strictcall view` start it by themselves."""

import click


@click.command(short_help="Keep the Markdown windows that tools and `view` open.")
@click.option("--json", "as_json", is_flag=True, help="Print the path of its socket as one JSON line.")
def viewer(*, as_json: bool) -> None:
    """Keep the Markdown windows: open_markdown and the other tools, and `strictcall view`, speak to this app.

    It need not be started by hand: whoever opens the first window starts one, which ends ten minutes after its last.
    """
    from runner.viewer import keep_windows  # noqa: PLC0415 - only this command needs it

    keep_windows(as_json=as_json)
