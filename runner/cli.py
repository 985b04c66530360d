"""The `strictcall` command. Data goes to standard output and nothing else does.

Exit codes of `parse`: 0 a call was found, 3 there was only text, 2 wrong usage.
"""

import json
import sys
from typing import Any

import click

from proxy.catalogue import dialects as all_dialects
from proxy.core.reader import Begins
from proxy.core.tools import Tools
from proxy.settings import FILE, BadSetting, Settings, files, load, shown, user_directory
from runner import inputs
from runner.flags import with_settings
from runner.picture import picture
from runner.reading import read

USAGE = 2
ONLY_TEXT = 3


def main() -> None:
    """Run the command; a mistake of the user's is one line on standard error."""
    for stream in (sys.stdout, sys.stderr):
        # A pipe on Windows has the encoding of the system, which cannot say most of what models write.
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    try:
        sys.exit(strictcall.main(standalone_mode=False) or 0)
    except inputs.Problem as problem:
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


def _fail(message: str) -> None:
    click.echo(f"strictcall: {message}", err=True)
    sys.exit(USAGE)


def _print_json(value: object) -> None:
    try:
        click.echo(json.dumps(value, ensure_ascii=False).encode())
    except UnicodeEncodeError:  # lone surrogates can only be said as escapes
        click.echo(json.dumps(value).encode())


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="strictcall", prog_name="strictcall")
@click.pass_context
def strictcall(context: click.Context) -> None:
    """Whatever dialect a local model calls tools in, the client gets strict OpenAI tool calls."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@strictcall.command()
@click.argument("file", required=False)
@click.option("--tools", metavar="TOOLS.json", help="The tools on offer, as in an OpenAI request.")
@click.option("--dialect", metavar="NAME", help="Read this dialect only (see: strictcall dialects).")
@click.option("--chunk", metavar="N", type=click.IntRange(min=1), default=None, help="Feed N characters at a time.")
@click.option(
    "--finish", type=click.Choice(["stop", "length"]), default="stop", show_default=True, help="Why it ended."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--explain", is_flag=True, help="Show each piece and the events that it made certain.")
@click.option("--cases", metavar="FILE.jsonl", help="Read many cases, one JSON line each; prints one JSON line each.")
@click.option("--hint", is_flag=True, help="With --cases: try the dialect that the case names first.")
def parse(file: str | None, cases: str | None, **options: Any) -> int:
    """What would a client get from this text?

    FILE is the whole answer of a model, - for standard input.
    """
    if cases is None:
        return _parse_one(file, options)
    if file is not None or options["tools"] is not None or options["dialect"] is not None:
        raise inputs.Problem("--cases has its own texts and tools; leave out FILE, --tools and --dialect")
    return _parse_cases(cases, options)


def _parse_one(file: str | None, options: dict[str, Any]) -> int:
    if file is None:
        raise inputs.Problem("no text to parse; name a FILE, or - for standard input")
    if options["tools"] is None:
        raise inputs.Problem("no tools, so nothing can be a call; add --tools TOOLS.json")
    if options["hint"]:
        raise inputs.Problem("--hint goes with --cases; for one text use --dialect NAME")
    offered = inputs.dialects_of(options["dialect"])
    if file == options["tools"] == "-":
        raise inputs.Problem("standard input can be the text or the tools, not both; name a file for one of them")
    tools = inputs.tools_of(options["tools"])
    # Shown piece by piece, it is the stream of a client that does not wait for the end.
    begins = Begins.ANSWER if options["explain"] else Begins.UNKNOWN
    text, chunk, finish = inputs.text_of(file), options["chunk"] or 0, options["finish"]
    reading = read(text, tools, offered, chunk=chunk, finish=finish, begins=begins)
    if options["as_json"]:
        _print_json(reading.as_json())
    else:
        click.echo(picture(reading, explain=options["explain"]))
    return 0 if reading.complete else ONLY_TEXT


def _parse_cases(path: str, options: dict[str, Any]) -> int:
    found = False
    for case in inputs.cases_of(path):
        offered = inputs.hinted(case.get("dialect") if options["hint"] else None)
        tools = Tools.of(case["tools"])
        reading = read(case["raw"], tools, offered, chunk=options["chunk"] or 0, finish=options["finish"])
        _print_json({"id": case.get("id")} | reading.as_json())
        found = found or bool(reading.complete)
    return 0 if found else ONLY_TEXT


@strictcall.command()
@with_settings
@click.option("--json", "as_json", is_flag=True, help="Print the address as one JSON line.")
def serve(*, as_json: bool, **flags: Any) -> None:
    """Serve strict OpenAI tool calls in front of Ollama or any OpenAI-compatible server."""
    from runner.serve import serve as run  # noqa: PLC0415 - a web server takes its time to load

    settings, _ = _loaded(flags)
    run(settings, as_json=as_json)


@strictcall.group(invoke_without_command=True)
@click.pass_context
def config(context: click.Context) -> None:
    """The settings: flags, STRICTCALL_*, strictcall.toml."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@config.command()
@with_settings
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def show(*, as_json: bool, **flags: Any) -> None:
    """Every setting, and where its value came from."""
    settings, sources = _loaded(flags)
    values = shown(settings)
    if as_json:
        _print_json({name: {"value": value, "from": sources[name]} for name, value in values.items()})
        return
    for name, value in values.items():
        click.echo(f"{name:<16} {json.dumps(value, ensure_ascii=False):<44} {click.style(sources[name], dim=True)}")
    read = ", ".join(map(str, files())) or f"none; settings may be in ./{FILE} or {user_directory() / FILE}"
    click.echo(f"\nfiles read: {read}")


def _loaded(flags: dict[str, Any]) -> tuple[Settings, dict[str, str]]:
    try:
        return load(flags)
    except BadSetting as error:
        raise inputs.Problem(str(error)) from None


@strictcall.command()
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
        _print_json(rows)
        return
    for row in rows:
        name = click.style(f"{row['name']:<18}", bold=True)
        click.echo(name + ", ".join(row["models"]))  # type: ignore[arg-type]
        click.echo(click.style(f"    {', '.join(row['grammars'])}", dim=True))  # type: ignore[arg-type]
        for line in str(row["example"]).split("\n"):
            click.echo(f"    {line}")
        click.echo()


@strictcall.command()
@click.option("--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--port", metavar="N", type=click.IntRange(0, 65535), default=11500, show_default=True, help="0: any that is free."
)
@click.option("--json", "as_json", is_flag=True, help='Print {"url": ...} once it accepts connections.')
def demo(*, host: str, port: int, as_json: bool) -> None:
    """Serve scripted models, demo/<dialect>, in Ollama's API: no GPU, no download."""
    from runner.demo import serve  # noqa: PLC0415 - a web server is slow to import; other commands need none

    serve(host, port, as_json=as_json)


if __name__ == "__main__":
    main()
