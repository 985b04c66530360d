"""The socket of the viewer's app: a line of JSON asks, a line of JSON answers, in whichever order answers are there.

{"id": "1", "action": "list_viewers", "params": {}}   ->  {"id": "1", "result": {"windows": []}}
nonsense                                              ->  {"id": null, "error": {"code": "bad_frame", "message": …}}

Whatever a client sends, or fails to read, is its own trouble: the next line works, and so do the other clients.
"""

import asyncio
import hmac
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import orjson

from mcp_server.viewer.door import Door
from mcp_server.viewer.failure import Failed

Json = dict[str, Any]
Action = Callable[[Json], Awaitable[Json]]
MAX_LINE: Final = 64 << 20
"""Bytes of a line: 10 MB of content of which every byte is escaped to six, and its frame."""
_CHUNK: Final = 1 << 16
_AT_ONCE: Final = 32
"""Requests of a connection that are not answered yet, or whose answers are not read; it is read no further then."""
_log: Final = logging.getLogger("strictcall")


@asynccontextmanager
async def serve(door: Door, actions: Mapping[str, Action]) -> AsyncIterator[None]:
    """Answer whoever connects, as long as the block lasts; then the door is closed."""
    clients = _Clients(actions, door.token)
    start = asyncio.start_server if door.token else asyncio.start_unix_server
    server = await start(clients.serve, sock=door.listener)
    try:
        yield
    finally:
        server.close()
        door.close()
        await clients.leave()


class _Clients:
    """All connections, and what they have asked."""

    def __init__(self, actions: Mapping[str, Action], token: str) -> None:
        self._actions = actions
        self._token = token.encode()
        self._connections: set[asyncio.Task[None]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one client until it leaves."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - this is one
        self._connections.add(task)
        try:
            with suppress(asyncio.CancelledError):  # we go
                await self._converse(_lines(reader), writer)
        finally:
            self._connections.discard(task)
            writer.close()

    async def leave(self) -> None:
        """Break off all connections, and what they wait for."""
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections)

    async def _converse(self, lines: AsyncIterator[bytes], writer: asyncio.StreamWriter) -> None:
        if self._token and not _says(await anext(lines, b""), self._token):
            writer.write(_error(None, Failed("bad_token", "the first line should say the token of this app")))
            return
        room = asyncio.Semaphore(_AT_ONCE)
        async with asyncio.TaskGroup() as requests:
            async for line in lines:
                await room.acquire()
                asked = requests.create_task(self._reply(line, writer))
                asked.add_done_callback(lambda _: room.release())

    async def _reply(self, line: bytes, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):  # the client has gone
            writer.write(await self._answer(line))
            await writer.drain()

    async def _answer(self, line: bytes) -> bytes:
        """The line that answers this one, whatever happens."""
        request: Any = None
        try:
            request, name, params = _read(line)
            action = self._action(name)
            _log.info("%s %.80r", name, request)
            return orjson.dumps({"id": request, "result": await action(params)}) + b"\n"
        except _BadFrame as error:
            return _error(error.request, error)
        except Failed as error:
            return _error(request, error)
        except Exception as error:  # noqa: BLE001 - an answer must be given
            _log.error("an action failed", exc_info=error)
            return _error(request, Failed("internal", "this failed in the app, and what happened was logged"))

    def _action(self, name: str) -> Action:
        if name in self._actions:
            return self._actions[name]
        raise Failed("unknown_action", f"there is no action {name[:100]!r}; there are {', '.join(self._actions)}")


class _BadFrame(Failed):
    """This is no request; `request` is its id, as far as it has one."""

    def __init__(self, code: str, message: str, request: str | int | None = None) -> None:
        super().__init__(code, message)
        self.request = request


def _read(line: bytes) -> tuple[str | int, str, Json]:
    """The id, the action and the params of a request."""
    if len(line) > MAX_LINE:
        raise _BadFrame("too_long", f"a line has at most {MAX_LINE} bytes")
    try:
        frame = orjson.loads(line)
    except orjson.JSONDecodeError:
        raise _BadFrame("bad_frame", 'this is not JSON; wanted {"id": …, "action": …, "params": {…}}') from None
    if not isinstance(frame, dict):
        raise _BadFrame("bad_frame", 'this is no object; wanted {"id": …, "action": …, "params": {…}}')
    request, action, params = frame.get("id"), frame.get("action"), frame.get("params", {})
    if not isinstance(request, str | int) or isinstance(request, bool):
        raise _BadFrame("bad_frame", "the id should be text or an integer")
    if not isinstance(action, str):
        raise _BadFrame("bad_frame", "the action should be a text", request)
    if not isinstance(params, dict):
        raise _BadFrame("bad_params", "the params should be an object", request)
    return request, action, params


def _error(request: str | int | None, error: Failed) -> bytes:
    return orjson.dumps({"id": request, "error": {"code": error.code, "message": str(error)}}) + b"\n"


def _says(line: bytes, token: bytes) -> bool:
    try:
        said = orjson.loads(line)["token"].encode()
    except (ValueError, TypeError, KeyError, AttributeError):
        return False
    return hmac.compare_digest(said, token)


async def _lines(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """The lines that come, each when it is whole; of one that is too long, as much as shows that it is."""
    begun = bytearray()
    while chunk := await _more(reader):
        head, *rest = chunk.split(b"\n")
        if len(begun) <= MAX_LINE:
            begun += head
        for part in rest:
            if line := bytes(begun).strip():
                yield line
            begun = bytearray(part)


async def _more(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read(_CHUNK)
    except OSError:  # the client has gone, and not by the door
        return b""
