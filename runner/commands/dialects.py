"""`strictcall dialects`: what is understood."""

import click

from proxy.catalogue import dialects as all_dialects
from runner.printing import print_json


@click.command(short_help="List the dialects that are understood.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def dialects(*, as_json: bool) -> None:
    """List the dialects: name, who speaks them, the grammars they are made of, an example."""
    rows = [
        {
            "name": one.name,
            "models": list(one.models),
            "grammars": list(dict.fromkeys(type(grammar).__name__ for grammar in one.grammars)),
            "family": one.family or None,
            "example": one.example,
        }
        for one in sorted(all_dialects().values(), key=lambda one: one.name)
    ]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        name = click.style(f"{row['name']:<18}", bold=True)
        click.echo(name + ", ".join(row["models"]))  # type: ignore[arg-type]
        click.echo(click.style(f"    {', '.join(row['grammars'])}", dim=True))  # type: ignore[arg-type]
        for line in str(row["example"]).split("\n"):
            click.echo(f"    {line}")
        click.echo()
