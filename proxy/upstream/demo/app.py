"""The server of the demo models: Ollama's own HTTP API, so that whatever talks to Ollama can talk to it.

    GET  /  /api/version  /api/tags  /api/ps
    POST /api/show  /api/chat  /api/generate  /api/embed  /api/embeddings
    /v1/...   see `compat`

The models write their calls as plain text into `message.content`, a few characters a line: they are what an Ollama
looks like whose own parser of tool calls misses everything.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import Any, Final

import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from proxy.upstream.demo import compat
from proxy.upstream.demo.embedding import embedded
from proxy.upstream.demo.models import EMBEDDING_LENGTH, models
from proxy.upstream.demo.replies import json_reply
from proxy.upstream.demo.request import (
    Refused,
    body_of,
    dimensions_of,
    messages_of,
    model_asked,
    options_of,
    refuse_thinking,
    texts_of,
)
from proxy.upstream.demo.turn import PIECE, Turn, said, turn

Json = Any

VERSION: Final = "0.32.15"
"""The Ollama whose API this is."""
_MIDDLE: Final = "    pass\n"
"""What goes between any prompt and any suffix."""


async def root(_: Request) -> Response:
    """Is anyone there?"""
    return PlainTextResponse("Ollama is running")


async def version(_: Request) -> Response:
    """Which Ollama this would be."""
    return json_reply({"version": VERSION})


async def tags(_: Request) -> Response:
    """All models."""
    return json_reply({"models": [model.listed() for model in models().values()]})


async def running(_: Request) -> Response:
    """None is loaded: there is nothing to load."""
    return json_reply({"models": []})


async def show(request: Request) -> Response:
    """All about one model."""
    return json_reply(model_asked(body_of(await request.body())).shown())


async def chat(request: Request) -> Response:
    """One turn of a conversation."""
    body = body_of(await request.body())
    model, messages = model_asked(body), messages_of(body)
    refuse_thinking(body)
    if not messages:
        return json_reply(_idle(body, message={"role": "assistant", "content": ""}))
    options = options_of(body)
    return _reply(
        body,
        lambda: turn(model, messages, body.get("tools"), body.get("format"), options),
        lambda text: {"message": {"role": "assistant", "content": text}},
    )


async def generate(request: Request) -> Response:
    """A prompt goes on."""
    body = body_of(await request.body())
    model, options = model_asked(body), options_of(body)
    refuse_thinking(body)
    prompt = str(body.get("prompt") or "")
    if not prompt:
        return json_reply(_idle(body, response=""))
    messages = [{"role": "system", "content": str(body.get("system") or "")}, {"role": "user", "content": prompt}]

    def go_on() -> Turn:
        if body.get("suffix"):
            return said(_MIDDLE, prompt, options)
        return turn(model, messages, None, body.get("format"), options)

    return _reply(body, go_on, lambda text: {"response": text})


def _idle(body: dict[str, Json], **empty: Json) -> dict[str, Json]:
    """A request to load or to unload the model."""
    reason = "unload" if body.get("keep_alive") in {0, "0", "0s"} else "load"
    return {"model": body["model"], "created_at": _now(), **empty, "done_reason": reason, "done": True}


def _reply(body: dict[str, Json], make: Callable[[], Turn], part: Callable[[str], dict[str, Json]]) -> Response:
    """A turn as one object, or as lines; `part` is what holds its text."""
    begun = time.perf_counter_ns()
    found = make()
    if body.get("stream", True) is not False:
        return StreamingResponse(_lines(body["model"], found, part, begun), media_type="application/x-ndjson")
    return json_reply(_line(body["model"], part(found.text)) | _end(found, begun))


async def _lines(model: str, found: Turn, part: Callable[[str], dict[str, Json]], begun: int) -> AsyncIterator[bytes]:
    for piece in found.pieces:
        yield orjson.dumps(_line(model, part(piece)), option=orjson.OPT_APPEND_NEWLINE)
        await asyncio.sleep(0)  # a client that leaves is noticed, and others get their turn
    yield orjson.dumps(_line(model, part("")) | _end(found, begun), option=orjson.OPT_APPEND_NEWLINE)


def _line(model: str, part: dict[str, Json]) -> dict[str, Json]:
    return {"model": model, "created_at": _now(), **part, "done": False}


def _end(found: Turn, begun: int) -> dict[str, Json]:
    elapsed = time.perf_counter_ns() - begun
    return {
        "done": True,
        "done_reason": found.reason,
        "total_duration": elapsed,
        "load_duration": 0,
        "prompt_eval_count": found.prompt_count,
        "prompt_eval_duration": elapsed // 2,
        "eval_count": len(found.pieces),
        "eval_duration": elapsed - elapsed // 2,
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


async def embed(request: Request) -> Response:
    """Vectors of texts."""
    body = body_of(await request.body())
    model_asked(body)
    texts, length = texts_of(body), dimensions_of(body)
    return json_reply(
        {
            "model": body["model"],
            "embeddings": [embedded(text, length) for text in texts],
            "total_duration": 0,
            "load_duration": 0,
            "prompt_eval_count": sum(len(text) // PIECE + 1 for text in texts),
        }
    )


async def embeddings(request: Request) -> Response:
    """The older form: one text."""
    body = body_of(await request.body())
    model_asked(body)
    return json_reply({"embedding": embedded(str(body.get("prompt") or ""), EMBEDDING_LENGTH)})


async def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)  # noqa: S101 - the table below sends no other
    if request.url.path.startswith("/v1/"):
        return compat.refusal(error)
    return json_reply({"error": error.message}, error.status)


async def _not_found(_: Request, __: Exception) -> Response:
    return PlainTextResponse("404 page not found", 404)


def make_app() -> Starlette:
    """The ASGI application."""
    return Starlette(
        routes=[
            Route("/", root),
            Route("/api/version", version),
            Route("/api/tags", tags),
            Route("/api/ps", running),
            Route("/api/show", show, methods=["POST"]),
            Route("/api/chat", chat, methods=["POST"]),
            Route("/api/generate", generate, methods=["POST"]),
            Route("/api/embed", embed, methods=["POST"]),
            Route("/api/embeddings", embeddings, methods=["POST"]),
            *compat.ROUTES,
        ],
        exception_handlers={Refused: _refuse, 404: _not_found},
    )
