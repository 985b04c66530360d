"""The suite's tools."""

from typing import Any

from db import switches
from db.database import Database
from db.progress import Progress
from db.result import ToolFailed, ToolResult
from db.schema import Json
from db.tool import LOOKS_UP, TIMEOUT, Tool
from mcp_clients.conformance.blocks import PICTURE, SOUND, embedded


def test_simple_text() -> ToolResult:
    """Say a sentence."""
    return ToolResult.said("This is a simple text response for testing.")


def test_image_content() -> ToolResult:
    """Show a picture."""
    return ToolResult.said("A picture:", blocks=(PICTURE,))


def test_audio_content() -> ToolResult:
    """Play a sound."""
    return ToolResult.said("A sound:", blocks=(SOUND,))


def test_embedded_resource() -> ToolResult:
    """Give a text."""
    given = embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    return ToolResult.said("A resource:", blocks=(given,))


def test_multiple_content_types() -> ToolResult:
    """Show a picture, and give a text."""
    given = embedded("test://mixed-content-resource", "application/json", '{"test": "data", "value": 123}')
    return ToolResult.said("Multiple content types test:", blocks=(PICTURE, given))


def test_error_handling() -> ToolResult:
    """Fail."""
    raise ToolFailed("This tool intentionally returns an error for testing")


def test_tool_with_progress(progress: Progress) -> str:
    """Say how far it is."""
    for done in (0, 50, 100):
        progress(done, 100)
    return "done"


def test_trigger_tool_change(database: Database) -> str:
    """Switch a tool off."""
    switches.switch(database, "test_simple_text", enabled=False)
    switches.switch(database, "test_simple_text", enabled=True)
    return "done"


def echo(**arguments: Any) -> Json:
    """Return the arguments."""
    return arguments


def with_schema(name: str, schema: Json) -> Tool:
    """A tool that takes what only a hand-written schema can say."""
    return Tool(name, "Return the arguments.", schema, {}, LOOKS_UP, TIMEOUT, echo)


TOOLS = (
    Tool.of(test_simple_text),
    Tool.of(test_image_content),
    Tool.of(test_audio_content),
    Tool.of(test_embedded_resource),
    Tool.of(test_multiple_content_types),
    Tool.of(test_error_handling),
    Tool.of(test_tool_with_progress),
    Tool.of(test_trigger_tool_change),
    with_schema(
        "test_x_mcp_header",
        {
            "type": "object",
            "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
            "required": ["region"],
        },
    ),
    with_schema(
        "json_schema_2020_12_tool",
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {
                "address": {
                    "$anchor": "addressDef",
                    "type": "object",
                    "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
                }
            },
            "properties": {
                "name": {"type": "string"},
                "address": {"$ref": "#/$defs/address"},
                "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                "phone": {"type": "string"},
                "email": {"type": "string"},
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
            "additionalProperties": False,
        },
    ),
)
