"""Formulas: TeX to MathML.

What is written comes from our own tables, never from the formula, but for text. A formula that is not understood as a
whole is better read as TeX than with holes, so it is none.
"""

import re
from functools import lru_cache
from html import escape, unescape
from typing import Final
from xml.etree.ElementTree import Element

from latex2mathml.converter import convert_to_element

_MOST: Final = 2_000
"""Characters of a formula that is read."""
_SAME_AS: Final = {"aligned": "split", "gather": "matrix", "gather*": "matrix", "gathered": "matrix"}
"""Environments that the library does not know, by one that it does."""
_ENVIRONMENT: Final = re.compile(rf"\\(begin|end){{({'|'.join(map(re.escape, _SAME_AS))})}}")
_TAGS: Final = frozenset(
    """
    math menclose mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace
    msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none
    """.split()  # noqa: SIM905 - words read better than a list of them
)
_LIMITS: Final = frozenset({"inf", "lim", "max", "min", "sup"})
"""What has its limits below it, and does not say so; the library sets them beside it."""
_PARTS: Final = {"mfrac": 2, "mover": 2, "mroot": 2, "msub": 2, "msubsup": 3, "msup": 2, "munder": 2, "munderover": 3}
"""How many parts these have; with another number, a browser shows an error."""
_ATTRIBUTES: Final = frozenset(
    """
    accent columnalign columnlines columnspacing depth displaystyle display fence form height largeop lspace
    linethickness mathcolor mathvariant maxsize minsize movablelimits notation rowlines rowspacing rspace scriptlevel
    separator stretchy symmetric voffset width
    """.split()  # noqa: SIM905 - words read better than a list of them
)


@lru_cache(maxsize=2048)
def mathml(tex: str, *, display: bool) -> str | None:
    """A formula as MathML, or nothing if it cannot be read."""
    if len(tex) > _MOST:
        return None
    try:
        known = _ENVIRONMENT.sub(lambda found: f"\\{found[1]}{{{_SAME_AS[found[2]]}}}", tex)
        formula = convert_to_element(known, display="block" if display else "inline")
        if display:
            _set_limits(formula)
        return _written(formula)
    except Exception:  # noqa: BLE001 - it raises whatever comes to it: IndexError, KeyError, its own
        return None


def _set_limits(formula: Element) -> None:
    """Set what is below `lim` there: a formula of its own has the room."""
    for element in formula.iter("msub"):
        if len(element) and (element[0].text in _LIMITS or element[0].get("movablelimits")):
            element.tag = "munder"


def _written(element: Element) -> str:
    """An element as text, made of nothing but what is known to be harmless."""
    if element.tag not in _TAGS or len(element) != _PARTS.get(element.tag, len(element)):
        raise ValueError(element.tag)
    text = unescape(element.text or "")
    if element.tag == "mi" and text.startswith(("\\", "&")):
        raise ValueError(text)  # a command that was not understood
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in element.attrib.items() if name in _ATTRIBUTES)
    content = escape(text, quote=False) + "".join(map(_written, element))
    return f"<{element.tag}{attributes}>{content}</{element.tag}>"
