"""Ollama's imitation of OpenAI's API, under `/v1`, with its ways: text stays text here, too."""

import asyncio
import base64
import struct
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Final

import orjson
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from proxy.upstream.demo.embedding import embedded
from proxy.upstream.demo.models import model_of, models
from proxy.upstream.demo.replies import json_reply
from proxy.upstream.demo.request import Refused, body_of, dimensions_of, limits, model_asked, texts_of
from proxy.upstream.demo.turn import PIECE, Options, Turn, turn

Json = Any

_TYPES: Final = {400: "invalid_request_error", 404: "not_found_error"}
_DONE: Final = b"data: [DONE]\n\n"


def refusal(error: Refused) -> Response:
    """An error in OpenAI's form."""
    kind = _TYPES.get(error.status, "api_error")
    return json_reply({"error": {"message": error.message, "type": kind, "param": None, "code": None}}, error.status)


async def chat_completions(request: Request) -> Response:
    """One turn of a conversation."""
    body = body_of(await request.body())
    model = model_asked(body)
    if not body.get("messages"):
        raise Refused(400, "[] is too short - 'messages'")
    messages = [_message(message) for message in body["messages"]]
    found = turn(model, messages, body.get("tools"), _format(body.get("response_format")), _options(body))

    def choice(text: str | None, reason: str | None, *, first: bool = True) -> Json:
        if not body.get("stream"):
            return {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}
        delta = ({"role": "assistant"} if first else {}) | ({} if text is None else {"content": text})
        return {"index": 0, "delta": delta, "finish_reason": reason}

    return _reply(body, found, choice, "chatcmpl-417", "chat.completion", "chat.completion.chunk")


async def completions(request: Request) -> Response:
    """A prompt goes on."""
    body = body_of(await request.body())
    model, prompt = model_asked(body), body.get("prompt")
    if not isinstance(prompt, str):
        raise Refused(400, "prompt must be a string")
    found = turn(model, [{"role": "user", "content": prompt}], None, None, _options(body))

    def choice(text: str | None, reason: str | None, *, first: bool = True) -> Json:
        del first
        return {"text": text or "", "index": 0, "finish_reason": reason}

    return _reply(body, found, choice, "cmpl-417", "text_completion", "text_completion")


def _reply(
    body: dict[str, Json], found: Turn, choice: Callable[..., Json], identity: str, whole: str, piece: str
) -> Response:
    """A turn as one object, or as server-sent events."""
    head = {
        "id": identity,
        "object": piece if body.get("stream") else whole,
        "created": int(time.time()),
        "model": body["model"],
        "system_fingerprint": "fp_ollama",
    }
    usage = {
        "prompt_tokens": found.prompt_count,
        "completion_tokens": len(found.pieces),
        "total_tokens": found.prompt_count + len(found.pieces),
    }
    if not body.get("stream"):
        return json_reply(head | {"choices": [choice(found.text, found.reason)], "usage": usage})
    wanted = isinstance(options := body.get("stream_options"), dict) and options.get("include_usage")
    events = _events(head, found, choice, usage if wanted else None)
    return StreamingResponse(events, media_type="text/event-stream")


async def _events(
    head: dict[str, Json], found: Turn, choice: Callable[..., Json], usage: Json | None
) -> AsyncIterator[bytes]:
    for place, piece in enumerate(found.pieces):
        yield _event(head | {"choices": [choice(piece, None, first=place == 0)]})
        await asyncio.sleep(0)  # a client that leaves is noticed, and others get their turn
    yield _event(head | {"choices": [choice(None, found.reason, first=not found.pieces)]})
    if usage:
        yield _event(head | {"choices": [], "usage": usage})
    yield _DONE


def _event(value: Json) -> bytes:
    return b"data: " + orjson.dumps(value) + b"\n\n"


def _message(message: Json) -> dict[str, Json]:
    """A message as the native API has it."""
    if not isinstance(message, dict):
        raise Refused(400, "invalid message format")
    calls = message.get("tool_calls")
    found = {**message, "content": _content(message.get("content"), calls=bool(calls))}
    if isinstance(calls, list):
        found["tool_calls"] = [_call(call) for call in calls]
    if message.get("name"):
        found["tool_name"] = message["name"]
    return found


def _content(content: Json, *, calls: bool) -> str:
    match content:
        case str():
            return content
        case list():
            return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
        case None if calls:
            return ""
        case _:
            raise Refused(
                400, f"invalid message content type: {'<nil>' if content is None else type(content).__name__}"
            )


def _call(call: Json) -> Json:
    try:
        arguments = orjson.loads(call["function"]["arguments"])
    except (TypeError, KeyError, orjson.JSONDecodeError):
        arguments = None
    if not isinstance(arguments, dict):
        raise Refused(400, "invalid tool call arguments")
    return {**call, "function": {**call["function"], "arguments": arguments}}


def _format(wanted: Json) -> Json:
    match wanted:
        case {"type": "json_object"}:
            return "json"
        case {"type": "json_schema", "json_schema": {"schema": dict() as schema}}:
            return schema
        case _:
            return None


def _options(body: Mapping[str, Json]) -> Options:
    most = body.get("max_tokens")
    return limits(most if isinstance(most, int | float) else None, body.get("stop"))


async def embeddings(request: Request) -> Response:
    """Vectors of texts, as lists or as bytes in base64."""
    body = body_of(await request.body())
    model_asked(body)
    texts, length = texts_of(body), dimensions_of(body)
    vectors = [embedded(text, length) for text in texts]
    packed = body.get("encoding_format") == "base64"
    tokens = sum(len(text) // PIECE + 1 for text in texts)
    return json_reply(
        {
            "object": "list",
            "data": [
                {"object": "embedding", "embedding": _packed(vector) if packed else vector, "index": place}
                for place, vector in enumerate(vectors)
            ],
            "model": body["model"],
            "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
        }
    )


def _packed(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


async def list_models(_: Request) -> Response:
    """All models."""
    return json_reply({"object": "list", "data": [model.as_openai() for model in models().values()]})


async def one_model(request: Request) -> Response:
    """One model."""
    name = request.path_params["name"]
    found = model_of(name)
    if found is None:
        raise Refused(404, f"model '{name}' not found")
    return json_reply(found.as_openai())


ROUTES: Final = (
    Route("/v1/chat/completions", chat_completions, methods=["POST"]),
    Route("/v1/completions", completions, methods=["POST"]),
    Route("/v1/embeddings", embeddings, methods=["POST"]),
    Route("/v1/models", list_models),
    Route("/v1/models/{name:path}", one_model),
)
