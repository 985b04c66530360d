"""`strictcall demo`: scripted models to try things with."""

import click


@click.command(short_help="Serve scripted models: no GPU, no download.")
@click.option("--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--port", metavar="N", type=click.IntRange(0, 65535), default=11500, show_default=True, help="0: any that is free."
)
@click.option("--json", "as_json", is_flag=True, help='Print {"url": ...} once it accepts connections.')
def demo(*, host: str, port: int, as_json: bool) -> None:
    """Serve scripted models, demo/<dialect>, in Ollama's API: no GPU, no download."""
    from runner.demo import serve  # noqa: PLC0415 - a web server is slow to import; other commands need none

    serve(host, port, as_json=as_json)
