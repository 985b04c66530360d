"""Embeddings without a model: each word is a vector made from its hash, a text is the sum of its words.

Equal texts have equal vectors, and texts that share words are near to each other.
"""

import hashlib
import math
import re
from typing import Final

_WORD: Final = re.compile(r"\w+")


def embedded(text: str, length: int) -> list[float]:
    """A vector of `length` numbers and norm 1."""
    words = _WORD.findall(text.lower()) or [text]
    total = [sum(column) for column in zip(*(_vector(word, length) for word in words), strict=True)]
    norm = math.sqrt(sum(number * number for number in total))
    return [number / norm for number in total]


def _vector(word: str, length: int) -> list[float]:
    # Odd numbers only: no element, and so no sum that matters, is zero.
    return [byte - 127.5 for byte in hashlib.shake_256(word.encode()).digest(length)]
