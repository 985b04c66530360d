"""A simulated model server, Ollama and OpenAI-compatible at once, that costs little: answers are made in advance.

One process, one epoll, no coroutines. As a server that decodes a batch does, it gives every stream one event, in one
write, then every stream the next one. Paced streams sit in a wheel of 20 slots, one a millisecond, and get an event
whenever it has turned round. Written in C it took 6 µs an event instead of 7, nearly all of it the kernel's.
"""

import gc
import json
import select
import socket
import time
from typing import Any

from bench import answers

SLOTS = 20  # milliseconds between two events of a paced stream: 50 events a second
BURST = 64  # events between two looks at who else wants something
CONTROL = {
    "/": "Ollama is running",
    "/api/version": {"version": "0.32.15"},
    "/api/tags": {
        "models": [
            {
                "name": answers.MODEL,
                "model": answers.MODEL,
                "modified_at": "2026-01-31T08:15:02Z",
                "size": 4_683_087_332,
                "digest": "0" * 64,
                "details": {
                    "format": "gguf",
                    "family": "bench",
                    "parameter_size": "7.6B",
                    "quantization_level": "Q4_K_M",
                },
            }
        ]
    },
    "/api/ps": {"models": []},
    "/api/show": {
        "template": "{{ .Tools }}",
        "details": {"format": "gguf", "family": "bench", "parameter_size": "7.6B", "quantization_level": "Q4_K_M"},
        "model_info": {"general.architecture": "bench", "bench.context_length": 32768},
        "capabilities": ["completion", "tools"],
    },
    "/v1/models": {
        "object": "list",
        "data": [{"id": answers.MODEL, "object": "model", "created": 1_786_000_000, "owned_by": "bench"}],
    },
}


def plain(value: Any, status: str = "200 OK") -> tuple[bytes, ...]:
    """A short answer, in one write."""
    body = value.encode() if isinstance(value, str) else json.dumps(value).encode()
    kind = "text/plain" if isinstance(value, str) else "application/json"
    return (f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body,)


def reply(path: str, body: bytes) -> tuple[tuple[bytes, ...], bool]:
    """The writes that answer a request, and whether they are paced."""
    if path in {"/api/chat", "/v1/chat/completions"}:
        answer = answers.asked(body)
        if answer is None:
            return plain(
                {"error": "no message says which answer is wanted, like: answer text 100 0"}, "400 Bad Request"
            ), False
        return answers.writes(answer, "ollama" if path == "/api/chat" else "openai"), answer.paced
    if path in CONTROL:
        return plain(CONTROL[path]), False
    return plain({"error": f"{path} is not simulated"}, "404 Not Found"), False


class Client:
    """One connection and what is still to be sent on it."""

    __slots__ = ("at", "inbox", "paced", "rest", "slot", "sock", "writes")

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.inbox = b""
        self.writes: tuple[bytes, ...] = ()
        self.at = 0
        self.rest = b""  # of an event that did not fit
        self.paced = False
        self.slot = 0

    def request(self) -> tuple[str, bytes] | None:
        """The path and body of the next request, once all of it is there."""
        head, found, body = self.inbox.partition(b"\r\n\r\n")
        if not found:
            return None
        line, *fields = head.split(b"\r\n")
        length = 0
        for field in fields:
            name, _, value = field.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if len(body) < length:
            return None
        self.inbox = body[length:]
        return line.split(b" ")[1].decode().partition("?")[0], body[:length]


class Upstream:
    """The loop."""

    def __init__(self, server: socket.socket) -> None:
        self._server = server
        self._poll = select.epoll()
        self._poll.register(server, select.EPOLLIN)
        self._clients: dict[int, Client] = {}
        self._fast: list[Client] = []
        self._wheel: list[list[Client]] = [[] for _ in range(SLOTS)]
        self._paced = 0
        self._tick = 0

    def run(self) -> None:
        """Serve until the process ends."""
        while True:
            self._listen()
            for _ in range(BURST // len(self._fast) + 1 if self._fast else 0):
                self._fast = [client for client in self._fast if self._say(client)]
            self._turn_wheel()

    def _listen(self) -> None:
        wait = 0.0 if self._fast else 0.001 if self._paced else None
        for fd, what in self._poll.poll(wait):
            if fd == self._server.fileno():
                self._accept()
            elif what & select.EPOLLOUT:
                self._poll.modify(fd, select.EPOLLIN)
                self._resume(self._clients[fd])
            else:
                self._hear(self._clients[fd])

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._server.accept()
            except BlockingIOError:
                return
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._clients[sock.fileno()] = Client(sock)
            self._poll.register(sock, select.EPOLLIN)

    def _hear(self, client: Client) -> None:
        try:
            data = client.sock.recv(65536)
        except OSError:
            data = b""
        if not data:
            self._leave(client)
            return
        client.inbox += data
        if request := client.request():
            client.writes, client.paced = reply(*request)
            client.at = 0
            client.slot = self._tick % SLOTS
            self._paced += client.paced
            self._resume(client)

    def _leave(self, client: Client) -> None:
        self._paced -= client.paced
        client.paced = False
        del self._clients[client.sock.fileno()]
        client.sock.close()

    def _resume(self, client: Client) -> None:
        (self._wheel[client.slot] if client.paced else self._fast).append(client)

    def _turn_wheel(self) -> None:
        now = time.monotonic_ns() // 1_000_000
        if not self._paced:
            self._tick = now
        while self._tick < now:
            self._tick += 1
            slot = self._tick % SLOTS
            self._wheel[slot] = [client for client in self._wheel[slot] if self._say(client)]

    def _say(self, client: Client) -> bool:
        """Send one event; False if this client is to leave the round: all is said, there is no room, or it left."""
        data = client.rest or client.writes[client.at]
        try:
            sent = client.sock.send(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            return False
        if sent < len(data):
            client.rest = data[sent:]
            self._poll.modify(client.sock, select.EPOLLOUT)
            return False
        client.rest = b""
        client.at += 1
        if client.at < len(client.writes):
            return True
        self._paced -= client.paced
        client.paced = False
        return False


def serve(server: socket.socket) -> None:
    """Serve on a socket that listens."""
    gc.disable()  # nothing here makes cycles, and a pause would be charged to the proxy
    server.setblocking(False)
    Upstream(server).run()
