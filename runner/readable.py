"""A tool's result for the eye: text as it is, rows as a table, fields as lines."""

from typing import Any

from runner.columns import padded, plain, width

MAX_CELL = 60
"""Columns of a cell; rows with longer ones are shown field by field."""


def readable(value: Any) -> str:
    """The value as a person would write it down."""
    match value:
        case None:
            return "(nothing)"
        case dict():
            return _fields(value)
        case [dict(), *_] if all(isinstance(row, dict) for row in value):
            return _table(value) if _is_flat(value) else "\n\n".join(map(_fields, value))
        case list():
            return "\n".join(f"- {_inline(item)}" for item in value) or "(none)"
        case _:
            return _inline(value)


def _fields(fields: dict[str, Any]) -> str:
    wide = max(map(width, fields), default=0)
    lines = []
    for name, value in fields.items():
        text = readable(value) if isinstance(value, dict | list) else _inline(value)
        if "\n" in text:
            lines += [name, *(f"  {line}".rstrip() for line in text.split("\n"))]
        else:
            lines.append(f"{padded(name, wide)}  {text}")
    return "\n".join(lines)


def _is_flat(rows: list[dict[str, Any]]) -> bool:
    cells = [cell for row in rows for cell in row.values()]
    return all(
        not isinstance(cell, dict | list) and "\n" not in (text := _inline(cell)) and width(text) <= MAX_CELL
        for cell in cells
    )


def _table(rows: list[dict[str, Any]]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [names, *([_inline(row.get(name, "")) for name in names] for row in rows)]
    widths = [max(width(line[column]) for line in cells) for column in range(len(names))]
    cells.insert(1, ["-" * columns for columns in widths])
    return "\n".join("  ".join(map(padded, line, widths)).rstrip() for line in cells)


def _inline(value: Any) -> str:
    match value:
        case True | False:
            return "yes" if value else "no"
        case None:
            return "-"
        case _:
            return plain(str(value))
