"""A bug in a tool of the user's own, told to its author: the line of the file, and what happened there."""

import logging
import traceback
from collections.abc import Callable
from pathlib import Path

from db.tool import Tool


def tell(tool: Tool, say: Callable[[str], None]) -> None:
    """From now on, say of a bug of this tool where it is, in place of a traceback through our own code."""
    logging.getLogger("db.registry").addHandler(_Line(tool.function.__code__.co_filename, say))


class _Line(logging.Handler):
    def __init__(self, file: str, say: Callable[[str], None]) -> None:
        super().__init__()
        self._file = file
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            self._say(record.getMessage())
            return
        what = " ".join("".join(traceback.format_exception_only(error)).split())
        lines = [one.lineno for one in traceback.extract_tb(error.__traceback__) if one.filename == self._file]
        where = f"{Path(self._file).name}, line {lines[-1]}: " if lines else ""
        self._say(f"{where}{what}")
