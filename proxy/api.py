"""What is asked rarely: which models there are, whether the server is well, and what to paste where."""

import asyncio
from itertools import chain
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from proxy.errors import Problem, UpstreamError
from proxy.modes import mode_of
from proxy.page import page
from proxy.service import Service
from proxy.upstream.plan import Model, Upstream
from proxy.upstream.pool import DEMO, OK

models = APIRouter()
"""Under the name of a mode, too."""
server = APIRouter()


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


Here = Annotated[Service, Depends(_service)]


# ---- models


@models.get("/v1/models")
async def list_models(service: Here) -> JSONResponse:
    """All models of all servers."""
    found = await service.pool.models()
    return JSONResponse({"object": "list", "data": [_model(upstream, model) for upstream, model in found]})


@models.get("/v1/models/{name:path}")
async def one_model(name: str, request: Request, service: Here) -> JSONResponse:
    """One model."""
    _, model_name = mode_of(request.scope, name, service.settings)
    upstream, known_as = await service.pool.choose(model_name)
    for model in await upstream.models():
        if model.name in {known_as, f"{known_as}:latest"}:
            return JSONResponse(_model(upstream, model) | {"id": name})
    raise Problem(404, f"there is no model {name!r}; GET /v1/models lists all", "model_not_found", "model")


def _model(upstream: Upstream, model: Model) -> dict[str, Any]:
    return {"id": model.name, "object": "model", "created": model.created, "owned_by": upstream.name}


@models.get("/api/tags")
async def tags(service: Here) -> JSONResponse:
    """All models of all servers, as Ollama lists them."""
    listed = await asyncio.gather(*(_tags(service, upstream) for upstream in service.pool.all))
    found: dict[str, Any] = {}
    for tag in chain.from_iterable(listed):
        found.setdefault(tag.get("name", ""), tag)  # a model that two servers have is the first one's
    return JSONResponse({"models": list(found.values())})


async def _tags(service: Service, upstream: Upstream) -> list[dict[str, Any]]:
    try:
        if upstream.is_ollama:
            said = await service.http.get_json(f"{upstream.url}/api/tags", upstream.headers)
            return [tag for tag in said["models"] if isinstance(tag, dict)]
        return [_tag(model) for model in await upstream.models()]
    except (UpstreamError, KeyError, TypeError):
        return []


def _tag(model: Model) -> dict[str, Any]:
    details = {"format": "", "family": "", "families": [], "parameter_size": "", "quantization_level": ""}
    modified = "1970-01-01T00:00:00Z"
    return {
        "name": model.name,
        "model": model.name,
        "modified_at": modified,
        "size": 0,
        "digest": "",
        "details": details,
    }


# ---- the server


@server.api_route("/healthz", methods=["GET", "HEAD"])
async def healthz() -> JSONResponse:
    """Is the process alive?"""
    return JSONResponse({"status": "ok"})


@server.get("/readyz")
async def readyz(service: Here) -> JSONResponse:
    """Does every model server answer?"""
    await service.pool.models()
    states = service.pool.states
    ready = OK in states.values()
    return JSONResponse({"status": "ok" if ready else "unavailable", "upstreams": states}, 200 if ready else 503)


@server.get("/metrics")
async def metrics(service: Here) -> Response:
    """Counters in Prometheus' form."""
    return PlainTextResponse(service.meters.text(), media_type="text/plain; version=0.0.4")


@server.get("/")
async def home(request: Request, service: Here) -> HTMLResponse:
    """A page that says that it runs, which models it sees and what to paste where."""
    found = await service.pool.models()
    own = [model.name for upstream, model in found if upstream.name != DEMO]
    demo = [model.name for upstream, model in found if upstream.name == DEMO]
    base = str(request.base_url).rstrip("/")
    states = service.pool.states
    servers = [(upstream.name, upstream.url, states[upstream.name]) for upstream in service.pool.upstreams]
    return HTMLResponse(page(base, own, demo, servers, key=bool(service.settings.api_key)))


@server.head("/")
async def alive() -> Response:
    """What Ollama's clients ask to see whether it is there."""
    return Response()
