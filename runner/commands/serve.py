"""`strictcall serve`: everything in one process."""

from typing import Any

import click

from runner.flags import loaded, with_settings


@click.command(short_help="Serve strict tool calls in front of Ollama.")
@with_settings
@click.option("--json", "as_json", is_flag=True, help="Print the address as one JSON line.")
def serve(*, as_json: bool, **flags: Any) -> None:
    """Serve strict OpenAI tool calls in front of Ollama or any OpenAI-compatible server."""
    from runner.serve import serve as run  # noqa: PLC0415 - a web server takes its time to load

    settings, _ = loaded(flags)
    run(settings, as_json=as_json)
