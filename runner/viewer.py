"""The viewer's app, as a command."""

import json

import click

from mcp_server.viewer.place import AlreadyRunning, BadPlace, Place
from mcp_server.viewer.process import serve
from runner.problem import Problem


def keep_windows(*, as_json: bool) -> None:
    """Keep windows until a signal ends it."""

    def greet(place: Place) -> None:
        if as_json:
            click.echo(json.dumps({"socket": place.socket}))
        else:
            click.echo(f"viewer  {place.socket}\nstrictcall view FILE.md opens a window. Ctrl-C ends it.")

    try:
        serve(greet)
    except AlreadyRunning as error:
        click.echo(f"a viewer is running already, as process {error}; end that first to start another", err=True)
    except BadPlace as error:
        raise Problem(str(error)) from None
