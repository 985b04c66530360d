"""Every SDK on every transport, in every era of the protocol that it speaks: all of them see the same."""

from pathlib import Path

import pytest

from mcp_clients.conftest import OVER_HTTP
from mcp_clients.packages import Clients
from mcp_clients.process import ask, stdio
from mcp_clients.questions import OPENING, QUESTIONS, TOOLS, WHY, Json, assert_answered

HANDSHAKE, DISCOVERED = "2025-11-25", "2026-07-28"
CLIENTS = [
    # script, what it is told beside the transport, the version that it agrees on
    pytest.param("python1.py", {}, HANDSHAKE, id="python-1"),
    pytest.param("python2.py", {"era": "legacy"}, HANDSHAKE, id="python-2-legacy"),
    pytest.param("python2.py", {"era": "auto"}, DISCOVERED, id="python-2"),
    pytest.param("typescript1.cjs", {"sdk": "sdk-of-void"}, "2025-03-26", id="typescript-1.11"),
    pytest.param("typescript1.cjs", {"sdk": "@modelcontextprotocol/sdk"}, HANDSHAKE, id="typescript-1"),
    pytest.param("typescript2.cjs", {"era": "legacy"}, HANDSHAKE, id="typescript-2-legacy"),
    pytest.param("typescript2.cjs", {"era": "auto"}, DISCOVERED, id="typescript-2"),
]


@pytest.mark.parametrize(("script", "told", "version"), CLIENTS)
def test_a_client_that_starts_us_sees_all_that_we_offer(
    script: str, told: Json, version: str, clients: Clients, tmp_path: Path
) -> None:
    seen = ask(clients, tmp_path, script, told | stdio(tmp_path))
    assert_all_was_seen(seen, version)


@pytest.mark.parametrize(("script", "told", "version"), CLIENTS)
@pytest.mark.parametrize(("transport", "path"), OVER_HTTP)
def test_a_client_over_http_sees_all_that_we_offer(
    transport: str, path: str, script: str, told: Json, version: str, url: str, clients: Clients, tmp_path: Path
) -> None:
    seen = ask(clients, tmp_path, script, {**told, "transport": transport, "url": url + path})
    assert_all_was_seen(seen, version)


def assert_all_was_seen(seen: Json, version: str) -> None:
    assert seen["server"] == "strictcall"
    assert seen["version"] == version
    assert {tool["name"] for tool in seen["tools"]["tools"]} >= TOOLS
    assert all(tool["inputSchema"]["type"] == "object" for tool in seen["tools"]["tools"])
    assert_answered(seen["call"], QUESTIONS["call"])
    assert "김민준" in seen["call"]["content"][0]["text"]
    assert seen["bad_call"]["isError"] is True
    assert WHY in seen["bad_call"]["content"][0]["text"]
    assert seen["unknown_tool"]["error"]["code"] == -32602
    assert "calculate_vacation_days" in seen["unknown_tool"]["error"]["data"]
    for answer, question in zip(seen["at_once"], QUESTIONS["at_once"], strict=True):
        assert_answered(answer, question)
    assert QUESTIONS["prompt"]["name"] in {prompt["name"] for prompt in seen["prompts"]["prompts"]}
    assert QUESTIONS["prompt"]["arguments"]["question"] in seen["prompt"]["messages"][0]["content"]["text"]
    names = {one["uri"]: one["name"] for one in seen["resources"]["resources"]}
    assert names[QUESTIONS["resource"]] == "연차 휴가 규정"
    assert seen["resource"]["contents"][0]["text"].startswith(OPENING)
    assert seen["unknown_resource"]["error"]["data"] == {"uri": QUESTIONS["unknown_resource"]}
    assert (seen["ping"] == {}) == (version != DISCOVERED)
