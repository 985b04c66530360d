"""The suite's prompts."""

from db.database import Database
from db.schema import Json
from mcp_clients.conformance.blocks import PICTURE, embedded
from mcp_server.prompts import Argument, Prompt


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


def _simple(_: Database) -> list[Json]:
    return [_text("This is a simple prompt for testing.")]


def _with_arguments(_: Database, arg1: str, arg2: str) -> list[Json]:
    return [_text(f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")]


def _with_resource(_: Database, resourceUri: str) -> list[Json]:  # noqa: N803 - the suite's name
    given = embedded(resourceUri, "text/plain", "Embedded resource content for testing.")
    return [given, _text("Please process the embedded resource above.")]


def _with_image(_: Database) -> list[Json]:
    return [PICTURE, _text("Please analyze the image above.")]


def _places(_: Database, begun: str) -> list[str]:
    """Proposals for an argument."""
    return [one for one in ("paris", "park", "party") if one.startswith(begun)]


PROMPTS = (
    Prompt("test_simple_prompt", "Simple", "A sentence.", (), _simple),
    Prompt(
        "test_prompt_with_arguments",
        "Arguments",
        "Two arguments.",
        (Argument("arg1", "The first.", _places), Argument("arg2", "The second.")),
        _with_arguments,
    ),
    Prompt(
        "test_prompt_with_embedded_resource",
        "Resource",
        "A resource.",
        (Argument("resourceUri", "The address of the resource."),),
        _with_resource,
    ),
    Prompt("test_prompt_with_image", "Image", "A picture.", (), _with_image),
)
