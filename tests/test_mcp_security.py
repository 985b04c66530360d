"""Who may reach the MCP server, and what it does with whoever means it ill."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from mcp_running import Http, call, environment, initialize, over_http, request
from serving import SOON

ROUTES = [
    ("POST", "/mcp"),
    ("GET", "/mcp"),
    ("DELETE", "/mcp"),
    ("POST", "/sse"),
    ("GET", "/sse"),
    ("DELETE", "/sse"),
    ("POST", "/sse/message"),
]
STRANGERS = [
    {"Host": "evil.example"},
    {"Host": "localhost.evil.example"},
    {"Host": "127.0.0.1:80@evil.example"},
    {"Host": "127.0.0.1.nip.io"},
    {"Host": ""},
    {"Origin": "null"},
    {"Origin": "http://evil.example"},
    {"Origin": "http://localhost.evil.example"},
    {"Origin": "https://127.0.0.1:1"},
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Http]:
    with over_http(tmp_path_factory.mktemp("mcp")) as one:
        yield one


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize("headers", STRANGERS, ids=lambda headers: " ".join(*headers.items()))
def test_no_page_of_another_site_gets_in(server: Http, method: str, path: str, headers: dict[str, str]) -> None:
    response = server.client.request(method, path, json=initialize(), headers=headers)
    assert response.status_code == 403
    assert "strictcall" not in response.text


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:3000", "[::1]:3000"])
@pytest.mark.parametrize("path", ["/mcp", "/sse"])
def test_the_names_of_this_machine_are_let_in(server: Http, path: str, host: str) -> None:
    assert server.post(path, initialize(), Host=host).status_code == 200


@pytest.mark.parametrize("path", ["/mcp", "/sse"])
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_what_a_form_can_send_is_not_taken(server: Http, path: str, kind: str) -> None:
    message = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
    headers = {"Content-Type": kind, "Accept": "application/json, text/event-stream"}
    assert server.client.post(path, content=message, headers=headers).status_code == 400
    with server.sse() as stream:
        assert server.client.post(stream.endpoint, content=message, headers=headers).status_code == 400


def test_there_is_nothing_else_here(server: Http) -> None:
    for path in ("/", "/v1/models", "/config", "/mcp/", "/sse/message/", "/healthz"):
        response = server.client.post(path, json={"command": "sh", "args": ["-c", "id"]})
        assert response.status_code == 404
        assert "MCP is at /mcp and /sse" in response.text


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])  # noqa: S104 - that is the point
def test_an_address_that_others_can_reach_needs_a_key(tmp_path: Path, host: str) -> None:
    words = [sys.executable, "-m", "runner.cli", "mcp", "--http", "--port", "0", "--host", host]
    ran = subprocess.run(
        words, env=environment(tmp_path), cwd=tmp_path, capture_output=True, text=True, check=False, timeout=SOON
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "add --api-key KEY, or listen on 127.0.0.1" in ran.stderr


def test_with_a_key_every_route_wants_it(tmp_path: Path) -> None:
    with over_http(tmp_path, "--api-key", "sesame") as server:
        for method, path in ROUTES:
            for headers in ({}, {"Authorization": "Bearer sesam"}):
                assert server.client.request(method, path, json=initialize(), headers=headers).status_code == 401
        assert server.post("/mcp", initialize(), Authorization="Bearer sesame").status_code == 200
        assert server.post("/sse", initialize(), Authorization="Bearer sesame").status_code == 200


def test_a_body_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "strictcall.toml").write_text("max_body = 100000")
    with over_http(tmp_path) as server, server.sse() as stream:
        for path in ("/mcp", "/sse", stream.endpoint):
            large = server.client.post(path, json=call("search_docs", query="x" * 100_000))
            assert large.status_code == 413
        assert stream.ask(initialize())["result"]


def test_sessions_cannot_be_guessed(server: Http) -> None:
    with server.sse() as one, server.sse() as other:
        ids = {one.endpoint.partition("=")[2], other.endpoint.partition("=")[2], server.session(), server.session()}
        assert len(ids) == 4
        assert {len(id_) for id_ in ids} == {32}


def test_a_client_that_does_not_read_stops_nobody_else(server: Http) -> None:
    address = httpx.URL(server.url)
    with socket.create_connection((address.host, address.port or 80)) as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.sendall(f"GET /sse HTTP/1.1\r\nHost: {address.host}\r\n\r\n".encode())
        heard = b""
        while b"session_id=" not in heard or not heard.endswith(b"\n"):
            heard += deaf.recv(1000)
        endpoint = heard.partition(b"data: ")[2].split()[0].decode()
        server.client.post(endpoint, json=initialize())
        for number in range(300):  # far more than any buffer on the way takes
            try:
                server.client.post(endpoint, json=request("tools/list", id_=number), timeout=2)
            except httpx.TimeoutException:
                break
        with server.sse() as stream:
            assert stream.ask(initialize())["result"]
        assert server.ask("/sse", call("get_all_employees"))["result"]["isError"] is False


def test_a_client_that_leaves_before_it_has_said_all_is_not_worth_a_word(tmp_path: Path) -> None:
    with over_http(tmp_path) as server, server.sse() as stream:
        address = httpx.URL(server.url)
        for path in ("/mcp", "/sse", stream.endpoint):
            with socket.create_connection((address.host, address.port or 80), timeout=SOON) as left:
                head = f"POST {path} HTTP/1.1\r\nHost: {address.host}\r\nContent-Type: application/json\r\n"
                left.sendall(f"{head}Expect: 100-continue\r\nContent-Length: 100\r\n\r\n".encode())
                assert b"100 Continue" in left.recv(1000), "it has begun to read"
                left.sendall(b"{")
        assert stream.ask(initialize())["result"]
        server.process.terminate()
        _, logged = server.process.communicate(timeout=SOON)
        assert logged == ""


def test_nothing_that_was_said_is_in_the_log(tmp_path: Path) -> None:
    with over_http(tmp_path) as server:
        session = server.session()
        for path in ("/mcp", "/sse"):
            headers = {"mcp_session_id": session} if path == "/mcp" else {}
            server.ask(path, call("search_docs", query="비밀"), **headers)
            server.ask(path, call("get_employee_info", employee_id="비밀"), **headers)
            server.client.post(path, content=b'{"secret', headers={"Content-Type": "application/json"})
        with server.sse() as stream:
            stream.ask(initialize())
            endpoint = stream.endpoint
            server.client.post(endpoint, content=b'{"secret', headers={"Content-Type": "application/json"})
        server.process.terminate()
        _, logged = server.process.communicate(timeout=SOON)
        for word in ("비밀", "secret", session, endpoint.partition("=")[2]):
            assert word not in logged
