"""`strictcall db`: the database of the tools, and people's own data in it."""

import sqlite3
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import click

from db.database import Database, Unusable
from db.exchange.columns import COLUMNS
from db.exchange.incoming import load
from db.exchange.outgoing import count, dump
from db.exchange.sheet import FORMATS, BadData, Row, format_of, read
from db.exchange.table import drop as take_away
from db.exchange.table import names
from db.making import make
from runner.columns import padded, plain, width
from runner.inputs import bytes_of
from runner.printing import print_json
from runner.problem import Problem
from runner.table_names import table_names

MANY = 2_000
"""Rows from which on people want to see how far it is."""


@click.group(invoke_without_command=True, short_help="The database of the tools, and your own data in it.")
@click.pass_context
def db(context: click.Context) -> None:
    """The database of the tools: where it is, your own data into it and out of it."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@db.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def path(*, as_json: bool) -> None:
    """Say where the database is, whether it exists or not."""
    where = Database().path
    if as_json:
        print_json({"path": where})
    else:
        click.echo(where)


@db.command()
@click.option("--empty", is_flag=True, help="Without the samples.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def init(*, empty: bool, as_json: bool) -> None:
    """Make the database, with samples unless --empty. One that exists is left alone."""
    with _database() as database:
        made = make(database, samples=not empty)
        with database.reading() as connection:
            rows = count(connection)
    if empty and any(rows.values()):
        raise Problem(
            f"{database.path} is there and holds data; import your own with --replace, delete the file,"
            " or set STRICTCALL_DB to another"
        )
    if as_json:
        print_json({"path": database.path, "made": made, "rows": rows})
        return
    click.echo(f"{'made' if made else 'there already:'} {database.path}")
    click.echo(", ".join(f"{name} {number}" for name, number in rows.items()))


@db.command(short_help="Say which tables there are, and which are yours.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def tables(*, as_json: bool) -> None:
    """Say which tables there are, how many rows each has, and which are yours."""
    with _database() as database, database.reading() as connection:
        rows = count(connection)
    if as_json:
        found = [{"name": name, "rows": number, "built_in": name in COLUMNS} for name, number in rows.items()]
        print_json({"path": database.path, "tables": found})
        return
    wide = max(map(width, rows))
    for name, number in rows.items():
        click.echo(f"{padded(plain(name), wide)}  {number:>7}  {'built in' if name in COLUMNS else 'yours'}")


@db.command()
@click.argument("table", shell_complete=table_names)
@click.option("--yes", is_flag=True, help="Do it: nothing brings the rows back.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def drop(table: str, *, yes: bool, as_json: bool) -> None:
    """Take away TABLE, one of your own, with all its rows."""
    if not yes:
        raise Problem(f"this takes away {table} with all its rows; if you mean it, add --yes")
    with _database() as database, database.writing() as connection:
        dropped = take_away(connection, table)
    if as_json:
        print_json({"path": database.path, "dropped": dropped})
    else:
        click.echo(f"dropped {dropped}")


@db.command("import")
@click.argument("file", type=click.Path())
@click.argument("table", required=False, shell_complete=table_names)
@click.option("--replace", is_flag=True, help="Empty the table first: this is how to get rid of the samples.")
@click.option(
    "--rename", metavar="OLD=NEW", multiple=True, help="The heading OLD means the column NEW; OLD= is left out."
)
@click.option("--create", is_flag=True, help="Make TABLE, if there is none, with the columns of FILE.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="What FILE is, if its name does not say so.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def import_(
    file: str, table: str | None, rename: tuple[str, ...], form: str | None, *, as_json: bool, **flags: Any
) -> None:
    """Put the rows of FILE into TABLE: all of them or none.

    FILE is CSV, TSV, JSON or JSON lines, - for standard input; what `strictcall db export` wrote needs no TABLE.
    Rows with a known key are updated, the others are added.

    The id of an employee is EMP and three or more digits; --rename of its heading does not change that.
    """
    renames = dict(map(_renamed, rename))
    with _database() as database:
        name = "standard input" if file == "-" else file
        if file == "-" and form is None:
            raise Problem(f"nothing says what comes from standard input; add --format {' or '.join(FORMATS)}")
        raw = bytes_of(file)
        sheet = read(raw, name, form or format_of(name))
        if sheet.encoding == "cp949":
            _tell(f"{name} is not UTF-8; it was read as CP949, as Korean Excel writes it")
        counts = load(
            database,
            sheet,
            table,
            rename=renames,
            replace=flags["replace"],
            new=flags["create"],
            watch=_watch,
            tell=_tell,
        )
    if as_json:
        print_json({"path": database.path, "tables": counts})
        return
    for name, done in counts.items():
        click.echo(f"{name}: " + ", ".join(f"{number} {what}" for what, number in done.items()))


@db.command(short_help="Write a table, or all of them.")
@click.argument("table", required=False, shell_complete=table_names)
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    metavar="FILE",
    help="Write to FILE, - for standard output; .csv or .json says what.",
)
@click.option("--format", "form", type=click.Choice(["csv", "json"]), help="What to write; JSON if nothing says so.")
@click.option("--json", "as_json", is_flag=True, help="With -o: print one JSON object when it is done.")
def export(table: str | None, output: str | None, form: str | None, *, as_json: bool) -> None:
    """Write TABLE, or all tables as one JSON object that `strictcall db import` takes back."""
    output = None if output == "-" else output
    kind = form or _named_format(output)
    if table is None and kind == "csv":
        raise Problem(f"a CSV file holds one table; name it: {', '.join(COLUMNS)}")
    if as_json and output is None and kind == "csv":
        raise Problem("--json and CSV cannot both be on standard output; add -o FILE, or leave out --json")
    with _database() as database, database.reading() as connection:
        text = dump(connection, table, kind)
        if output is None:
            sys.stdout.buffer.writelines(piece.encode() for piece in text)
            return
        _save(text, output, kind)
        tables = [table] if table else names(connection)
    if as_json:
        print_json({"file": output, "format": kind, "tables": tables})
    else:
        click.echo(f"wrote {', '.join(tables)} to {output}", err=True)


@contextmanager
def _database() -> Iterator[Database]:
    """The database. What is wrong with it, or with the data, is for the user to mend."""
    database = Database()
    try:
        yield database
    except (BadData, Unusable) as error:
        raise Problem(str(error)) from None
    except sqlite3.Error as error:
        raise Problem(f"the database {database.path} did not answer: {error}; try again, or mend it") from None
    finally:
        database.close()


def _tell(note: str) -> None:
    click.echo(f"strictcall: {note}", err=True)


def _renamed(words: str) -> tuple[str, str]:
    old, sign, new = words.partition("=")
    if not sign:
        raise Problem(f"--rename {words} does not say what it means; write --rename {words}=COLUMN")
    return old.strip(), new.strip()


def _watch(rows: list[Row]) -> AbstractContextManager[Iterable[Row]]:
    """A bar that shows how far it is, for who waits at a terminal."""
    if len(rows) < MANY or not sys.stderr.isatty():
        return nullcontext(rows)
    return click.progressbar(rows, label="importing", file=sys.stderr, update_min_steps=100)


def _named_format(output: str | None) -> str:
    extension = Path(output).suffix.lower() if output else ".json"
    if extension not in {".csv", ".json"}:
        raise Problem(f"{output} does not say what to write; name it .csv or .json, or add --format")
    return extension[1:]


def _save(text: Iterable[str], output: str, kind: str) -> None:
    # Without the mark, Excel takes UTF-8 for the encoding of the system.
    encoding = "utf-8-sig" if kind == "csv" else "utf-8"
    try:
        with Path(output).open("w", encoding=encoding, newline="") as file:
            file.writelines(text)
    except OSError as error:
        raise Problem(f"cannot write {output}: {error.strerror}; name another file") from None
