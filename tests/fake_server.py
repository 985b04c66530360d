"""A model server that says what a test tells it to, byte for byte, and can misbehave: Ollama's form and OpenAI's.

    with FakeServer() as server:
        server.says("Hi", '<tool_call>{"name": ...')      # content deltas, then the end
        server.plays(line("Hi"), Reset())                 # or anything at all
        ... server.requests[-1].body                      # what it was asked

It is a raw socket server on loopback in a thread of its own.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

MODEL = "fake:latest"
HEAD = b"HTTP/1.1 %d OK\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n"


@dataclass(frozen=True)
class Hang:
    """Say nothing more until the proxy closes the connection."""


@dataclass(frozen=True)
class Reset:
    """Close the connection in mid-answer."""


@dataclass(frozen=True)
class Status:
    """Refuse with a status and a body."""

    status: int
    body: bytes


@dataclass(frozen=True)
class Raw:
    """Say this instead of an HTTP response, and close the connection."""

    data: bytes


@dataclass(frozen=True)
class Wait:
    """Go on when the test sets the event."""

    event: threading.Event


Step = bytes | Hang | Raw | Reset | Status | Wait
Script = Callable[["Request"], Iterable[Step]]


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: Any
    left: threading.Event = field(default_factory=threading.Event)
    """set when the proxy has closed the connection before the answer was over"""


def line(content: str = "", *, thinking: str = "", calls: Sequence[dict[str, Any]] = ()) -> bytes:
    """A line of Ollama's answer, as Ollama spells it."""
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if thinking:
        message["thinking"] = thinking
    if calls:
        message["tool_calls"] = list(calls)
    said = {"model": MODEL, "created_at": "2026-01-01T00:00:00.123456Z", "message": message, "done": False}
    return json.dumps(said, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def done(reason: str = "stop", prompt: int = 12, completion: int = 34) -> bytes:
    """The last line of Ollama's answer."""
    said = {"model": MODEL, "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": reason}
    return json.dumps(said | {"prompt_eval_count": prompt, "eval_count": completion}).encode() + b"\n"


def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
    """An event of an OpenAI-compatible server."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    said = {"id": "chatcmpl-up", "object": "chat.completion.chunk", "created": 7, "model": "m", "choices": [choice]}
    return b"data: " + json.dumps(said | more, separators=(",", ":"), ensure_ascii=False).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"


class FakeServer:
    """The server; `url` is its address in Ollama's form, `openai_url` in OpenAI's."""

    def __init__(
        self, *, capabilities: Sequence[str] = ("completion", "tools"), template: str = "", context: int = 8192
    ) -> None:
        self.requests: list[Request] = []
        self.capabilities: list[str] | None = list(capabilities)
        self.template = template
        self.context = context
        self.loaded_context = 0
        """the context that the model is loaded with; 0: it is not loaded"""
        self.digest = "sha256:1"
        self.props: dict[str, Any] | None = None
        self.models = [MODEL]
        self._scripts: list[Script] = []
        self._script: Script = lambda _: [line("Hello."), done()]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    # ---- what a test says

    def plays(self, *steps: Step) -> None:
        """Answer every chat with these steps."""
        self._script = lambda _: steps

    def plays_once(self, *steps: Step) -> None:
        """Answer the next chat with these steps; may be said several times."""
        self._scripts.append(lambda _: steps)

    def answers(self, script: Script) -> None:
        """Answer every chat with what a function says."""
        self._script = script

    def says(self, *deltas: str, reason: str = "stop") -> None:
        """Answer every chat with these pieces of content, in the form of whoever asks."""

        def script(request: Request) -> Iterable[Step]:
            if request.path == "/api/chat":
                return [*(line(delta) for delta in deltas), done(reason)]
            chunks = [chunk({"content": delta}) for delta in deltas]
            return [chunk({"role": "assistant", "content": ""}), *chunks, chunk({}, reason), DONE]

        self._script = script

    @property
    def chats(self) -> list[Request]:
        """The chats that it was asked for."""
        return [request for request in self.requests if request.path.endswith(("/api/chat", "/chat/completions"))]

    # ---- the server

    def __enter__(self) -> Self:
        self._thread.start()
        started = asyncio.run_coroutine_threadsafe(asyncio.start_server(self._serve, "127.0.0.1", 0), self._loop)
        self._server = started.result(5)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.openai_url = f"{self.url}/v1"
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    async def _stop(self) -> None:
        self._server.close()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                await self._answer(head, reader, writer)
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, *rest = head.decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ")
        headers = {name.lower(): value for name, _, value in (one.partition(": ") for one in rest if one)}
        data = await reader.readexactly(int(headers.get("content-length", "0")))
        request = Request(method, path, headers, _read(data))
        self.requests.append(request)
        if method == "POST" and path in {"/api/chat", "/v1/chat/completions"}:
            script = self._scripts.pop(0) if self._scripts else self._script
            await self._play(script(request), request, reader, writer)
        else:
            status, body = self._control(request)
            _whole(writer, status, body)
        await writer.drain()

    def _control(self, request: Request) -> tuple[int, bytes]:
        match request.path:
            case "/api/tags":
                models = [
                    {
                        "name": name,
                        "model": name,
                        "digest": self.digest,
                        "modified_at": "2026-01-01T00:00:00Z",
                        "size": 1,
                    }
                    for name in self.models
                ]
                return 200, json.dumps({"models": models}).encode()
            case "/api/show":
                shown: dict[str, Any] = {"template": self.template, "model_info": {"x.context_length": self.context}}
                if self.capabilities is not None:
                    shown["capabilities"] = self.capabilities
                return 200, json.dumps(shown).encode()
            case "/api/ps":
                loaded = [{"model": MODEL, "name": MODEL, "context_length": self.loaded_context}]
                return 200, json.dumps({"models": loaded if self.loaded_context else []}).encode()
            case "/api/version":
                return 200, b'{"version":"0.99.0"}'
            case "/v1/models":
                data = [{"id": name, "object": "model", "created": 5, "owned_by": "x"} for name in self.models]
                return 200, json.dumps({"object": "list", "data": data}).encode()
            case "/props" if self.props is not None:
                return 200, json.dumps(self.props).encode()
            case "/v1/completions" | "/v1/embeddings" | "/api/generate" | "/api/embed":
                return 200, json.dumps({"echo": request.body}, default=repr).encode()
        return 404, b'{"error":"not found"}'

    async def _play(
        self, steps: Iterable[Step], request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        begun = False
        for step in steps:
            match step:
                case Status(status, body):
                    _whole(writer, status, body)
                    return
                case bytes():
                    if not begun:
                        kind = b"application/x-ndjson" if request.path == "/api/chat" else b"text/event-stream"
                        writer.write(HEAD % (200, kind))
                        begun = True
                    writer.write(b"%x\r\n%b\r\n" % (len(step), step))
                    try:
                        await writer.drain()
                    except ConnectionError:
                        request.left.set()
                        raise
                case Raw(data):
                    writer.write(data)
                    raise ConnectionResetError
                case Wait(event):
                    async with asyncio.timeout(10):
                        while not event.is_set():  # noqa: ASYNC110 - it is set in another thread
                            await asyncio.sleep(0.002)
                case Hang():
                    await reader.read()
                    request.left.set()
                    raise ConnectionResetError
                case Reset():
                    writer.transport.abort()
                    raise ConnectionResetError
        writer.write(b"0\r\n\r\n")


def _read(data: bytes) -> Any:
    try:
        return json.loads(data) if data else None
    except ValueError:
        return data


def _whole(writer: asyncio.StreamWriter, status: int, body: bytes) -> None:
    head = f"HTTP/1.1 {status} OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
