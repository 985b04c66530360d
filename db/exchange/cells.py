"""Cells of people's files as a table wants them: under its columns, days and numbers as they are stored."""

from collections.abc import Mapping
from typing import Any

from db.exchange.columns import COLUMNS
from db.exchange.misfit import unfit
from db.exchange.readings import READINGS, numeric, textual
from db.exchange.sheet import BadData, Row
from db.exchange.table import Table


class Naming:
    """Which column a heading means: the one that was said, the one of this name, or the one that people call so."""

    def __init__(self, table: Table, renames: Mapping[str, str]) -> None:
        known = COLUMNS.get(table.name, {})
        self._table = table
        self._spelled = {plain(heading): name for name, column in known.items() for heading in column.headings}
        self._spelled |= {plain(name): name for name in table.columns}
        self._said = {plain(old): new and self._named(old, new) for old, new in renames.items()}
        self._found: dict[str, str | None] = {}

    def columns(self, row: Row) -> dict[str, Any]:
        """The cells of the row by their columns."""
        cells: dict[str, Any] = {}
        for heading, cell in row.cells.items():
            column = self._column(heading)
            if column is None:
                raise BadData(f"{row.where}: {self._strange(row)}")
            if column in cells:
                raise BadData(f"{row.where}: two headings mean {column}; add --rename {heading}= to leave this one out")
            if column:
                cells[column] = cell
        return cells

    def _column(self, heading: str) -> str | None:
        """`""` for a heading that is to be left out, None for one that is unknown."""
        if heading not in self._found:
            named = heading if heading in self._table.columns else self._spelled.get(plain(heading))
            self._found[heading] = self._said.get(plain(heading), named)
        return self._found[heading]

    def _named(self, old: str, new: str) -> str:
        if plain(new) not in self._spelled:
            raise BadData(f"--rename {old}={new}: there is no column {new!r}; {self._offer()}")
        return self._spelled[plain(new)]

    def _strange(self, row: Row) -> str:
        strange = [heading for heading in row.cells if self._column(heading) is None]
        return (
            f"there is no column {' or '.join(map(repr, strange))}; {self._offer()}; add --rename {strange[0]}=COLUMN,"
            f" or --rename {strange[0]}= to leave it out"
        )

    def _offer(self) -> str:
        return f"{self._table.name} has {', '.join(self._table.columns)}"


def plain(heading: str) -> str:
    """hireDate, Hire Date and hire_date are one heading."""
    return "".join(char for char in heading.casefold() if char.isalnum()) or heading


def stored(table: Table, cells: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The cells in the types of their columns; a number that is not given is left out."""
    values = {}
    for column, cell in cells.items():
        if isinstance(cell, dict | list):
            raise BadData(f"{where}, {column}: wanted a text or a number, found {cell!r:.80}; write it as one")
        if table.is_number(column) and isinstance(cell, str) and not cell.strip():
            continue
        read = READINGS.get((table.name, column), numeric if table.is_number(column) else textual)
        try:
            values[column] = read(cell)
        except ValueError:
            raise unfit(table, column, cell, where) from None
    return values
