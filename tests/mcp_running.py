"""The MCP server as a real process, and clients that see every byte of it."""

import json
import os
import queue
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Self

import httpx
from serving import SOON

Json = dict[str, Any]
ROOT = Path(__file__).parent.parent
CLIENT = {"name": "a test", "version": "1"}
TOOLS = '''
"""Tools that do what tools should not."""

import os
import sys
import time
from pathlib import Path

from db.progress import Progress
from db.result import ToolFailed, ToolResult
from db.tool import Tool


def wait_for(gate: str, progress: Progress) -> str:
    """Wait until there is a file; the file `<gate>.seen` shows that it waits, or that it was told to stop."""
    Path(gate + ".seen").write_text("waiting")
    done = 0
    try:
        while not Path(gate).exists():
            done += 1
            progress(done, None, f"step {done}")
            time.sleep(0.01)
    except BaseException:
        Path(gate + ".seen").write_text("stopped")
        raise
    return "the gate is open"


def count(to: int, progress: Progress) -> int:
    """Count, with progress."""
    for number in range(1, to + 1):
        progress(number, to, f"셋 {number}")
    return to


def chatter() -> str:
    """Print, and read what was typed."""
    print("this is not JSON")
    os.write(1, b"nor this\\n")
    return repr(sys.stdin.read())


def leak() -> str:
    """Fail with a secret."""
    raise RuntimeError("hunter2")


def halves(progress: Progress) -> ToolResult:
    """Say halves of characters, everywhere."""
    progress(1, 1, "half \\ud83d")
    return ToolResult("half \\ud83d", {"half": "\\ud83d"}, blocks=({"type": "text", "text": "\\ud83d"},))


def endless() -> str:
    """Answer with more than anybody reads."""
    return "x" * 2_000_000


TOOLS = [Tool.of(one, timeout=20) for one in (wait_for, count, chatter, leak, halves, endless)]
'''


def environment(home: Path, **more: str) -> dict[str, str]:
    """A place without settings, with a database and tools of its own."""
    if not (home / "tools").exists():
        (home / "tools").mkdir()
        (home / "tools" / "odd.py").write_text(TOOLS, "utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("STRICTCALL_", "OLLAMA_"))}
    ours = {
        "PYTHONPATH": str(ROOT),
        "XDG_CONFIG_HOME": str(home),
        "APPDATA": str(home),
        "STRICTCALL_DB": str(home / "data.db"),
        "STRICTCALL_TOOLS_DIR": str(home / "tools"),
    }
    return kept | ours | more


def started(home: Path, *words: str, **more: str) -> subprocess.Popen[str]:
    """`strictcall` with these words."""
    return subprocess.Popen(
        [sys.executable, "-m", "runner.cli", *words],
        cwd=home,
        env=environment(home, **more),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


@contextmanager
def over_http(home: Path, *flags: str, command: str = "mcp --http") -> Iterator["Http"]:
    """A server that listens."""
    with started(home, *command.split(), "--port", "0", "--json", *flags) as process:
        assert process.stdout
        try:
            url = json.loads(process.stdout.readline())["url"]
            with httpx.Client(base_url=url, timeout=SOON, trust_env=False) as client:
                yield Http(process, url, client)
        finally:
            process.kill()


def request(method: str, params: Json | None = None, id_: Any = 1) -> Json:
    """A message that wants an answer."""
    return {"jsonrpc": "2.0", "id": id_, "method": method} | ({} if params is None else {"params": params})


def notification(method: str, params: Json | None = None) -> Json:
    """A message that wants none."""
    return {"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": params})


def initialize(version: str = "2025-06-18", client: Json | None = None) -> Json:
    """The first message of a client before 2026-07-28."""
    return request("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": client or CLIENT})


def call(tool: str, id_: Any = 2, *, follow: str | None = None, **arguments: Any) -> Json:
    """A call of a tool."""
    meta = {"_meta": {"progressToken": follow}} if follow else {}
    return request("tools/call", {"name": tool, "arguments": arguments} | meta, id_)


INITIALIZED = notification("notifications/initialized")
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


class Http:
    """A server that listens, and a client of it."""

    def __init__(self, process: subprocess.Popen[str], url: str, client: httpx.Client) -> None:
        self.process = process
        self.url = url
        self.client = client

    def post(self, path: str, message: Any, **headers: str) -> httpx.Response:
        """Send a message as Streamable HTTP does."""
        accept = {"Accept": "application/json, text/event-stream"}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.post(path, json=message, headers=accept | named)

    def ask(self, path: str, message: Json, **headers: str) -> Json:
        """The answer, whichever way it comes."""
        return answer_of(self.post(path, message, **headers))

    def session(self) -> str:
        """A session of Streamable HTTP at `/mcp`."""
        response = self.post("/mcp", initialize())
        session: str = response.headers["mcp-session-id"]
        assert self.post("/mcp", INITIALIZED, mcp_session_id=session).status_code == 202
        return session

    @contextmanager
    def sse(self) -> Iterator["Sse"]:
        """A stream of HTTP+SSE."""
        with self.client.stream("GET", "/sse", headers={"Accept": "text/event-stream"}) as response:
            assert response.status_code == 200, response.read()
            yield Sse(self, response)


def answer_of(response: httpx.Response) -> Json:
    """The JSON-RPC answer in a body that is JSON or an event stream."""
    if response.headers["content-type"].startswith("text/event-stream"):
        events = [line.removeprefix("data: ") for line in response.text.splitlines() if line.startswith("data: ")]
        return dict(json.loads(events[-1]))
    return dict(response.json())


class Sse:
    """A stream of HTTP+SSE, event by event."""

    def __init__(self, server: Http, response: httpx.Response) -> None:
        self._server = server
        self._lines = response.iter_lines()
        event, self.endpoint = self.event()
        assert event == "endpoint"

    def event(self) -> tuple[str, str]:
        """The next event: its name and its data."""
        fields: dict[str, str] = {}
        for line in self._lines:
            if not line and fields:
                break
            name, _, value = line.partition(": ")
            if name:
                fields[name] = value
        return fields["event"], fields["data"]

    def send(self, message: Json) -> None:
        assert self._server.client.post(self.endpoint, json=message).status_code == 202

    def receive(self) -> Json:
        """The next message."""
        event, data = self.event()
        assert event == "message"
        return dict(json.loads(data))

    def ask(self, message: Json) -> Json:
        """The answer to a message, which must be the next thing said."""
        self.send(message)
        return self.receive()


class Stdio:
    """`strictcall mcp`, line by line."""

    def __init__(self, home: Path, **more: str) -> None:
        self.process = started(home, "mcp", **more)
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.logged: list[str] = []
        assert self.process.stdout
        assert self.process.stderr
        self._threads = [
            threading.Thread(target=self._read, args=(self.process.stdout, self._lines.put), daemon=True),
            threading.Thread(target=self._read, args=(self.process.stderr, self.logged.append), daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        with self.process:
            for thread in self._threads:
                thread.join(SOON)

    def begin(self, version: str = "2025-06-18") -> Json:
        """The handshake; returns what the server says of itself."""
        greeting: Json = self.ask(initialize(version))["result"]
        self.send(INITIALIZED)
        return greeting

    def send(self, message: Json | str) -> None:
        assert self.process.stdin
        text = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def receive(self) -> Json:
        """The next line, which must be a message."""
        return dict(json.loads(self._lines.get(timeout=SOON)))

    def ask(self, message: Json | str) -> Json:
        self.send(message)
        return self.receive()

    def end(self) -> tuple[int, list[Json], str]:
        """Close its input; what it still says, and what it complains of."""
        assert self.process.stdin
        self.process.stdin.close()
        return self.ended()

    def ended(self) -> tuple[int, list[Json], str]:
        """Wait for its end."""
        code = self.process.wait(SOON)
        for thread in self._threads:
            thread.join(SOON)
        rest = []
        while not self._lines.empty():
            rest.append(dict(json.loads(self._lines.get())))
        return code, rest, self.complaints

    @property
    def complaints(self) -> str:
        """What it has logged, but for its greeting."""
        return complaints("".join(self.logged))

    @staticmethod
    def _read(stream: IO[str], put: Any) -> None:
        for line in stream:
            put(line)


def complaints(logged: str) -> str:
    """What is logged, but for the line that a server on standard input and output begins with."""
    return re.sub(r"\A\S+ \[strictcall-mcp\] Server started\n", "", logged)


@contextmanager
def kept(server: Http) -> Iterator[Iterator[str]]:
    """The stream that a session of Streamable HTTP keeps open for what it did not ask for."""
    headers = {"Mcp-Session-Id": server.session(), "Accept": "text/event-stream"}
    with server.client.stream("GET", "/mcp", headers=headers) as response:
        assert response.status_code == 200
        yield response.iter_lines()
