"""Data on standard output, as JSON."""

import json

import click


def print_json(value: object) -> None:
    """One line of JSON."""
    try:
        click.echo(json.dumps(value, ensure_ascii=False).encode())
    except UnicodeEncodeError:  # lone surrogates can only be said as escapes
        click.echo(json.dumps(value).encode())
