"""The client: opens streams, keeps every byte that comes, and looks at them only when the clock has stopped.

Runs in a process of its own. The CPU time of the proxy is read here, right before the first request and shortly after
the last answer, so nothing but the load is in it.
"""

import gc
import json
import re
import select
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bench import answers, processes, received
from bench.answers import Answer

DEADLINE = 120.0
AFTERMATH = 0.1  # what a proxy does after an answer (logging, closing) counts
LAST = b"\r\n" + answers.END  # a line of its own: a header field may end in 0, too
TOKEN = re.compile(rb'"content": ?"[^"]')


def tool(name: str, does: str, **properties: str) -> dict[str, object]:
    said = {key: {"type": "string", "description": text} for key, text in properties.items()}
    parameters = {"type": "object", "properties": said, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "description": does, "parameters": parameters}}


TOOLS = [
    tool("write_file", "Write a file.", path="Where to write it.", content="What to write."),
    tool("read_file", "Read a file.", path="Where it is."),
    tool("search_web", "Search the web.", query="What to look for."),
]


@dataclass(frozen=True, slots=True)
class Job:
    """What to ask, how often, of whom."""

    port: int
    answers: tuple[Answer, ...]  # the streams take them in turn
    streams: int = 1
    requests: int = 1  # one after the other on each connection
    tools: bool = True
    rewritten: bool = False  # calls come as tool_calls, not as the text of the model
    pids: tuple[int, ...] = ()  # whose CPU time counts


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of a job."""

    seconds: float
    cpu: float
    events: int  # that the upstream sent
    requests: int
    first: tuple[float, ...]  # seconds to the first token, of each request
    wrong: tuple[str, ...]  # one line for each answer that is not what was sent


@dataclass(slots=True)
class Exchange:
    """One request and the bytes of its answer."""

    answer: Answer
    began: float = 0.0
    first: float | None = None
    reads: list[bytes] = field(default_factory=list)
    missing: int | None = None  # bytes, where the head says how many there are; short answers may come in one piece
    ended: bool = False

    def take(self, data: bytes) -> None:
        """Keep what one read brought; notice the first token and the end."""
        if not self.reads:
            self.missing = received.length(data)
        self.reads.append(data)
        if self.first is None and TOKEN.search(b"".join(self.reads[-2:])):
            self.first = time.perf_counter() - self.began
        if self.missing is not None:
            self.missing -= len(data)
            self.ended = self.missing <= 0
        else:
            self.ended = (data if len(data) >= len(LAST) else b"".join(self.reads[-len(LAST) :])).endswith(LAST)


def run(job: Job) -> Measured:
    """Do a job and say what it took."""
    plans = [plan(job, stream) for stream in range(job.streams)]
    socks = [socket.create_connection(("127.0.0.1", job.port)) for _ in plans]
    gc.collect()
    gc.disable()  # a pause here would be charged to the proxy
    cpu = processes.cpu_seconds(job.pids)
    began = time.perf_counter()
    done = converse(list(zip(socks, plans, strict=True)), job)
    ended = time.perf_counter()
    time.sleep(AFTERMATH)
    cpu = processes.cpu_seconds(job.pids) - cpu
    gc.enable()
    for sock in socks:
        sock.close()
    return Measured(
        seconds=ended - began,
        cpu=cpu,
        events=sum(exchange.answer.events for exchange in done),
        requests=len(done),
        first=tuple(exchange.first for exchange in done if exchange.first is not None),
        wrong=tuple(filter(None, (fault(exchange, job) for exchange in done))),
    )


def plan(job: Job, stream: int) -> list[Answer]:
    """What a stream will ask for: always for something that no other request of the job asks for."""
    one = job.answers[stream % len(job.answers)]
    return [replace(one, start=stream * job.requests + number) for number in range(job.requests)]


def post(answer: Answer, job: Job) -> bytes:
    messages = [
        {"role": "system", "content": "You are a helpful assistant."},
        {"role": "user", "content": f"Please say: {answer}"},
    ]
    asked = {"model": answers.MODEL, "stream": True, "messages": messages}
    body = json.dumps({**asked, "tools": TOOLS} if job.tools else asked).encode()
    fields = (
        "POST /v1/chat/completions HTTP/1.1",
        f"Host: 127.0.0.1:{job.port}",
        "Content-Type: application/json",
        "Authorization: Bearer sk-bench",
        "Accept: text/event-stream",
        f"Content-Length: {len(body)}",
    )
    return "\r\n".join(fields).encode() + b"\r\n\r\n" + body


def converse(streams: Sequence[tuple[socket.socket, list[Answer]]], job: Job) -> list[Exchange]:
    """Have all conversations at once; those that have not ended in time are returned as they are."""
    poll = select.epoll()
    waiting: dict[int, tuple[socket.socket, list[bytes], list[Exchange]]] = {}
    for sock, plan in streams:
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        poll.register(sock, select.EPOLLIN)
        waiting[sock.fileno()] = (sock, [post(answer, job) for answer in plan], [Exchange(answer) for answer in plan])
    done = [exchange for _, _, exchanges in waiting.values() for exchange in exchanges]
    for sock, posts, exchanges in waiting.values():
        ask(sock, posts, exchanges)
    late = time.perf_counter() + DEADLINE
    while waiting and time.perf_counter() < late:
        for fd, _ in poll.poll(1.0):
            sock, posts, exchanges = waiting[fd]
            data = hear(sock)
            exchanges[0].take(data)
            if data and not exchanges[0].ended:
                continue
            exchanges.pop(0)
            if data and exchanges:
                ask(sock, posts, exchanges)
            else:
                poll.unregister(fd)
                del waiting[fd]
    poll.close()
    return done


def ask(sock: socket.socket, posts: list[bytes], exchanges: list[Exchange]) -> None:
    exchanges[0].began = time.perf_counter()
    sock.send(posts.pop(0))  # a few hundred bytes: they fit


def hear(sock: socket.socket) -> bytes:
    try:
        return sock.recv(1 << 18)
    except OSError:
        return b""


def fault(exchange: Exchange, job: Job) -> str | None:
    """What is wrong with an answer, if anything."""
    raw = b"".join(exchange.reads)
    if not exchange.ended:
        return f"{exchange.answer}: no end after {len(raw)} bytes: {raw[:200]!r}"
    try:
        said = received.read(raw)
    except ValueError as error:
        return f"{exchange.answer}: {error}"
    return received.difference(said, exchange.answer, rewritten=job.rewritten)
