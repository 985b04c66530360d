"""One client's conversation: messages in, messages out, and what is still to be answered."""

import asyncio
import secrets
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Final

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from mcp_server.messages import as_text, read

Inbox = MemoryObjectSendStream[SessionMessage | Exception]
Outbox = MemoryObjectReceiveStream[SessionMessage]
_KEEPS_OPEN: Final = "subscriptions/listen"
"""The one request that is not answered until the client leaves."""


class Session:
    """One client's conversation."""

    def __init__(self, inbox: Inbox, outbox: Outbox) -> None:
        self.id = secrets.token_hex(16)
        self._inbox = inbox
        self._outbox = outbox
        self._unanswered: set[types.RequestId] = set()
        self._answered = asyncio.Event()

    async def feed(self, text: bytes | str) -> None:
        """Take a message from the client; `BadMessage` if it is none."""
        message = read(text)
        self._note(message)
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # it may have ended meanwhile
            await self._inbox.send(SessionMessage(message))

    async def outbox(self, patience: float | None = None) -> AsyncGenerator[str, None]:
        """The messages for the client, until the session ends; an empty one whenever there was none for so long."""
        with self._outbox:
            while True:
                with anyio.move_on_after(patience) as waiting:
                    try:
                        message = (await self._outbox.receive()).message
                    except anyio.EndOfStream:
                        return
                if waiting.cancelled_caught:
                    yield ""
                    continue
                if isinstance(message, types.JSONRPCResponse | types.JSONRPCError) and message.id is not None:
                    self._settle(message.id)
                yield as_text(message)

    async def finish(self, seconds: float) -> None:
        """End it once everything that was asked is answered, or after this time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._unanswered:
                    self._answered.clear()
                    await self._answered.wait()
        self.close()

    def close(self) -> None:
        """End it: what is under way is cancelled."""
        self._inbox.close()
        self._unanswered.clear()

    def _note(self, message: types.JSONRPCMessage) -> None:
        match message:
            case types.JSONRPCRequest() if message.method != _KEEPS_OPEN:
                self._unanswered.add(message.id)
            case types.JSONRPCNotification(
                method="notifications/cancelled", params={"requestId": str() | int() as id_}
            ):
                self._settle(id_)
            case _:
                pass

    def _settle(self, request_id: types.RequestId) -> None:
        self._unanswered.discard(request_id)
        self._answered.set()
