"""What one file or one package of the user's offers: tools, or a problem that the user can mend."""

from typing import Any, NamedTuple

from db.tool import Tool


class Offer(NamedTuple):
    """The tools that somebody offers; none, if there is a problem: where, what, and what to do."""

    where: str
    tools: tuple[Tool, ...] = ()
    problem: str = ""


class BadOffer(Exception):  # noqa: N818 - what it is
    """These are no tools: why not, and what to do."""


def tools_of(offered: Any) -> tuple[Tool, ...]:
    """The tools of a module with `TOOLS`, or the tools themselves."""
    tools = getattr(offered, "TOOLS", offered)
    try:
        found = tuple(tools)
    except TypeError:
        raise BadOffer("it has no TOOLS; end it with TOOLS = (Tool.of(your_function),)") from None
    for one in found:
        if not isinstance(one, Tool):
            name = getattr(one, "__name__", repr(one))
            raise BadOffer(f"{name} in its TOOLS is no Tool; write Tool.of({name})")
    return found


def in_a_line(error: BaseException) -> str:
    """What went wrong, in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())
