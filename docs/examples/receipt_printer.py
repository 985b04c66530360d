"""A receipt printer: put this file into your tools folder, and every model that you talk to can print.

RECEIPT_PRINTER names a device or a file, /dev/usb/lp0 for example. Without it it is receipts.txt beside the database.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, TypedDict
from unicodedata import combining, east_asian_width, normalize

from db.database import Database
from db.progress import Progress
from db.result import ToolFailed
from db.schema import Field
from db.tool import Hints, Tool

COLUMNS = 32
"""Of paper that is 58 mm wide."""
ENCODING = "utf-8"
"""Many printers that are sold in Korea want cp949."""


class Content(TypedDict):
    """What is on a receipt."""

    text: Annotated[str, Field("The text to print. Long lines are wrapped.", max_length=10_000, example="안녕하세요")]


class Printed(TypedDict):
    """What has become of it."""

    printer: str
    lines: int


def print_receipt(content: Content, database: Database, progress: Progress) -> Printed:
    """Print a text on the receipt printer.

    Returns the name of the printer and how many lines were printed. Paper is real: print once, and only when asked to.
    """
    text = normalize("NFC", content["text"]).strip()
    if not text:
        raise ToolFailed("there is nothing to print; give content with a text, for example {'text': '안녕하세요'}")
    lines = [row for line in text.splitlines() for row in wrapped(line)]
    printer = Path(os.environ.get("RECEIPT_PRINTER") or Path(database.path).with_name("receipts.txt"))
    try:
        with printer.open("ab") as paper:
            for number, line in enumerate(lines):
                progress(number, len(lines), line)
                paper.write(f"{line}\n".encode(ENCODING, "replace"))
                paper.flush()
            paper.write(b"\n\n\n")  # up to where it is torn off
    except OSError as error:
        raise ToolFailed(f"cannot print to {printer}: {error.strerror}; set RECEIPT_PRINTER to another") from None
    return {"printer": str(printer), "lines": len(lines)}


def wrapped(line: str) -> Iterator[str]:
    """The line in rows that fit on the paper, cut between words where there are any."""
    # A control character is a command to a printer: it may cut the paper, or open the drawer with the money.
    rest = "".join(char for char in line.expandtabs(4) if char.isprintable())
    while (end := fitting(rest)) < len(rest):
        space = rest.rfind(" ", 1, end + 1)
        cut = space if space > 0 else end
        yield rest[:cut].rstrip()
        rest = rest[cut:].lstrip()
    yield rest


def fitting(text: str) -> int:
    """How many characters fit into a row: a Korean one takes two columns, an accent none."""
    used = 0
    for index, char in enumerate(text):
        used += 0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1
        if used > COLUMNS:
            return index
    return len(text)


TOOLS = (Tool.of(print_receipt, Hints(destructive=False, idempotent=False, open_world=True), timeout=60),)
