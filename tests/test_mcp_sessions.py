"""Sessions: how many, how long, and that nothing of them is left."""

import asyncio
import gc
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import uvicorn
from mcp_running import INITIALIZED, call, initialize, over_http, request
from serving import SOON, until

from db.database import Database
from db.registry import Registry
from db.result import ToolResult
from db.tool import LOOKS_UP, Hints, Tool
from mcp_server.calls import MAX_RUNNING
from mcp_server.crossing import Answer
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


@pytest.fixture
def stops(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """How often the loop has stopped for a tool; was there an answer?"""
    seen, within = list[bool](), Answer[ToolResult].within

    def counted(answer: Answer[ToolResult], seconds: float) -> ToolResult | None:
        result = within(answer, seconds)
        seen.append(result is not None)
        return result

    monkeypatch.setattr(Answer, "within", counted)
    return seen


@asynccontextmanager
async def gated(path: Path, hints: Hints, gate: threading.Event) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Calls of a tool that waits for a gate."""

    def wait() -> int:
        """Wait for the gate."""
        assert gate.wait(SOON)
        return 1

    message = httpx.Request("POST", "http://x", json=call("wait")).content
    with Registry([Tool.of(wait, hints, timeout=SOON)], Database(str(path / "data.db"))) as registry:
        engine = McpEngine(registry)

        async def ask() -> None:
            answer = await engine.once(message, "2025-06-18")
            assert answer
            assert '"isError":false' in answer

        async with engine.run():
            yield ask


@pytest.mark.parametrize("hints", [LOOKS_UP, Hints()], ids=["our own data", "the open world"])
def test_the_loop_stops_only_for_tools_that_are_quick_and_not_for_long(
    tmp_path: Path, stops: list[bool], hints: Hints
) -> None:
    async def talk() -> None:
        gate = threading.Event()
        async with gated(tmp_path, hints, gate) as ask:
            waiting = [asyncio.ensure_future(ask()) for _ in range(20)]
            await asyncio.sleep(0.1)
            assert not any(task.done() for task in waiting)
            gate.set()
            await asyncio.gather(*waiting)
            assert stops == ([False] if hints is LOOKS_UP else [])
            while stops[-1:] == [False]:  # as soon as it is seen to be quick
                await ask()

    asyncio.run(talk())


def test_a_tool_that_is_only_just_slow_is_not_waited_for_again(tmp_path: Path, stops: list[bool]) -> None:
    async def talk() -> None:
        gate = threading.Event()
        async with gated(tmp_path, LOOKS_UP, gate) as ask:
            first = asyncio.ensure_future(ask())
            while not stops:  # noqa: ASYNC110 - it is filled while the loop stands still
                await asyncio.sleep(0)
            gate.set()
            await first
            await ask()
            assert stops == [False]

    asyncio.run(talk())


def test_an_answer_crosses_over_whoever_is_first() -> None:
    async def cross(pause: float, moment: float) -> int:
        answer = Answer[int](asyncio.get_running_loop())
        thread = threading.Timer(pause, answer.give, [7])
        thread.start()
        found = answer.within(moment)
        if found is None:
            found = await asyncio.wait_for(answer.get(), SOON)
        thread.join()
        return found

    async def all_ways() -> set[int]:
        return {await cross(pause / 10_000, moment / 10_000) for pause in range(12) for moment in range(12)}

    assert asyncio.run(all_ways()) == {7}


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
