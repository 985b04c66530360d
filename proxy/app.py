"""The web application: what is called for every token is plain ASGI, everything that is asked rarely is FastAPI's."""

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import Final

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from proxy import api
from proxy.body import Receive, Scope, Send
from proxy.catalogue import dialects
from proxy.chat import OLLAMA, OPENAI, Chat
from proxy.errors import Problem
from proxy.guard import App, Guard, respond
from proxy.meters import Meters
from proxy.modes import MODES
from proxy.passage import Passage
from proxy.service import Service, ShellTools
from proxy.settings import Settings, UpstreamSetting
from proxy.upstream.http import Http
from proxy.upstream.ollama import Ollama
from proxy.upstream.openai import OpenAI
from proxy.upstream.plan import Upstream
from proxy.upstream.pool import DEMO, Pool

_PREFIXES: Final = ("", *(f"/{mode}" for mode in MODES))
"""Every path also exists under the name of a mode."""
_log: Final = logging.getLogger("strictcall")


def create_app(
    settings: Settings,
    *,
    demo_url: str = "",
    shell: ShellTools | None = None,
    mounted: Mapping[str, App] = MappingProxyType({}),
) -> App:
    """The proxy as an ASGI application; `demo_url` is where the demo models are, `mounted` what else is served."""
    http = Http(connect_timeout=settings.connect_timeout, idle_timeout=settings.idle_timeout)
    upstreams: list[Upstream] = [
        OpenAI(one, settings, http) if one.is_openai else Ollama(one, settings) for one in settings.upstreams
    ]
    demo = Ollama(UpstreamSetting(demo_url, DEMO), settings) if demo_url else None
    service = Service(settings, http, Pool(upstreams, demo), tuple(dialects().values()), Meters(), shell)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with http:
            yield
        for upstream in service.pool.all:
            await upstream.close()

    app = FastAPI(title="strictcall", lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.state.service = service
    app.add_exception_handler(Problem, _answered)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(Exception, _failed)
    passage = Passage(service)
    chats: dict[str, App] = {}
    for prefix in _PREFIXES:
        chats[f"{prefix}/v1/chat/completions"] = Chat(service, OPENAI)
        chats[f"{prefix}/api/chat"] = Chat(service, OLLAMA)
    # Known to the framework as well, for whoever asks for one in a wrong way.
    app.router.routes += [Route(path, chat, methods=["POST"]) for path, chat in chats.items()]
    for prefix in _PREFIXES:
        app.include_router(api.models, prefix=prefix)
        app.router.routes += [
            Route(f"{prefix}/v1/completions", passage, methods=["POST"]),
            Route(f"{prefix}/v1/embeddings", passage, methods=["POST"]),
            Route(f"{prefix}/api/{{path:path}}", passage, methods=["GET", "HEAD", "POST", "DELETE"]),
        ]
    app.include_router(api.server)
    return Guard(_Front(chats, mounted, app), settings)


def alone(mounted: Mapping[str, App], settings: Settings) -> App:
    """What else is served, without the proxy, and as well guarded."""
    return Guard(_Front({}, mounted, _nothing), settings)


class _Front:
    """Sends chats straight to their endpoint, past the layers of a web framework that do nothing for them."""

    def __init__(self, chats: Mapping[str, App], mounted: Mapping[str, App], rest: App) -> None:
        self._chats = chats
        self._mounted = mounted
        self._rest = rest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        chat = self._chats.get(path) if scope.get("method") == "POST" else None
        await (chat or self._mounted.get(path) or self._rest)(scope, receive, send)


async def _nothing(scope: Scope, _: Receive, send: Send) -> None:
    await respond(Problem(404, f"there is no {scope['path']} here; MCP is at /mcp and /sse", "unknown_path"), send)


async def _answered(_: Request, error: Exception) -> Response:
    problem = Problem.of(error)
    return Response(problem.body, problem.status, media_type="application/json")


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - it is registered for these
    if error.status_code == 405:
        problem = Problem(405, f"{request.url.path} does not take {request.method}", "method_not_allowed")
    else:
        served = "chat/completions, completions, embeddings and models"
        what = f"there is no {request.method} {request.url.path}; the base URL ends in /v1, and below it are {served}"
        problem = Problem(error.status_code, what, "unknown_path")
    return Response(problem.body, problem.status, error.headers, media_type="application/json")


async def _failed(request: Request, error: Exception) -> Response:
    _log.error("a request to %s failed", request.url.path, exc_info=error)
    return await _answered(request, error)
