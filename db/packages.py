"""Packages that offer tools, by an entry point: a name and where a module with `TOOLS`, or an iterable of tools, is.

[project.entry-points."strictcall.tools"]
receipts = "receipts.tools"
"""

from typing import TYPE_CHECKING, Final

from db.offer import BadOffer, Offer, in_a_line, tools_of

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP: Final = "strictcall.tools"


def offers() -> list[Offer]:
    """What the installed packages offer."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow to import

    try:
        points = entry_points(group=GROUP)
    except Exception as error:  # noqa: BLE001 - what others have written may be anything
        return [Offer("packages", problem=f"the installed packages cannot be read: {in_a_line(error)}; run: pip check")]
    return [_offer(point) for point in points]


def _offer(point: "EntryPoint") -> Offer:
    package = point.dist.name if point.dist else "of unknown name"
    where = f"package {package} ({point.value})"
    try:
        return Offer(where, tools_of(point.load()))
    except BadOffer as error:
        return Offer(where, problem=f"{where}: {error}")
    except (Exception, SystemExit) as error:  # noqa: BLE001 - what others have written may do anything
        return Offer(where, problem=f"{where}: {in_a_line(error)}; upgrade it, or run: pip uninstall {package}")
