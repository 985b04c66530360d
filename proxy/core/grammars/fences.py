"""The fence that models put around JSON inside other marks: part of the call, whatever it says."""

import re
from typing import Final

from proxy.core.cursor import Cursor, Parse

_INFO_END: Final = re.compile(r"[\n{\[]")


def opened_fence(cursor: Cursor) -> Parse[bool]:
    """Consume the opening of a code fence, if one stands here."""
    yield from cursor.space()
    if not (yield from cursor.accept("```")):
        return False
    yield from cursor.take_while(_INFO_END)
    return True


def closed_fence(cursor: Cursor) -> Parse[None]:
    """Consume the end of a code fence, if one stands here."""
    cursor.mark()
    yield from cursor.space()
    if (yield from cursor.accept("```")):
        cursor.release()
    else:
        cursor.rewind()
