"""`strictcall parse`: what a client would get. Exit codes: 0 a call was found, 3 there was only text, 2 wrong usage."""

from typing import Any

import click

from proxy.catalogue import dialects
from proxy.core.reader import Begins
from proxy.core.tools import Tools
from runner import inputs
from runner.picture import picture
from runner.printing import print_json
from runner.problem import Problem
from runner.reading import read

ONLY_TEXT = 3


def _dialect_names(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    return sorted(name for name in dialects() if name.startswith(begun))


@click.command(short_help="Show what a client would get from a text.")
@click.argument("file", type=click.Path(), required=False)
@click.option("--tools", type=click.Path(), metavar="TOOLS.json", help="The tools on offer, as in an OpenAI request.")
@click.option(
    "--dialect",
    metavar="NAME",
    shell_complete=_dialect_names,
    help="Read this dialect only (see: strictcall dialects).",
)
@click.option("--chunk", metavar="N", type=click.IntRange(min=1), default=None, help="Feed N characters at a time.")
@click.option(
    "--finish", type=click.Choice(["stop", "length"]), default="stop", show_default=True, help="Why it ended."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--explain", is_flag=True, help="Show each piece and the events that it made certain.")
@click.option(
    "--cases",
    type=click.Path(),
    metavar="FILE.jsonl",
    help="Read many cases, one JSON line each; prints one JSON line each.",
)
@click.option("--hint", is_flag=True, help="With --cases: try the dialect that the case names first.")
def parse(file: str | None, cases: str | None, **options: Any) -> int:
    """What would a client get from this text?

    FILE is the whole answer of a model, - for standard input.
    """
    if cases is None:
        return _parse_one(file, options)
    if file is not None or options["tools"] is not None or options["dialect"] is not None:
        raise Problem("--cases has its own texts and tools; leave out FILE, --tools and --dialect")
    return _parse_cases(cases, options)


def _parse_one(file: str | None, options: dict[str, Any]) -> int:
    if file is None:
        raise Problem("no text to parse; name a FILE, or - for standard input")
    if options["tools"] is None:
        raise Problem("no tools, so nothing can be a call; add --tools TOOLS.json")
    if options["hint"]:
        raise Problem("--hint goes with --cases; for one text use --dialect NAME")
    offered = inputs.dialects_of(options["dialect"])
    if file == options["tools"] == "-":
        raise Problem("standard input can be the text or the tools, not both; name a file for one of them")
    tools = inputs.tools_of(options["tools"])
    # Shown piece by piece, it is the stream of a client that does not wait for the end.
    begins = Begins.ANSWER if options["explain"] else Begins.UNKNOWN
    text, chunk, finish = inputs.text_of(file), options["chunk"] or 0, options["finish"]
    reading = read(text, tools, offered, chunk=chunk, finish=finish, begins=begins)
    if options["as_json"]:
        print_json(reading.as_json())
    else:
        click.echo(picture(reading, explain=options["explain"]))
    return 0 if reading.complete else ONLY_TEXT


def _parse_cases(path: str, options: dict[str, Any]) -> int:
    found = False
    for case in inputs.cases_of(path):
        offered = inputs.hinted(case.get("dialect") if options["hint"] else None)
        tools = Tools.of(case["tools"])
        reading = read(case["raw"], tools, offered, chunk=options["chunk"] or 0, finish=options["finish"])
        print_json({"id": case.get("id")} | reading.as_json())
        found = found or bool(reading.complete)
    return 0 if found else ONLY_TEXT
