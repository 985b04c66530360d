"""How much a document may have, and how large a window is: for the app, and for those who ask it."""

from typing import Final

MOST_TEXT: Final = 10_485_760
"""Bytes of a document, in UTF-8."""
SIZES: Final = {"s": (480, 680), "m": (720, 1024), "l": (1080, 1440), "f": None}
"""Width and height of each size; `f` is the whole screen."""
USUAL_SIZE: Final = "m"
"""The size of a window, unless another is asked for."""
