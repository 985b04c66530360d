"""How the MCP server ends over HTTP: what is under way is answered, and nobody holds it up."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from mcp_running import INITIALIZED, LISTEN, Http, call, initialize, kept, over_http
from serving import SOON, until


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
