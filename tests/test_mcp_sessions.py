"""Sessions: how many, how long, and that nothing of them is left."""

import asyncio
import gc
import json
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import uvicorn
from mcp_running import INITIALIZED, SOON, Http, Stdio, call, initialize, over_http, request

from db.database import Database
from db.registry import Registry
from db.tool import Tool
from mcp_server.calls import MAX_RUNNING
from mcp_server.engine import McpEngine, TooManySessionsError
from mcp_server.http import McpHttp
from mcp_server.registry import default_registry
from proxy.app import alone
from proxy.settings import Settings


@dataclass
class Inside:
    """A server in a thread of this process, so that one can look inside."""

    url: str
    engine: McpEngine
    loop: asyncio.AbstractEventLoop

    def tasks(self) -> int:
        return asyncio.run_coroutine_threadsafe(self._tasks(), self.loop).result(SOON)

    @staticmethod
    async def _tasks() -> int:
        return len(asyncio.all_tasks())


@contextmanager
def inside(path: Path, max_sessions: int = 2000) -> Iterator[Inside]:
    with default_registry(str(path / "data.db")) as registry, socket.create_server(("127.0.0.1", 0)) as listener:
        engine = McpEngine(registry, max_sessions)
        mcp = McpHttp(engine, 1 << 20)
        config = uvicorn.Config(alone(mcp.apps, Settings()), log_level="error", ws="none", lifespan="off")
        server = uvicorn.Server(config)
        loops: list[asyncio.AbstractEventLoop] = []
        ready = threading.Event()

        async def run() -> None:
            loops.append(asyncio.get_running_loop())
            async with mcp.run():
                ready.set()
                await server.serve(sockets=[listener])

        thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
        thread.start()
        assert ready.wait(SOON)
        try:
            yield Inside(f"http://127.0.0.1:{listener.getsockname()[1]}", engine, loops[0])
        finally:
            server.should_exit = True
            mcp.end()
            thread.join(SOON)
            assert not thread.is_alive()


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SOON
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def opened(url: str) -> socket.socket:
    """A stream of HTTP+SSE whose first event has come."""
    address = httpx.URL(url)
    stream = socket.create_connection((address.host, address.port or 80), timeout=SOON)
    stream.sendall(b"GET /sse HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n")
    heard = b""
    while b"session_id=" not in heard:
        heard += stream.recv(1000)
    return stream


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files as Linux does")
def test_a_thousand_streams_that_were_dropped_leave_nothing(tmp_path: Path) -> None:
    with inside(tmp_path) as server:
        for stream in [opened(server.url) for _ in range(20)]:  # whatever is made once, is made
            stream.close()
        until(lambda: not server.engine.sessions)
        tasks, files = server.tasks(), open_files()
        for _ in range(5):
            streams = [opened(server.url) for _ in range(200)]
            assert len(server.engine.sessions) == 200
            for number, stream in enumerate(streams):
                if number % 2:  # half of them without a word, as when a network goes away
                    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
                stream.close()
            until(lambda: not server.engine.sessions)
        gc.collect()
        until(lambda: server.tasks() <= tasks and open_files() <= files)


def test_there_are_only_so_many_sessions_and_room_comes_back(tmp_path: Path) -> None:
    with inside(tmp_path, max_sessions=3) as server, ExitStack() as stack:
        streams = [stack.enter_context(opened(server.url)) for _ in range(3)]
        refused = httpx.get(f"{server.url}/sse")
        assert refused.status_code == 503
        assert refused.headers["retry-after"]
        streams.pop().close()
        until(lambda: len(server.engine.sessions) == 2)
        opened(server.url).close()


def test_an_engine_without_room_says_so(tmp_path: Path) -> None:
    async def fill() -> None:
        with default_registry(str(tmp_path / "data.db")) as registry:
            engine = McpEngine(registry, max_sessions=1)
            async with engine.run():
                session = engine.open()
                with pytest.raises(TooManySessionsError):
                    engine.open()
                session.close()
                assert [message async for message in session.outbox()] == []

    asyncio.run(fill())


def test_the_engine_needs_no_transport(tmp_path: Path) -> None:
    async def talk() -> list[str]:
        with default_registry(str(tmp_path / "data.db")) as registry:
            engine = McpEngine(registry)
            async with engine.run():
                session = engine.open()
                for message in (initialize(), INITIALIZED, call("get_employee_info", employee_id="EMP001")):
                    await session.feed(httpx.Request("POST", "http://x", json=message).content)
                outbox = session.outbox()
                answers = [await anext(outbox), await anext(outbox)]
                session.close()
                assert [left async for left in outbox] == []
                await engine.once(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}', "2025-06-18")
            return answers

    greeting, answer = asyncio.run(talk())
    assert '"serverInfo"' in greeting
    assert "김민준" in answer


def test_there_are_only_so_many_calls_at_once_and_all_are_answered(tmp_path: Path) -> None:
    gate, lock = threading.Event(), threading.Lock()
    inside_now = most = 0

    def wait() -> int:
        """Wait until as many as may be are here."""
        nonlocal inside_now, most
        with lock:
            inside_now += 1
            most = max(most, inside_now)
            if inside_now == MAX_RUNNING:
                gate.set()
        assert gate.wait(SOON)
        with lock:
            inside_now -= 1
        return 1

    async def flood() -> list[str | None]:
        with Registry([Tool.of(wait, timeout=SOON)], Database(str(tmp_path / "data.db"))) as registry:
            engine = McpEngine(registry)
            async with engine.run():
                message = httpx.Request("POST", "http://x", json=call("wait")).content
                return await asyncio.gather(*(engine.once(message, "2025-06-18") for _ in range(3 * MAX_RUNNING)))

    answers = asyncio.run(flood())
    assert all(answer and '"isError":false' in answer for answer in answers)
    assert most == MAX_RUNNING


def test_a_call_stops_when_its_client_leaves(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    seen = tmp_path / "gate.seen"
    with over_http(tmp_path) as server:
        with server.sse() as stream:
            stream.ask(initialize())
            stream.send(INITIALIZED)
            stream.send(call("wait_for", gate=str(gate)))
            until(seen.exists)
        until(lambda: seen.read_text() == "stopped")
        assert server.ask("/sse", request("ping"))["result"] == {}


# ---- what changes


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


LISTEN = request(
    "subscriptions/listen",
    {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        },
        "notifications": {"toolsListChanged": True},
    },
    "mine",
)


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


# ---- prompts


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


# ---- the end


@pytest.mark.parametrize("command", ["mcp --http", "serve --no-demo"])
def test_at_sigterm_calls_are_answered_and_open_streams_do_not_hold_it(tmp_path: Path, command: str) -> None:
    gate = tmp_path / "gate"
    with over_http(tmp_path, command=command) as server, server.sse() as stream, kept(server), heard(server):
        stream.ask(initialize())
        stream.send(INITIALIZED)
        stream.send(call("wait_for", gate=str(gate)))
        until((tmp_path / "gate.seen").exists)
        server.process.terminate()
        gate.touch()
        assert stream.receive()["result"]["structuredContent"]["result"] == "the gate is open"
        assert server.process.wait(SOON) == 0


def test_at_sigterm_an_answer_that_is_a_stream_goes_on_to_its_end(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with over_http(tmp_path) as server:
        headers = {"Mcp-Session-Id": server.session(), "Accept": "application/json, text/event-stream"}
        message = call("wait_for", gate=str(gate), follow="t")
        with server.client.stream("POST", "/mcp", json=message, headers=headers) as response:
            said = (line for line in response.iter_lines() if line.startswith("data: "))
            assert "step" in next(said)
            server.process.terminate()
            assert all("step" in next(said) for _ in range(100)), "a second and more"
            gate.touch()
            assert "the gate is open" in [*said][-1]
        assert server.process.wait(SOON) == 0


@pytest.mark.parametrize("command", ["mcp --http", "serve --no-demo"])
def test_who_asks_again_need_not_wait(tmp_path: Path, command: str) -> None:
    with over_http(tmp_path, command=command) as server, server.sse() as stream:
        stream.ask(initialize())
        stream.send(INITIALIZED)
        stream.send(call("wait_for", gate=str(tmp_path / "gate")))
        until((tmp_path / "gate.seen").exists)
        while server.process.poll() is None:
            server.process.send_signal(signal.SIGINT)
            time.sleep(0.05)
        assert server.process.returncode == 130
        assert server.process.stderr
        assert "Traceback" not in server.process.stderr.read()


def test_a_signal_that_comes_twice_is_one(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with over_http(tmp_path) as server, server.sse() as stream:
        stream.ask(initialize())
        stream.send(INITIALIZED)
        stream.send(call("wait_for", gate=str(gate)))
        until((tmp_path / "gate.seen").exists)
        for _ in range(2):
            server.process.send_signal(signal.SIGINT)
        gate.touch()
        assert stream.receive()["result"]["structuredContent"]["result"] == "the gate is open"
        assert server.process.wait(SOON) == 0


@contextmanager
def kept(server: Http) -> Iterator[Iterator[str]]:
    """The stream that a session of Streamable HTTP keeps open for what it did not ask for."""
    headers = {"Mcp-Session-Id": server.session(), "Accept": "text/event-stream"}
    with server.client.stream("GET", "/mcp", headers=headers) as response:
        assert response.status_code == 200
        yield response.iter_lines()


@contextmanager
def heard(server: Http) -> Iterator[None]:
    """The stream of a client since 2026-07-28 that listens for changes; it is told when there are no more."""
    headers = {
        "Accept": "application/json, text/event-stream",
        "Mcp-Protocol-Version": "2026-07-28",
        "Mcp-Method": "subscriptions/listen",
    }
    with server.client.stream("POST", "/mcp", json=LISTEN, headers=headers) as response:
        said = (line for line in response.iter_lines() if line.startswith("data: "))
        assert "acknowledged" in next(said)
        yield
        assert '"result"' in [*said][-1]
