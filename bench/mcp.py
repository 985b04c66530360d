"""What a `tools/call` costs through strictcall, against the least that the SDK needs, on every transport.

    python -m bench.mcp            a minute
    python -m bench.mcp --quick    one round: rough figures

CPU time of the server process per call, one call after the other and twenty at once. Both serve the same tool on the
same database; strictcall also validates, coerces, keeps to the tool's time, and writes each call down. They take
turns in every round, and of the rounds the cheapest counts: trust the ratios, not the figures. Every answer is checked.
"""

import argparse
import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from bench.processes import cpu_seconds

ROOT = Path(__file__).parent.parent
AIM = 1.2
AT_ONCE = 20
START_AIM = 2.5
LEGACY = "2025-11-25"
MODERN = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}
TOOL = "calculate_vacation_days"
CALL = {"name": TOOL, "arguments": {"employee_id": "EMP001", "year": 2025}}


class Client(Protocol):
    """One connection; `call` makes one call and gives its answer."""

    def call(self, number: int) -> Any: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Served:
    """A server that runs: its process, and where to find it."""

    process: subprocess.Popen[bytes]
    port: int = 0


def message(number: int, method: str, params: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


HELLO = message(
    0, "initialize", {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
)
READY = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}'


class Stdio:
    def __init__(self, served: Served) -> None:
        assert served.process.stdin
        assert served.process.stdout
        self.write, self.read = served.process.stdin, served.process.stdout
        self.say(HELLO)
        self.read.readline()
        self.say(READY)

    def say(self, line: bytes) -> None:
        self.write.write(line + b"\n")
        self.write.flush()

    def call(self, number: int) -> Any:
        self.say(message(number, "tools/call", CALL))
        return json.loads(self.read.readline())

    def close(self) -> None:
        """Its end is that of the server."""

    def calls(self, numbers: range) -> list[Any]:
        for number in numbers:
            self.say(message(number, "tools/call", CALL))
        return [json.loads(self.read.readline()) for _ in numbers]


class Http:
    """A connection that is kept."""

    path = "/mcp"
    headers: dict[str, str]

    def __init__(self, served: Served) -> None:
        self.connection = HTTPConnection("127.0.0.1", served.port, timeout=60)
        self.headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        self.begin()

    def begin(self) -> None:
        session = self.post(HELLO)[1]
        self.headers |= {"Mcp-Session-Id": session} if session else {}
        self.post(READY)

    def close(self) -> None:
        self.connection.close()

    def post(self, body: bytes) -> tuple[bytes, str]:
        self.connection.request("POST", self.path, body, self.headers)
        response = self.connection.getresponse()
        return response.read(), response.headers.get("mcp-session-id", "")

    def call(self, number: int) -> Any:
        return answer_in(self.post(message(number, "tools/call", CALL))[0])


class Stateless(Http):
    path = "/sse"

    def begin(self) -> None:
        """Nothing to do: every message stands for itself."""


class Modern(Http):
    def begin(self) -> None:
        self.headers |= {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": TOOL}

    def call(self, number: int) -> Any:
        return answer_in(self.post(message(number, "tools/call", CALL | {"_meta": ENVELOPE}))[0])


class Sse(Http):
    """Messages on one connection, answers on another."""

    def begin(self) -> None:
        self.stream = socket.create_connection(("127.0.0.1", self.connection.port))
        self.stream.sendall(b"GET /sse HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n")
        self.lines = self.stream.makefile("rb")
        self.path = self.next().decode()
        self.post(HELLO)
        self.next()
        self.post(READY)

    def close(self) -> None:
        self.lines.close()
        self.stream.close()
        super().close()

    def next(self) -> bytes:
        """The data of the next event."""
        return next(line.removeprefix(b"data: ").strip() for line in self.lines if line.startswith(b"data: "))

    def call(self, number: int) -> Any:
        self.post(message(number, "tools/call", CALL))
        return json.loads(self.next())


def answer_in(body: bytes) -> Any:
    return json.loads(body if body.startswith(b"{") else body.partition(b"data: ")[2].partition(b"\r\n")[0])


TRANSPORTS: dict[str, Callable[[Served], Client]] = {
    "stdio": Stdio,
    "HTTP+SSE": Sse,
    "POST /sse": Stateless,
    "/mcp": Http,
    "/mcp 2026-07-28": Modern,
}
CONTENDERS = {  # how it is started, and what makes it listen
    "bare SDK": (["-m", "bench.mcp_bare", "{database}"], ["--http"]),
    "strictcall": (["-m", "runner.cli", "mcp"], ["--http", "--port", "0", "--json"]),
}


@contextlib.contextmanager
def serving(contender: str, transport: str, folder: Path) -> Iterator[Served]:
    database = folder / "data.db"
    start, listen = CONTENDERS[contender]
    words = [word.format(database=database) for word in [*start, *([] if transport == "stdio" else listen)]]
    process = subprocess.Popen(
        [sys.executable, *words],
        cwd=ROOT,
        env=os.environ | {"STRICTCALL_DB": str(database), "XDG_CONFIG_HOME": str(folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with process:
        try:
            assert process.stdout
            port = 0 if transport == "stdio" else urlsplit(json.loads(process.stdout.readline())["url"]).port or 0
            yield Served(process, port)
        finally:
            process.kill()


def measured(contender: str, transport: str, folder: Path, calls: int) -> tuple[float, float]:
    """CPU seconds of one call, alone and among others."""
    with serving(contender, transport, folder) as served, contextlib.ExitStack() as stack:
        make = TRANSPORTS[transport]
        several_of = range(1 if transport == "stdio" else AT_ONCE)
        clients = [stack.enter_context(contextlib.closing(make(served))) for _ in several_of]
        one = clients[0]
        for number in range(1, 50):
            check(one.call(number))
        alone = cost(served, calls, lambda: [one.call(number) for number in range(100, 100 + calls)])
        if isinstance(one, Stdio):
            batches = [range(start, start + AT_ONCE) for start in range(10_000, 10_000 + calls, AT_ONCE)]
            return alone, cost(served, calls, lambda: [answer for batch in batches for answer in one.calls(batch)])
        with ThreadPoolExecutor(AT_ONCE) as pool:

            def several(client: Client) -> list[Any]:
                return [client.call(number) for number in range(10_000, 10_000 + calls // AT_ONCE)]

            return alone, cost(served, calls, lambda: [a for answers in pool.map(several, clients) for a in answers])


def cost(served: Served, calls: int, work: Callable[[], list[Any]]) -> float:
    before = cpu_seconds([served.process.pid])
    answers = work()
    spent = cpu_seconds([served.process.pid]) - before
    assert len(answers) == calls
    for answer in answers:
        check(answer)
    return spent / calls


def check(answer: Any) -> None:
    result = answer["result"]["structuredContent"]["result"]
    assert result["employee_id"] == "EMP001", answer
    assert result["remaining"] == result["total"] - result["used"], answer


def start_ratio(folder: Path, rounds: int) -> float:
    """The start of the runner against the least that any such program needs: medians of turns."""
    environment = os.environ | {"STRICTCALL_DB": str(folder / "data.db")}
    runner = [str(ROOT / "runner/mcp_tools_runner.py"), TOOL, json.dumps(CALL["arguments"])]
    times: dict[str, list[float]] = {"runner": [], "least": []}
    for _ in range(rounds):
        for name, words in (("least", ["-c", "import sqlite3, json"]), ("runner", runner)):
            began = time.perf_counter()
            subprocess.run([sys.executable, *words], env=environment, check=True, stdout=subprocess.DEVNULL)
            times[name].append(time.perf_counter() - began)
    return statistics.median(times["runner"]) / statistics.median(times["least"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one round")
    rounds, calls = (1, 200) if parser.parse_args().quick else (3, 1000)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ratio = start_ratio(folder, 5 * rounds)  # the first of them makes the database
        costs: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for _ in range(rounds):
            for transport in TRANSPORTS:
                for contender in CONTENDERS:
                    costs.setdefault((contender, transport), []).append(measured(contender, transport, folder, calls))
    print(f"\nCPU of the server, µs per call: alone, and {AT_ONCE} at once\n")
    print(f"{'':<18}" + "".join(f"{name:>22}" for name in CONTENDERS) + f"{'ratio':>18}")
    for transport in TRANSPORTS:
        best = [[min(one[which] for one in costs[name, transport]) for which in (0, 1)] for name in CONTENDERS]
        ratios = [mine / bare for bare, mine in zip(*best, strict=True)]
        cells = [f"{alone * 1e6:,.0f} / {among * 1e6:,.0f}" for alone, among in best]
        holds = "holds" if max(ratios) <= AIM else f"more than {AIM}"
        print(
            f"{transport:<18}"
            + "".join(f"{cell:>22}" for cell in cells)
            + f"{ratios[0]:>10.2f} / {ratios[1]:.2f}  {holds}"
        )
    verdict = "holds" if ratio <= START_AIM else f"more than {START_AIM}"
    print(f"\nStart of the runner against `import sqlite3, json`: {ratio:.2f}  {verdict}")


if __name__ == "__main__":
    main()
