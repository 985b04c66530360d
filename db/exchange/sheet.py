"""A file of rows: CSV or TSV as spreadsheets save them, JSON or JSON lines as programs do.

It is read as people have it: UTF-8 with or without a mark, UTF-16 with one, or CP949 (Korean Excel); cells apart by a
comma, a semicolon or a tab. What the rows mean is not known here, but where each of them stands is.
"""

import codecs
import csv
import io
import json
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Final, NamedTuple
from unicodedata import normalize

FORMATS: Final = ("csv", "tsv", "json", "jsonl")
_DELIMITERS: Final = ",;\t"
_HEAD: Final = 65_536
"""Characters within which the headings end."""
_MARKS: Final = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


class BadData(Exception):  # noqa: N818 - what it is
    """The data cannot be taken: where, what was wanted, what was found, what to do."""


class Row(NamedTuple):
    """The cells by their headings, and where the row stands."""

    where: str
    cells: dict[str, Any]


class Sheet(NamedTuple):
    """The rows of each table; one that the file does not name is `""`. In a file without types all cells are text."""

    name: str
    tables: dict[str, list[Row]]
    encoding: str
    typed: bool


def format_of(name: str) -> str:
    """What a file is, by its name."""
    extension = name.lower().rpartition(".")[2]
    if extension in {"xlsx", "xls", "ods"}:
        raise BadData(f"{name} is a workbook; save the sheet as CSV and import that")
    if extension not in FORMATS:
        raise BadData(f"{name} does not say what it is; name it .csv, .tsv, .json or .jsonl, or add --format")
    return extension


def read(raw: bytes, name: str, form: str) -> Sheet:
    """The sheet that is in a file."""
    text, encoding = _decoded(raw, name)
    match form:
        case "json":
            tables = _tables(_json(text, name), name)
        case "jsonl":
            tables = {"": list(_lines(text, name))}
        case _:
            tables = {"": list(_cells(text, name))}
    return Sheet(name, tables, encoding, typed=form in {"json", "jsonl"})


def as_csv(headings: Iterable[str], rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """The text of a CSV file, line by line."""
    line = io.StringIO(newline="")
    writer = csv.writer(line)
    for cells in chain([headings], (row.values() for row in rows)):
        writer.writerow(cells)
        yield line.getvalue()
        line.seek(0)
        line.truncate()


def as_json(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """A JSON list, a line for each row."""
    before = "[\n"
    for row in rows:
        yield before + json.dumps(row, ensure_ascii=False)
        before = ",\n"
    yield "[]" if before == "[\n" else "\n]"


def _decoded(raw: bytes, name: str) -> tuple[str, str]:
    marked = [encoding for mark, encoding in _MARKS.items() if raw.startswith(mark)]
    for encoding in marked or ("utf-8", "cp949"):
        try:
            return raw.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    raise BadData(f"{name} is neither UTF-8 nor UTF-16 nor CP949 text; save it as UTF-8")


# ---- CSV


def _cells(text: str, name: str) -> Iterator[Row]:
    csv.field_size_limit(2**31 - 1)  # a document is longer than what it allows by itself
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    headings: list[str] = []
    line = 1
    try:
        for cells in reader:
            where, line = f"{name}, line {line}", reader.line_num + 1
            if not any(map(str.strip, cells)):
                continue  # spreadsheets leave such lines behind
            if headings:
                yield Row(where, _under(headings, cells, where))
            else:
                headings = _headings(cells, where)
    except csv.Error as error:
        raise BadData(f"{name}, line {reader.line_num}: this is no CSV ({error}); mend it there") from None
    if not headings:
        raise BadData(f"{name} is empty; wanted a line of headings and a line for each row")


def _delimiter(text: str) -> str:
    """What divides the headings into the most cells."""
    head = text.lstrip()[:_HEAD]
    return max(_DELIMITERS, key=lambda one: len(next(csv.reader(io.StringIO(head, newline=""), delimiter=one), [])))


def _headings(cells: list[str], where: str) -> list[str]:
    headings = [normalize("NFC", cell.strip()) for cell in cells]
    twice = [one for one in headings if one and headings.count(one) > 1]
    if twice:
        raise BadData(f"{where}: there are two columns {twice[0]!r}; give each a heading of its own")
    return headings


def _under(headings: list[str], cells: list[str], where: str) -> dict[str, str]:
    """The cells by their headings; those that a line ends without are empty."""
    padded = cells + [""] * (len(headings) - len(cells))
    names = headings + [""] * (len(cells) - len(headings))
    for name, cell in zip(names, padded, strict=True):
        if not name and cell.strip():
            raise BadData(
                f"{where}: {cell!r} stands under no heading; add one, or put quotes around a cell with commas"
            )
    return {name: cell for name, cell in zip(names, padded, strict=True) if name}


# ---- JSON


def _tables(value: Any, name: str) -> dict[str, list[Row]]:
    if isinstance(value, dict) and value and all(isinstance(one, list) for one in value.values()):
        return {table: _rows(rows, f"{name}, {table}") for table, rows in value.items()}
    return {"": _rows(value, name)}


def _rows(value: Any, where: str) -> list[Row]:
    if not isinstance(value, list):
        raise BadData(f"{where}: wanted a list of objects, or an object with such lists by table; found no list")
    return [_row(cells, f"{where}, row {number}") for number, cells in enumerate(value, 1)]


def _lines(text: str, name: str) -> Iterator[Row]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            where = f"{name}, line {number}"
            yield _row(_json(line, where), where)


def _row(cells: Any, where: str) -> Row:
    if not isinstance(cells, dict):
        raise BadData(f"{where}: wanted an object with the cells of a row; found {json.dumps(cells)[:80]}")
    return Row(where, {normalize("NFC", heading.strip()): cell for heading, cell in cells.items()})


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadData(f"{where} is not JSON: {error}; mend it there") from None
