"""What a request to the demo server says, refused in Ollama's words where Ollama would refuse it."""

from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from proxy.upstream.demo.models import EMBEDDING_LENGTH, Model, model_of
from proxy.upstream.demo.turn import Options

Json = Any


class Refused(Exception):  # noqa: N818 - a word of the trade
    """An answer that is an error: the status and the text."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


def body_of(raw: bytes) -> dict[str, Json]:
    """The JSON object that was sent."""
    if not raw:
        raise Refused(400, "missing request body")
    try:
        body = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise Refused(400, f"invalid JSON: {error}") from None
    if not isinstance(body, dict):
        raise Refused(400, f"json: cannot unmarshal {_go_type(body)} into Go value of type api.ChatRequest")
    return body


def model_asked(body: Mapping[str, Json]) -> Model:
    """The model that a request names."""
    name = body.get("model") or body.get("name")
    if not isinstance(name, str) or not name:
        raise Refused(400, "model is required")
    found = model_of(name)
    if found is None:
        raise Refused(404, f"model '{name}' not found")
    return found


def refuse_thinking(body: Mapping[str, Json]) -> None:
    """These models think, if at all, in their content."""
    if body.get("think"):
        raise Refused(400, f'"{body.get("model")}" does not support thinking')


def messages_of(body: Mapping[str, Json]) -> list[dict[str, Json]]:
    """The messages of a native request: text only, arguments as objects."""
    messages = body.get("messages") or []
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise Refused(400, f"json: cannot unmarshal {_go_type(messages)} into Go struct field ChatRequest.messages")
    for message in messages:
        content = message.get("content")
        if content is not None and not isinstance(content, str):
            field = "ChatRequest.messages.content of type string"
            raise Refused(400, f"json: cannot unmarshal {_go_type(content)} into Go struct field {field}")
        for arguments in _arguments(message):
            if not isinstance(arguments, dict):
                field = "ChatRequest.messages.tool_calls.function.arguments of type map[string]interface {}"
                raise Refused(400, f"json: cannot unmarshal {_go_type(arguments)} into Go struct field {field}")
    return messages


def _arguments(message: Mapping[str, Json]) -> Iterable[Json]:
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            yield function.get("arguments", {})


def options_of(body: Mapping[str, Json]) -> Options:
    """`num_predict` and `stop` of a native request."""
    options = body.get("options") or {}
    most = options.get("num_predict") if isinstance(options, dict) else None
    if most is not None and (isinstance(most, bool) or not isinstance(most, int | float)):
        raise Refused(500, 'option "num_predict" must be of type integer')
    return limits(most, options.get("stop") if isinstance(options, dict) else None)


def limits(most: float | None, stop: Json) -> Options:
    """Options from numbers and words as clients write them; what is not above 0 is no limit."""
    words = [stop] if isinstance(stop, str) else stop if isinstance(stop, list) else []
    return Options(int(most) if most and most > 0 else None, tuple(word for word in words if isinstance(word, str)))


def texts_of(body: Mapping[str, Json]) -> list[str]:
    """The texts to be embedded: one, or a list."""
    given: Json = body.get("input")
    texts: list[Json] = given if isinstance(given, list) else [given]
    if not all(isinstance(text, str) for text in texts):
        raise Refused(400, "invalid input type")
    return texts


def dimensions_of(body: Mapping[str, Json]) -> int:
    """How long vectors are to be: as long as they are, or shorter."""
    length = body.get("dimensions") or EMBEDDING_LENGTH
    if not isinstance(length, int) or length < 1:
        raise Refused(400, "dimensions must be greater than zero")
    return min(length, EMBEDDING_LENGTH)


def _go_type(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "bool"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"
