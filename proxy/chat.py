"""The chat endpoints, OpenAI's and Ollama's: plain ASGI, because one is called for every token that models write.

The client may leave at any time; then the model server is told to stop at once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from secrets import token_hex
from time import time
from typing import Any, Final

from proxy.body import Receive, Scope, Send, read_body, written
from proxy.core.accept import fields, ollama_chat, openai_chat
from proxy.core.ask import Ask
from proxy.core.emit.emitter import Emitter, Ids, Label
from proxy.core.emit.ollama_chat import OllamaAnswer
from proxy.core.emit.openai_chat import ChatAnswer, ChatStream
from proxy.core.filters import Filter, OnlyFirst, ThinkTags, WholeCalls
from proxy.core.shell import ShellCalls
from proxy.errors import Problem
from proxy.exchange import Exchange
from proxy.modes import mode_of, without_mode
from proxy.out import Out, told, watched
from proxy.passage import pass_on
from proxy.relay import Relay
from proxy.service import Service

_NONE: Final = ("none", {"type": "none"})
_BEYOND_US: Final = ("logprobs", "audio", "modalities", "prediction", "web_search_options")
"""What a request without tools may ask for that only the model server itself can put into its answer."""


@dataclass(frozen=True, slots=True)
class Client:
    """A protocol that clients speak: how it asks, and how it is answered."""

    read: Callable[[Mapping[str, Any]], Ask]
    emitter: Callable[[Ask, Label, Ids], Emitter]
    problem: Callable[[Problem], bytes]


def _openai_emitter(ask: Ask, label: Label, ids: Ids) -> Emitter:
    return ChatStream(label, ids, usage=ask.usage) if ask.stream else ChatAnswer(label, ids)


def _ollama_emitter(ask: Ask, label: Label, ids: Ids) -> Emitter:
    created = datetime.fromtimestamp(label.created, UTC).isoformat().replace("+00:00", "Z")
    return OllamaAnswer(label, ids, created_at=created, stream=ask.stream)


OPENAI: Final = Client(openai_chat.read, _openai_emitter, lambda problem: problem.body)
OLLAMA: Final = Client(ollama_chat.read, _ollama_emitter, lambda problem: problem.ollama_body)


class Chat:
    """One chat endpoint."""

    def __init__(self, service: Service, client: Client) -> None:
        self._service = service
        self._client = client

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        exchange = Exchange(scope["path"])
        out = Out(send, exchange)
        self._service.meters.running.inc()
        try:
            async with told(out, self._client.problem):
                await self._answer(scope, receive, out, exchange)
        finally:
            self._service.meters.running.dec()
            exchange.close()
            self._service.meters.note(exchange)

    async def _answer(self, scope: Scope, receive: Receive, out: Out, exchange: Exchange) -> None:
        service = self._service
        data = await read_body(scope, receive, service.settings.max_body)
        body = fields.body_of(data)
        mode, model = mode_of(scope, fields.text(body, "model"), service.settings)
        exchange.model, exchange.mode = model, mode
        upstream, name = await service.pool.choose(model)
        exchange.upstream = upstream.name
        headers = service.forwarded(dict(scope["headers"]))
        own = self._client is OLLAMA and upstream.is_ollama
        untouched = mode == "off" or (own and mode == "strict" and not body.get("tools"))
        beyond = mode == "strict" and not body.get("tools") and _is_beyond_us(body)
        async with watched(receive, out):
            if untouched or beyond:
                path = without_mode(scope["path"])
                await pass_on(service, upstream, path, out, body=written(body | {"model": name}), headers=headers)
                return
            ask = self._client.read(body)
            named_by_client = ask.model
            free = not ask.required and body.get("tool_choice") not in _NONE
            ask, filters = self._prepared(replace(ask, model=name), ours=mode == "shell" and free)

            def emitter() -> Emitter:
                out.emitter = self._client.emitter(ask, label, Ids(lambda: f"call_{token_hex(12)}", set(ask.ids)))
                return out.emitter

            exchange.stream = ask.stream
            label = Label(f"chatcmpl-{token_hex(12)}", int(time()), named_by_client)
            await Relay(service, exchange, upstream, headers, out).run(ask, emitter, filters)

    def _prepared(self, ask: Ask, *, ours: bool) -> tuple[Ask, Callable[[], list[Filter]]]:
        """What the settings make of a request, and new filters for an answer; `ours`: offer the registry's tools."""
        settings, filters = self._service.settings, list[Callable[[], Filter]]()
        if not ask.parallel:
            filters.append(OnlyFirst)
        shell = self._service.shell if ours else None
        if shell:
            own = {tool.name for tool in ask.tools}
            added = tuple(tool for tool in shell.tools() if tool.name not in own)
            ask = replace(ask, tools=(*ask.tools, *added))
            filters.append(lambda: ShellCalls(shell.runner, [tool.name for tool in added]))
        if settings.arguments == "whole":
            filters.append(WholeCalls)
        if settings.reasoning == "tags":
            filters.append(ThinkTags)
        return ask, lambda: [make() for make in filters]


def _is_beyond_us(body: Mapping[str, Any]) -> bool:
    return any(body.get(key) for key in _BEYOND_US) or body.get("n") not in (None, 1)
