"""What MCP clients find (prompts, documents, tools), and that they are told when it changes."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp_running import INITIALIZED, LISTEN, Stdio, call, initialize, kept, over_http, request

from mcp_server.registry import default_registry


def switch(tmp_path: Path, *, enabled: bool) -> None:
    """As another process would do it."""
    with default_registry(str(tmp_path / "data.db")) as registry:
        registry.switch("search_docs", enabled=enabled)


def names(listed: dict[str, dict[str, list[dict[str, str]]]]) -> list[str]:
    return [tool["name"] for tool in listed["result"]["tools"]]


def test_who_began_with_a_handshake_is_told_of_changes(tmp_path: Path) -> None:
    with over_http(tmp_path) as server, server.sse() as stream, Stdio(tmp_path) as client:
        client.begin()
        stream.ask(initialize())
        stream.send(INITIALIZED)
        assert "search_docs" in names(client.ask(request("tools/list")))
        switch(tmp_path, enabled=False)
        for one in (client, stream):
            assert one.receive() == {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
            assert "search_docs" not in names(one.ask(request("tools/list")))
            assert one.ask(call("search_docs", query="연차"))["error"]["code"] == -32602
        switch(tmp_path, enabled=True)
        assert client.receive()["method"] == "notifications/tools/list_changed"
        assert "search_docs" in names(client.ask(request("tools/list")))


def test_a_session_at_mcp_is_told_on_the_stream_that_it_keeps(tmp_path: Path) -> None:
    with over_http(tmp_path) as server, kept(server) as lines:
        switch(tmp_path, enabled=False)
        told = next(line for line in lines if line.startswith("data: {"))
        assert json.loads(told.removeprefix("data: "))["method"] == "notifications/tools/list_changed"


def test_who_listens_is_told_of_what_it_asked_for(tmp_path: Path) -> None:
    with Stdio(tmp_path) as client:
        client.send(LISTEN)
        assert client.receive()["method"] == "notifications/subscriptions/acknowledged"
        switch(tmp_path, enabled=False)
        told = client.receive()
        assert told["method"] == "notifications/tools/list_changed"
        assert told["params"]["_meta"] == {"io.modelcontextprotocol/subscriptionId": "mine"}
        code, _, _ = client.end()
        assert code == 0


MINE = '''
from db.tool import Tool


def hello() -> str:
    """Say hello."""
    return "안녕"


TOOLS = [Tool.of(hello)]
'''


def test_a_file_in_the_tools_folder_is_a_tool_within_a_moment(tmp_path: Path) -> None:
    with Stdio(tmp_path) as client:
        client.begin()
        (tmp_path / "tools" / "mine.py").write_text(MINE, "utf-8")
        assert client.receive()["method"] == "notifications/tools/list_changed"
        assert "hello" in names(client.ask(request("tools/list")))
        assert client.ask(call("hello"))["result"]["structuredContent"]["result"] == "안녕"


def test_documents_come_in_pages_and_changes_are_told(tmp_path: Path) -> None:
    with Stdio(tmp_path) as client:
        client.begin()
        client.ask(request("resources/list"))
        with default_registry(str(tmp_path / "data.db")) as registry, registry.database.writing() as connection:
            connection.execute("DELETE FROM documents")
            rows = [(number, f"문서 {number}", f"본문 {number}") for number in range(1, 251)]
            connection.executemany("INSERT INTO documents (id, title, content) VALUES (?, ?, ?)", rows)
        assert client.receive()["method"] == "notifications/resources/list_changed"
        found, cursor = [], None
        while True:
            page = client.ask(request("resources/list", {"cursor": cursor} if cursor else {}))["result"]
            found += [one["uri"] for one in page["resources"]]
            cursor = page.get("nextCursor")
            if cursor is None:
                break
        assert found == [f"docs://{number}" for number in range(1, 251)]
        read = client.ask(request("resources/read", {"uri": "docs://250"}))["result"]["contents"]
        assert read == [{"uri": "docs://250", "mimeType": "text/markdown", "text": "본문 250"}]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stdio]:
    """One that has shaken hands, for tests that leave it as it was."""
    with Stdio(tmp_path_factory.mktemp("stdio")) as one:
        one.begin()
        yield one


@pytest.mark.parametrize("uri", ["docs://0", "docs://", "docs://../1", "file:///etc/passwd", "docs://1%00", "x" * 9999])
def test_a_document_that_is_not_there_is_said_to_be_so(client: Stdio, uri: str) -> None:
    error = client.ask(request("resources/read", {"uri": uri}))["error"]
    assert error["code"] == -32002
    assert error["data"] == {"uri": uri}
    assert client.ask(request("resources/list", {"cursor": "nonsense"}))["error"]["code"] == -32602


def test_prompts_are_filled_in_and_completed(client: Stdio) -> None:
    prompts = client.ask(request("prompts/list"))["result"]["prompts"]
    assert all(prompt["description"] and prompt["arguments"] for prompt in prompts)
    asked = {"name": "vacation_report", "arguments": {"employee_id": "EMP001"}}
    (message,) = client.ask(request("prompts/get", asked))["result"]["messages"]
    assert "EMP001 left this year" in message["content"]["text"]
    asked = {"name": "summarize_document", "arguments": {"document_id": "1"}}
    document, task = client.ask(request("prompts/get", asked))["result"]["messages"]
    assert document["content"]["resource"]["uri"] == "docs://1"
    assert task["content"]["type"] == "text"
    reference = {"type": "ref/prompt", "name": "vacation_report"}
    asked = {"ref": reference, "argument": {"name": "employee_id", "value": "김"}}
    values = client.ask(request("completion/complete", asked))["result"]["completion"]["values"]
    assert "EMP001" in values
    for wrong in (
        {"name": "vacation_report"},
        {"name": "vacation_reports", "arguments": {}},
        {"name": "summarize_document", "arguments": {"document_id": "99999"}},
    ):
        error = client.ask(request("prompts/get", wrong))["error"]
        assert (error["code"], error["data"]) == (-32602, error["message"])
