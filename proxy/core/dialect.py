"""A dialect: how the models of one family spell calls and reasoning. A value; each has a file in `proxy/dialects`."""

from dataclasses import dataclass
from typing import Final

from proxy.core.grammar import Grammar
from proxy.core.offer import Keys

NO_KEYS: Final = Keys()


@dataclass(frozen=True, slots=True, eq=False)  # there is one of each: what is kept for some is found by identity
class Dialect:
    """What one family of models writes."""

    name: str
    models: tuple[str, ...]
    """who speaks it, as shell patterns of model names"""
    grammars: tuple[Grammar, ...]
    """the blocks it is made of"""
    example: str
    """one call, as the model writes it"""
    keys: Keys = NO_KEYS
    """what its JSON calls the parts of a call, beyond the common words"""
    family: str = ""
    """the dialect that it is a variety of"""
    argument: str = ""
    """the part of the example that is written once per argument, where that is neither JSON nor Python"""
