"""Which tools there are, and what is known of one: for the runner and for `strictcall tools`."""

from typing import Any

from db.registry import Registry
from db.tool import Hints, Tool
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


def described(tool: Tool) -> dict[str, Any]:
    """All that is known of a tool."""
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
        "hints": tool.hints._asdict(),
        "timeout": tool.timeout,
        "from": _origin(tool),
    }


def in_words(tool: Tool) -> str:
    """The same for the eye."""
    from runner.columns import padded, plain, width  # noqa: PLC0415 - only for the eye

    takes = tool.input_schema.get("properties", {})
    wide = max(map(width, takes), default=0)
    lines = [
        f"  {padded(name, wide)}  {one.get('description', '')}"
        + ("" if name in tool.input_schema.get("required", ()) else " (optional)")
        for name, one in takes.items()
    ]
    limits = f"It {_does(tool.hints)}; {tool.timeout:g} s at most. From {_origin(tool)}."
    return plain("\n".join([tool.name, tool.description, "", *(lines or ["  no arguments"]), "", limits]))


def named(registry: Registry, name: str) -> Tool:
    """The tool of this name; who asks for another is told the near ones."""
    tool = registry.find(name)
    if tool is None:
        raise Problem(registry.unknown(name))
    return tool


def _origin(tool: Tool) -> str:
    """Who brings it: strictcall itself, or a file."""
    built_in = tool.function.__module__.startswith("mcp_server.")
    return "strictcall" if built_in else tool.function.__code__.co_filename


def _does(hints: Hints) -> str:
    change = "may change and destroy data" if hints.destructive else "may add data"
    reach = ", and reaches beyond this machine" if hints.open_world else ""
    return ("only reads" if hints.read_only else change) + reach
