"""The Inspector's command line, which is also the strictest reader of schemas."""

import json
from pathlib import Path

import pytest

from mcp_clients.conftest import OVER_HTTP
from mcp_clients.packages import Clients
from mcp_clients.process import output, stdio
from mcp_clients.questions import OPENING, QUESTIONS, TOOLS, WHY, Json, assert_answered

FAILED = 5
"""Its exit code when a tool has failed."""


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize(("transport", "path"), OVER_HTTP)
def test_the_inspector_lists_and_calls_tools_over_http(
    transport: str, path: str, era: str, url: str, clients: Clients, tmp_path: Path
) -> None:
    where = [url + path, "--transport", transport, "--protocol-era", era]
    assert_inspected(clients, tmp_path, where)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_lists_and_calls_tools_of_a_server_that_it_starts(
    era: str, clients: Clients, tmp_path: Path
) -> None:
    server = stdio(tmp_path)
    given = [f"-e{name}={value}" for name, value in server["env"].items()]
    where = [server["command"], *server["args"], *given, "--protocol-era", era]
    assert_inspected(clients, tmp_path, where)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_shows_prompts_documents_and_what_failed(
    era: str, mcp_url: str, clients: Clients, tmp_path: Path
) -> None:
    where = [f"{mcp_url}/mcp", "--protocol-era", era]
    wanted, question = QUESTIONS["prompt"], QUESTIONS["prompt"]["arguments"]["question"]
    filled = ("--prompt-name", wanted["name"], "--prompt-args", f"question={question}")
    prompt = inspect(clients, tmp_path, *where, "--method", "prompts/get", *filled)
    assert question in prompt["messages"][0]["content"]["text"]
    resource = inspect(clients, tmp_path, *where, "--method", "resources/read", "--uri", QUESTIONS["resource"])
    assert resource["contents"][0]["text"].startswith(OPENING)
    failed = inspect(clients, tmp_path, *where, *call_of("bad_call"), code=FAILED)
    assert WHY in failed["content"][0]["text"]


def assert_inspected(clients: Clients, home: Path, where: list[str]) -> None:
    # It exits with 6 if a schema is one that some client cannot use, so this is more than a list.
    tools = inspect(clients, home, *where, "--method", "tools/list", "--strict")["tools"]
    assert {tool["name"] for tool in tools} >= TOOLS
    assert_answered(inspect(clients, home, *where, *call_of("call")), QUESTIONS["call"])


def call_of(question: str) -> tuple[str, ...]:
    """How the Inspector is told to call a tool."""
    call = QUESTIONS[question]
    return ("--method", "tools/call", "--tool-name", call["name"], "--tool-args-json", json.dumps(call["arguments"]))


def inspect(clients: Clients, home: Path, *arguments: str, code: int = 0) -> Json:
    launcher = clients.node_modules / "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
    command = [clients.node, str(launcher), "--cli", *arguments, "--format", "json", "--quiet"]
    # It keeps notes in the home directory.
    result: Json = json.loads(output(command, home, {"HOME": str(home), "USERPROFILE": str(home)}, code))["result"]
    return result
