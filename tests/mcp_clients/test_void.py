"""Void: its light, and what its model gets to read."""

import json
from pathlib import Path

import pytest

from mcp_clients.packages import Clients
from mcp_clients.process import ask
from mcp_clients.questions import QUESTIONS, TOOLS, WHY


@pytest.mark.parametrize("path", ["/sse", "/mcp"])
def test_voids_light_is_green_and_its_model_reads_why_a_call_failed(
    path: str, url: str, clients: Clients, tmp_path: Path
) -> None:
    seen = ask(clients, tmp_path, "void.cjs", {"url": url + path})
    assert seen["light"] == "green"
    assert {tool["name"] for tool in seen["tools"]} >= TOOLS
    assert "김민준" in seen["call"]
    assert seen["bad_call"].startswith("ERROR:")
    assert WHY in seen["bad_call"]
    assert "calculate_vacation_days" in seen["unknown_tool"]
    for said, question in zip(seen["at_once"], QUESTIONS["at_once"], strict=True):
        assert json.loads(said)["result"].items() >= question["arguments"].items()


def test_voids_light_is_red_where_there_is_no_server(clients: Clients, tmp_path: Path, mcp_url: str) -> None:
    assert ask(clients, tmp_path, "void.cjs", {"url": f"{mcp_url}/nothing"}) == {"light": "red"}
