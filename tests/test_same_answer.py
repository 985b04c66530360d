"""One tool, one answer: to the byte, whoever asks and on whichever way."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_server import FakeServer
from mcp_running import INITIALIZED, Http, Stdio, call, environment, initialize, over_http
from running import proxy

from mcp_server.registry import default_registry
from proxy.settings import Settings
from runner.serve import shell_tools

ROOT = Path(__file__).parent.parent
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("get_all_employees", {}),
    ("get_employee_info", {"employee_id": "EMP001"}),
    ("get_employee_info", {"employee_id": "없는 사람"}),
    ("calculate_vacation_days", {"employee_id": "EMP002", "year": "2025"}),
    ("calculate_vacation_days", {"employee_id": "EMP002"}),
    ("search_docs", {"query": "연차"}),
    ("search_docs", {"query": "100%_'\"OR* <&>\u2028 😀"}),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("same")


@pytest.fixture(scope="module")
def http(home: Path) -> Iterator[Http]:
    with over_http(home) as one:
        yield one


@pytest.fixture(scope="module")
def stdio(home: Path) -> Iterator[Stdio]:
    with Stdio(home) as one:
        one.begin()
        yield one


@pytest.mark.skipif(os.name != "posix", reason="pastes into bash")
@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_the_same_answer_everywhere(
    tool: str, arguments: dict[str, Any], home: Path, http: Http, stdio: Stdio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRICTCALL_DB", str(home / "data.db"))
    with default_registry() as registry:
        text = registry.call(tool, arguments, "test").text
    answers = {
        "execute_tool": executed(home, tool, arguments),
        "runner": ran(home, tool, arguments),
        "shell mode": pasted(home, tool, arguments),
        "stdio": of_mcp(stdio.ask(call(tool, **arguments))),
        "POST /sse": of_mcp(http.ask("/sse", call(tool, **arguments))),
        "/mcp": of_mcp(http.ask("/mcp", call(tool, **arguments), mcp_session_id=http.session())),
    }
    with http.sse() as stream:
        stream.ask(initialize())
        stream.send(INITIALIZED)
        answers["HTTP+SSE"] = of_mcp(stream.ask(call(tool, **arguments)))
    assert answers == dict.fromkeys(answers, text)


def executed(home: Path, tool: str, arguments: dict[str, Any]) -> str:
    code = "import json, sys; from mcp_server.registry import execute_tool as run"
    code += "; print(json.dumps(run(sys.argv[1], json.loads(sys.argv[2])), ensure_ascii=False))"
    return output(home, [sys.executable, "-X", "utf8", "-c", code, tool, json.dumps(arguments)])


def ran(home: Path, tool: str, arguments: dict[str, Any]) -> str:
    return output(home, [sys.executable, str(ROOT / "runner/mcp_tools_runner.py"), tool, json.dumps(arguments)])


def pasted(home: Path, tool: str, arguments: dict[str, Any]) -> str:
    """What a person sees who pastes the command into which shell mode has turned a model's call."""
    with FakeServer() as model, default_registry() as registry:
        said = json.dumps({"name": tool, "arguments": arguments}, ensure_ascii=False)
        model.says(f"<tool_call>\n{said}\n</tool_call>")
        with proxy(model.url, shell=shell_tools(registry, Settings(shell="bash"))) as one:  # noqa: S604 - a setting
            content = one.post("/shell/v1/chat/completions").json()["choices"][0]["message"]["content"]
    command = content.partition("```bash\n")[2].partition("\n```")[0]
    return output(home, ["bash", "-c", command])


def output(home: Path, words: list[str]) -> str:
    ended = subprocess.run(words, cwd=home, env=environment(home), capture_output=True, check=False, timeout=60)
    return ended.stdout.decode().removesuffix("\n")


def of_mcp(answer: dict[str, Any]) -> str:
    """The text, which is the structured content as it stands."""
    result = answer["result"]
    assert json.dumps(result["structuredContent"], ensure_ascii=False) == result["content"][0]["text"]
    return str(result["content"][0]["text"])
