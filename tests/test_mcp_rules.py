"""What MCP clients demand, rule by rule (P1 to P12), on every way over HTTP. P13 is in test_mcp_stdio.py."""

import json
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any

import pytest
from mcp_running import INITIALIZED, Http, Json, answer_of, call, initialize, over_http, request
from serving import SOON

PATHS = ["/mcp", "/sse"]
MODERN = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "a modern test", "version": "1"},
}
CAPABILITIES = {
    "tools": {"listChanged": True},
    "prompts": {"listChanged": False},
    "resources": {"listChanged": True, "subscribe": False},
    "completions": {},
}
VOID = {"name": "strictcall-client", "version": "0.1.0"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Http]:
    with over_http(tmp_path_factory.mktemp("mcp")) as one:
        yield one


def headers_for(server: Http, path: str) -> dict[str, str]:
    return {"mcp_session_id": server.session()} if path == "/mcp" else {}


def modern(server: Http, path: str, message: Json) -> Json:
    """The answer to a message of the era without sessions."""
    params = message.get("params", {})
    enveloped = message | {"params": params | {"_meta": ENVELOPE}}
    named = {"mcp_name": params["name"]} if "name" in params else {}
    return server.ask(path, enveloped, mcp_protocol_version=MODERN, mcp_method=message["method"], **named)


# ---- P1, P2, P12: the handshake


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("asked", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_the_version_that_is_asked_for_is_echoed(server: Http, path: str, asked: str) -> None:
    result = server.ask(path, initialize(asked))["result"]
    assert result["protocolVersion"] == asked
    assert result["serverInfo"]["name"] == "strictcall"
    assert result["serverInfo"]["version"]
    assert result["capabilities"] == CAPABILITIES


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("asked", ["2024-10-07", "1.0", "2099-01-01", MODERN])
def test_an_unknown_version_is_answered_with_the_last_that_shakes_hands(server: Http, path: str, asked: str) -> None:
    assert server.ask(path, initialize(asked))["result"]["protocolVersion"] == "2025-11-25"


def test_a_request_at_sse_is_answered_as_json_and_a_notification_with_nothing(server: Http) -> None:
    response = server.post("/sse", initialize())
    assert (response.status_code, response.headers["content-type"]) == (200, "application/json")
    response = server.post("/sse", INITIALIZED)
    assert (response.status_code, response.content) == (202, b"")


def test_no_handshake_is_needed_at_sse(server: Http) -> None:
    assert server.ask("/sse", request("tools/list"))["result"]["tools"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_known_version_is_accepted_in_the_header(server: Http, path: str, version: str) -> None:
    assert server.ask(path, initialize(version), mcp_protocol_version=version)["result"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", ["Upgrade", "upgrade"])
def test_a_client_that_would_rather_speak_http_2_is_answered(server: Http, path: str, name: str) -> None:
    """Java's own client offers it with every request."""
    headers = {
        "Connection": "Upgrade, HTTP2-Settings",
        "HTTP2-Settings": "AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA",
        name: "h2c",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    connection = HTTPConnection(server.url.removeprefix("http://"), timeout=SOON)
    for _ in range(2):  # the second on the same connection
        connection.request("POST", path, json.dumps(initialize()), headers)
        response = connection.getresponse()
        assert (response.status, b"serverInfo" in response.read()) == (200, True)
    connection.close()


# ---- P3, P4, P5: the frame


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("id_", [0, 1, 2**53, "1", "한글", ""])
def test_an_answer_has_the_id_of_its_request_and_no_key_too_many(server: Http, path: str, id_: Any) -> None:
    headers = headers_for(server, path)
    good = server.ask(path, request("ping", id_=id_), **headers)
    assert good == {"jsonrpc": "2.0", "id": id_, "result": {}}
    bad = server.ask(path, request("no/such", id_=id_), **headers)
    assert set(bad) == {"jsonrpc", "id", "error"}
    assert (bad["id"], bad["error"]["code"]) == (id_, -32601)


@pytest.mark.parametrize("method", ["server/discover", "no/such", "tasks/list", "resources/subscribe"])
def test_an_unknown_method_is_refused_at_once_and_not_with_a_server_error(server: Http, method: str) -> None:
    params = {"uri": "docs://1"} if method == "resources/subscribe" else {}
    response = server.post("/sse", request(method, params))
    assert response.status_code == 200
    assert response.json()["error"]["code"] == -32601


@pytest.mark.parametrize("path", PATHS)
def test_the_era_without_sessions_is_served_at_every_address(server: Http, path: str) -> None:
    found = modern(server, path, request("server/discover"))["result"]
    assert found["supportedVersions"] == [MODERN]
    assert found["capabilities"] == CAPABILITIES
    assert modern(server, path, request("tools/list"))["result"]["tools"]
    result = modern(server, path, call("get_employee_info", employee_id="EMP001"))["result"]
    assert result["structuredContent"]["result"]["name"] == "김민준"


@pytest.mark.parametrize("path", PATHS)
def test_a_value_with_blanks_behind_it_is_the_value(server: Http, path: str) -> None:
    message = call("get_all_employees") | {"params": {"name": "get_all_employees", "_meta": ENVELOPE}}
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": f"{MODERN} ",
        "Mcp-Method": "tools/call\t",
        "Mcp-Name": "get_all_employees  ",
    }
    connection = HTTPConnection(server.url.removeprefix("http://"), timeout=SOON)  # httpx would refuse to send it
    connection.request("POST", path, json.dumps(message), headers)
    response = connection.getresponse()
    assert (response.status, "result" in json.loads(response.read())) == (200, True)
    connection.close()


@pytest.mark.parametrize("path", PATHS)
def test_a_header_that_contradicts_the_body_is_refused(server: Http, path: str) -> None:
    message = call("get_all_employees") | {"params": {"name": "get_all_employees", "_meta": ENVELOPE}}
    headers = {"mcp_protocol_version": MODERN, "mcp_method": "tools/call", "mcp_name": "search_docs"}
    response = server.post(path, message, **headers)
    assert (response.status_code, response.json()["error"]["code"]) == (400, -32020)


# ---- P6: what is listed


@pytest.mark.parametrize("path", PATHS)
def test_all_tools_are_on_one_page_and_say_their_types_in_words(server: Http, path: str) -> None:
    listed = server.ask(path, request("tools/list"), **headers_for(server, path))["result"]
    assert "nextCursor" not in listed
    tools = {tool["name"]: tool for tool in listed["tools"]}
    assert {"search_docs", "get_employee_info", "get_all_employees", "calculate_vacation_days"} <= set(tools)
    assert list(tools) == sorted(tools), "the same order every time: prompts are cached by their beginning"
    for tool in tools.values():
        assert tool["inputSchema"]["type"] == "object"
        assert tool["outputSchema"]["type"] == "object"
        for schema in tool["inputSchema"]["properties"].values():
            assert f"Type: {schema['type']}" in schema["description"]
    year = tools["calculate_vacation_days"]["inputSchema"]["properties"]["year"]
    assert "at least 1900" in year["description"]
    assert tools["search_docs"]["annotations"] == {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }


# ---- P7, P8: what is answered


@pytest.mark.parametrize("path", PATHS)
def test_a_result_is_the_object_of_the_specification_as_text_and_as_structure(server: Http, path: str) -> None:
    result = server.ask(path, call("get_employee_info", employee_id="EMP001"), **headers_for(server, path))["result"]
    first, *rest = result["content"]
    assert not rest
    assert first["type"] == "text"
    assert json.loads(first["text"]) == result["structuredContent"]
    assert result["structuredContent"]["success"] is True
    assert result["isError"] is False


@pytest.mark.parametrize("path", PATHS)
def test_arguments_are_gently_read(server: Http, path: str) -> None:
    message = call("calculate_vacation_days", employeeId="emp001", year="2025")
    result = server.ask(path, message, **headers_for(server, path))["result"]
    assert result["structuredContent"]["result"]["year"] == 2025


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("message", "word"),
    [
        (call("get_employee_info"), "employee_id is missing"),
        (call("get_employee_info", employee_id="EMP999"), "there is no employee 'EMP999'"),
        (call("calculate_vacation_days", employee_id="EMP001", year=1950), "nothing is known of"),
        (call("leak"), "leak is faulty"),
        (call("endless"), "characters"),
    ],
    ids=["missing", "unknown", "year", "bug", "too long"],
)
def test_what_fails_is_a_result_for_the_model_to_read(server: Http, path: str, message: Json, word: str) -> None:
    response = server.post(path, message, **headers_for(server, path))
    result = answer_of(response)["result"]
    assert result["isError"] is True
    assert word in result["content"][0]["text"]
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert result["structuredContent"]["success"] is False
    assert "hunter2" not in response.text
    assert "Traceback" not in response.text


@pytest.mark.parametrize("path", PATHS)
def test_a_tool_that_is_not_there_is_a_wrong_parameter_and_the_reason_is_in_the_data(server: Http, path: str) -> None:
    error = server.ask(path, call("search_doc"), **headers_for(server, path))["error"]
    assert error["code"] == -32602
    assert error["data"] == error["message"]
    assert "did you mean search_docs?" in error["data"]


@pytest.mark.parametrize("params", [{}, {"name": 7}, {"name": "search_docs", "arguments": []}, {"arguments": {}}])
@pytest.mark.parametrize("path", PATHS)
def test_a_call_without_its_form_is_a_wrong_parameter(server: Http, path: str, params: Json) -> None:
    error = server.ask(path, request("tools/call", params), **headers_for(server, path))["error"]
    assert error["code"] == -32602


@pytest.mark.parametrize("path", PATHS)
def test_void_shows_its_model_a_failure_only_if_it_does_not_look_like_one(server: Http, path: str) -> None:
    greeting = server.post(path, initialize("2025-03-26", VOID))
    session = greeting.headers["mcp-session-id"]
    assert server.post(path, INITIALIZED, mcp_session_id=session).status_code == 202
    result = server.ask(path, call("get_employee_info", employee_id="EMP999"), mcp_session_id=session)["result"]
    assert result["isError"] is False
    assert result["content"][0]["text"].startswith("ERROR: there is no employee")


# ---- P9, P10: HTTP+SSE


def test_the_stream_begins_with_the_address_for_messages(server: Http) -> None:
    with server.sse() as stream:
        path, _, session = stream.endpoint.partition("?session_id=")
        assert path == "/sse/message"
        assert len(session) == 32


def test_answers_come_on_the_stream(server: Http) -> None:
    with server.sse() as stream:
        assert stream.ask(initialize("2024-11-05"))["result"]["protocolVersion"] == "2024-11-05"
        stream.send(INITIALIZED)
        assert stream.ask(request("tools/list", id_="eins"))["id"] == "eins"
        result = stream.ask(call("search_docs", query="연차"))["result"]
        assert result["structuredContent"]["result"]["found"]


def test_both_spellings_of_the_session_are_read(server: Http) -> None:
    with server.sse() as stream:
        stream.endpoint = stream.endpoint.replace("session_id", "sessionId")
        assert stream.ask(initialize())["result"]


def test_two_clients_with_the_same_ids_get_their_own_answers(server: Http) -> None:
    with server.sse() as one, server.sse() as other:
        for stream in (one, other):
            stream.ask(initialize())
            stream.send(INITIALIZED)
        one.send(call("get_employee_info", employee_id="EMP001"))
        other.send(call("get_employee_info", employee_id="EMP002"))
        assert one.receive()["result"]["structuredContent"]["result"]["id"] == "EMP001"
        assert other.receive()["result"]["structuredContent"]["result"]["id"] == "EMP002"


@pytest.mark.parametrize(
    "query", ["", "?session_id=", "?session_id=00000000000000000000000000000000", "?session_id=%00"]
)
def test_a_message_for_no_session_reaches_none(server: Http, query: str) -> None:
    with server.sse():
        assert server.client.post(f"/sse/message{query}", json=initialize()).status_code == 404


# ---- P11: the rest of HTTP


def test_a_client_of_streamable_http_has_no_second_stream_and_no_session_to_end_at_sse(server: Http) -> None:
    session = server.post("/sse", initialize()).headers["mcp-session-id"]
    for headers in ({"Mcp-Session-Id": session}, {"MCP-Protocol-Version": "2025-06-18"}):
        response = server.client.get("/sse", headers=headers)
        assert (response.status_code, response.headers["allow"]) == (405, "GET, POST")
    assert server.client.delete("/sse", headers={"Mcp-Session-Id": session}).status_code == 405
    assert server.client.put("/sse").status_code == 405
    assert server.client.get("/sse/message").status_code == 405


def test_a_session_at_mcp_ends_when_its_client_says_so(server: Http) -> None:
    session = server.session()
    assert server.ask("/mcp", request("ping"), mcp_session_id=session)["result"] == {}
    assert server.client.delete("/mcp", headers={"Mcp-Session-Id": session}).status_code == 200
    assert server.post("/mcp", request("ping"), mcp_session_id=session).status_code == 404


@pytest.mark.parametrize("session", ["e30=", "bm9uc2Vuc2U=", "*", "x" * 5000, "WyJhIl0=", "eyJuYW1lIjogN30="])
def test_a_made_up_session_at_sse_is_nobody(server: Http, session: str) -> None:
    assert server.ask("/sse", call("get_all_employees"), mcp_session_id=session)["result"]["isError"] is False


# ---- what is no message


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b'"hello"', -32600),
        (b"{}", -32600),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600),
    ],
    ids=["empty", "cut", "not UTF-8", "deep", "list", "text", "object", "version", "batch"],
)
def test_what_is_no_message_is_refused_and_the_next_one_works(server: Http, body: bytes, code: int) -> None:
    json_type = {"Content-Type": "application/json"}
    response = server.client.post("/sse", content=body, headers=json_type)
    assert response.status_code == 400
    assert response.json()["error"]["code"] == code
    assert response.json()["id"] == (1 if body.startswith(b'{"jsonrpc"') else None)
    with server.sse() as stream:
        assert server.client.post(stream.endpoint, content=body, headers=json_type).status_code == 400
        assert stream.ask(initialize())["result"]
