"""Requests that are passed on as they are, and answers that come back byte for byte."""

from time import monotonic
from typing import Any, Final

import orjson

from proxy.body import Receive, Scope, Send, read_body, written
from proxy.errors import Problem, UpstreamError
from proxy.exchange import Exchange
from proxy.modes import mode_of, without_mode
from proxy.out import Out, told, watched
from proxy.service import Service
from proxy.upstream.plan import Upstream

_KEPT: Final = {"cache-control", "content-encoding", "content-length", "location", "retry-after"}
"""The headers of a response that belong to its content, not to the connection."""
_NEW: Final = {"/api/pull", "/api/create"}
"""What names a model that no server need have yet."""


async def pass_on(
    service: Service,
    upstream: Upstream,
    path: str,
    out: Out,
    *,
    body: bytes | None,
    headers: dict[str, str],
    method: str = "POST",
) -> None:
    """Send a request to a model server, and its response to the client."""
    own = {"Content-Type": "application/json"} if body else {}
    response = await service.http.request(method, upstream.passage(path), body, headers | own | upstream.headers)
    try:
        kept = [(key.encode(), value.encode("latin-1")) for key, value in response.headers.items() if key in _KEPT]
        await out.start(response.status, response.headers.get("content-type", "application/octet-stream"), kept)
        while data := await response.read():
            out.exchange.first = out.exchange.first or monotonic()
            await out.write(data)
        await out.end(b"")
    finally:
        response.close()


class Passage:
    """The endpoint for what is not a chat: the model that the body names tells where it goes."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on."""
        exchange = Exchange(scope["path"], mode="off")
        out = Out(send, exchange)
        is_ollama = "/api/" in scope["path"]
        try:
            async with told(out, lambda problem: problem.ollama_body if is_ollama else problem.body):
                await self._pass(scope, receive, out, exchange)
        finally:
            exchange.close()

    async def _pass(self, scope: Scope, receive: Receive, out: Out, exchange: Exchange) -> None:
        service = self._service
        data = await read_body(scope, receive, service.settings.max_body)
        path = without_mode(scope["raw_path"].decode("latin-1"))  # as it was written, not as it reads
        try:
            body: Any = orjson.loads(data) if data else {}
        except orjson.JSONDecodeError:
            body = {}
        key = next(
            (key for key in ("model", "name") if isinstance(body, dict) and isinstance(body.get(key), str)), None
        )
        if key:
            _, model = mode_of(scope, body[key], service.settings)
            exchange.model = model
            upstream, name = await self._home(model, path)
            homes = [upstream]
            if name != body[key]:
                data = written(body | {key: name})
        else:
            # About no model: whoever answers first. A client that looks for an Ollama finds at least the demo models'.
            homes = [one for one in service.pool.all if one.is_ollama] or list(service.pool.all)
        query = scope.get("query_string", b"").decode("latin-1")
        async with watched(receive, out):
            for upstream in homes:
                exchange.upstream = upstream.name
                try:
                    await pass_on(
                        service,
                        upstream,
                        f"{path}?{query}" if query else path,
                        out,
                        body=data or None,
                        headers=service.forwarded(dict(scope["headers"])),
                        method=scope["method"],
                    )
                except UpstreamError as error:
                    if error.code != "upstream_down" or upstream is homes[-1]:
                        raise
                else:
                    return

    async def _home(self, model: str, path: str) -> tuple[Upstream, str]:
        """The server for a request about a model, and the model's name there."""
        pool = self._service.pool
        try:
            upstream, name = await pool.choose(model)
        except Problem:
            first = next((one for one in pool.upstreams if one.is_ollama), None)
            if path not in _NEW or not first:
                raise
            return first, model
        if path.startswith("/api/") and not upstream.is_ollama:
            what = f"{model!r} is on {upstream.name}, which is no Ollama; ask by /api/chat, or under /v1"
            raise Problem(400, what, "no_ollama", "model")
        return upstream, name
