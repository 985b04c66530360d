"""Which tools there are, and what is known of one: for the runner and for `strictcall tools`."""

from collections.abc import Iterator
from typing import Any

from db.registry import Registry
from db.schema import Json
from db.schema import in_words as type_in_words
from db.switches import switched_off
from db.tool import Tool
from runner.problem import Problem


def listed(registry: Registry) -> list[dict[str, Any]]:
    """Every tool in a row: its name, what it does, whether it may be called, where it comes from."""
    on = {tool.name for tool in registry.tools()}
    return [
        {"name": tool.name, "about": about(tool), "enabled": tool.name in on, "from": _origin(tool)}
        for tool in registry.all_tools()
    ]


def about(tool: Tool) -> str:
    """What a tool does, in a line."""
    return tool.description.partition("\n")[0]


def described(registry: Registry, name: str) -> dict[str, Any]:
    """All that is known of a tool."""
    tool = named(registry, name)
    return {
        "name": tool.name,
        "enabled": tool.name not in switched_off(registry.database),
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
        "hints": tool.hints._asdict(),
        "timeout": tool.timeout,
        "from": _origin(tool),
    }


def in_words(known: dict[str, Any]) -> str:
    """The same for the eye."""
    from runner.columns import padded, plain, room, width, wrapped  # noqa: PLC0415 - only for the eye

    columns = room()
    takes = dict(_fields(known["inputSchema"]))
    wide = max(map(width, takes), default=0)
    lines = [f"  {padded(name, wide)}  {wrapped(text, columns, wide + 4)}" for name, text in takes.items()]
    name, limits = known["name"], f"It {_does(known['hints'])}; {known['timeout']:g} s at most. From {known['from']}."
    if not known["enabled"]:
        name += f" (switched off; switch it on: strictcall tools enable {name})"
    description = [wrapped(line, columns) for line in known["description"].splitlines()]
    shown = [name, *description, "", *(lines or ["  no arguments"]), "", wrapped(limits, columns)]
    return plain("\n".join(shown))


def named(registry: Registry, name: str) -> Tool:
    """The tool of this name; who asks for another is told the near ones."""
    tool = registry.find(name)
    if tool is None:
        raise Problem(registry.unknown(name))
    return tool


def is_built_in(tool: Tool) -> bool:
    """Is it one of ours?"""
    return tool.function.__module__.startswith("mcp_server.")


def _origin(tool: Tool) -> str:
    """Who brings it: strictcall itself, or a file."""
    return "strictcall" if is_built_in(tool) else tool.function.__code__.co_filename


def _fields(schema: Json, above: str = "") -> Iterator[tuple[str, str]]:
    """What an object has, and what the objects in it have: `content`, `content.text`, `lines[].price`."""
    for name, one in schema.get("properties", {}).items():
        optional = "" if name in schema.get("required", ()) else " (optional)"
        yield f"{above}{name}", one.get("description", type_in_words(one)) + optional
        yield from _fields(one, f"{above}{name}.")
        yield from _fields(one.get("items", {}), f"{above}{name}[].")


def _does(hints: dict[str, bool]) -> str:
    change = "may change and destroy data" if hints["destructive"] else "may add data"
    reach = ", and reaches beyond this machine" if hints["open_world"] else ""
    return ("only reads" if hints["read_only"] else change) + reach
