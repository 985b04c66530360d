"""`strictcall serve` as a real process: how it starts, and how it ends."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from fake_server import Hang, Request, Step, Wait, done, line
from running import USER, FakeServer
from serving import SOON, at_rest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    with FakeServer() as one:
        yield one


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A place without settings."""
    return tmp_path_factory.mktemp("home")


def environment(home: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("STRICTCALL_", "OLLAMA_"))}
    return {**kept, "PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(home), "APPDATA": str(home), **more}


def command(*flags: str) -> list[str]:
    return [sys.executable, "-m", "runner.cli", "serve", "--port", "0", "--no-demo", *flags]


class Served:
    """A process that listens."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout
        self.process = process
        self.url: str = json.loads(process.stdout.readline())["url"]

    def end(self, *signals: signal.Signals) -> tuple[int, str]:
        """The exit code and what was logged."""
        for one in signals:
            self.process.send_signal(one)
        _, logged = self.process.communicate(timeout=SOON)
        return self.process.returncode, logged


@contextmanager
def served(server: FakeServer, home: Path, *flags: str, **more: str) -> Iterator[Served]:
    process = subprocess.Popen(
        command("--json", "--upstream", server.url, *flags),
        cwd=home,
        env=environment(home, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield Served(process)
        finally:
            process.kill()


def refused(home: Path, *flags: str) -> str:
    """The one line that a server that cannot start says."""
    ran = subprocess.run(
        command(*flags), cwd=home, env=environment(home), capture_output=True, text=True, check=False, timeout=SOON
    )
    assert ran.returncode == 2
    assert not ran.stdout
    assert ran.stderr.count("\n") == 1, ran.stderr
    return ran.stderr


BODY: dict[str, Any] = {"model": "fake", "messages": USER, "stream": True}


def test_at_sigterm_running_answers_are_finished_and_no_others_begun(server: FakeServer, home: Path) -> None:
    said, goes_on = threading.Event(), threading.Event()

    def script(_: Request) -> Iterable[Step]:
        yield line("One")
        said.set()
        yield Wait(goes_on)
        yield from (line(" and all."), done())

    server.answers(script)
    with served(server, home) as one:
        with httpx.stream("POST", f"{one.url}/v1/chat/completions", json=BODY, timeout=SOON) as answer:
            assert said.wait(SOON)
            one.process.send_signal(signal.SIGTERM)
            wait_until_closed(one.url)
            goes_on.set()
            text = answer.read().decode()
        assert text.endswith("data: [DONE]\n\n")
        assert " and all." in text
        code, logged = one.end()
    assert code == 0
    assert "Traceback" not in logged


def wait_until_closed(url: str) -> None:
    host, _, port = url.removeprefix("http://").partition(":")
    while True:
        try:
            socket.create_connection((host, int(port)), timeout=SOON).close()
        except ConnectionRefusedError:
            return
        except ConnectionResetError:
            continue  # it was let in by the system, and then nobody was there


def test_an_answer_that_does_not_end_is_cut_when_the_time_is_up(server: FakeServer, home: Path) -> None:
    server.plays(line("One"), Hang())
    with served(server, home, "--drain-timeout", "1") as one:
        with httpx.stream("POST", f"{one.url}/v1/chat/completions", json=BODY, timeout=SOON) as answer:
            pieces = answer.iter_raw()
            assert b"assistant" in next(pieces)
            one.process.send_signal(signal.SIGTERM)
            *_, error, last = b"".join(pieces).decode().split("\n\n")[:-1]
            assert json.loads(error.removeprefix("data: "))["error"]["code"] == "shutting_down"
            assert last == "data: [DONE]"
        code, logged = one.end()
    assert server.chats[-1].left.wait(SOON)
    assert code == 0
    assert "Traceback" not in logged


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_server_without_work_ends_at_once(server: FakeServer, home: Path, how: signal.Signals) -> None:
    server.says("Hello.")
    with served(server, home) as one, httpx.Client(timeout=SOON) as client:
        assert client.post(f"{one.url}/v1/chat/completions", json=BODY).status_code == 200
        code, logged = one.end(how)  # although the client keeps its connection
    assert code == 0
    assert "Traceback" not in logged


def test_a_port_that_is_taken_is_one_line_with_the_fix(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refused(home, "--port", str(port))
    assert str(port) in said
    assert "--port" in said


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        (("--host", "0.0.0.0"), "--api-key"),  # noqa: S104 - refused
        (("--host", "no.such.host.invalid", "--api-key", "k"), "--host"),
        (("--upstream", "ftp://x"), "http://"),
    ],
)
def test_what_cannot_be_served_is_one_line_with_the_fix(home: Path, flags: tuple[str, ...], named: str) -> None:
    assert named in refused(home, *flags)


def test_the_proxy_of_the_system_is_not_asked_for_model_servers(server: FakeServer, home: Path) -> None:
    server.says("Hello.")
    with served(server, home, HTTP_PROXY="http://127.0.0.1:9", http_proxy="http://127.0.0.1:9") as one:
        assert httpx.post(f"{one.url}/v1/chat/completions", json=BODY, timeout=SOON).status_code == 200
        assert httpx.get(f"{one.url}/v1/models", timeout=SOON).json()["data"]


@pytest.mark.parametrize("as_json", [False, True])
def test_one_line_is_logged_for_each_request(server: FakeServer, home: Path, as_json: bool) -> None:
    server.says("Hello, secret.")
    flags = ("--log-format", "json" if as_json else "text")
    with served(server, home, *flags) as one:
        httpx.post(f"{one.url}/v1/chat/completions", json=BODY, timeout=SOON)
        at_rest(one.url)
        httpx.post(f"{one.url}/v1/chat/completions", json=BODY | {"model": 7}, timeout=SOON)
        _, logged = one.end(signal.SIGTERM)
    first, second = logged.splitlines()
    assert "secret" not in logged
    if as_json:
        facts = json.loads(first)
        assert (facts["level"], facts["path"], facts["status"]) == ("info", "/v1/chat/completions", 200)
        assert json.loads(second)["error"] == "bad_request"
    else:
        assert " /v1/chat/completions fake strict upstream=" in first
        assert "error=bad_request" in second
