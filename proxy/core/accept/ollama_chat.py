"""`POST /api/chat`: what Ollama's own clients send."""

from collections.abc import Mapping
from typing import Any, Final

from proxy.core.accept import fields
from proxy.core.ask import Ask, BadRequest, Message, PastCall, Role, Sampling

_ROLES: Final[dict[str, Role]] = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool"}
_UNDERSTOOD: Final = {"model", "messages", "tools", "stream", "format", "think"}
_SAMPLED: Final = {"temperature", "top_p", "seed", "num_predict", "presence_penalty", "frequency_penalty", "stop"}


def read(body: Mapping[str, Any]) -> Ask:
    """The `Ask` that a request body means."""
    options = body.get("options") or {}
    if not isinstance(options, dict):
        raise BadRequest(f"options must be an object, found {options!r:.80}", "options")
    rest = {key: value for key, value in body.items() if key not in _UNDERSTOOD}
    think = body.get("think")
    return Ask(
        model=fields.text(body, "model"),
        messages=fields.named(
            _message(message, f"messages[{at}]") for at, message in enumerate(fields.listed(body, "messages"))
        ),
        tools=fields.functions(body),
        stream=fields.flag(body, "stream", default=True),
        sampling=Sampling(
            temperature=fields.number(options, "temperature", "options."),
            top_p=fields.number(options, "top_p", "options."),
            seed=fields.whole(options, "seed", "options."),
            max_tokens=fields.whole(options, "num_predict", "options."),
            presence_penalty=fields.number(options, "presence_penalty", "options."),
            frequency_penalty=fields.number(options, "frequency_penalty", "options."),
            stop=fields.words(options, "stop", "options."),
        ),
        format=body.get("format") or None,
        think=think if isinstance(think, bool | str) else None,
        rest=rest | {"options": {key: value for key, value in options.items() if key not in _SAMPLED}},
    )


def _message(message: Mapping[str, Any], where: str) -> Message:
    role = _ROLES.get(str(message.get("role")).lower())
    if role is None:
        found = message.get("role")
        raise BadRequest(f"{where}.role must be system, user, assistant or tool, found {found!r}", f"{where}.role")
    content, images, calls = message.get("content"), message.get("images"), message.get("tool_calls")
    if content is not None and not isinstance(content, str):
        raise BadRequest(f"{where}.content must be a string, found {content!r:.80}", f"{where}.content")
    return Message(
        role,
        content or "",
        tuple(_image(image) for image in images) if isinstance(images, list) else (),
        tuple(_call(call) for call in calls if isinstance(call, dict)) if isinstance(calls, list) else (),
        str(message.get("thinking") or ""),
        str(message.get("tool_call_id") or ""),
        str(message.get("tool_name") or message.get("name") or "") if role == "tool" else "",
    )


def _image(data: object) -> Mapping[str, Any]:
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}


def _call(call: Mapping[str, Any]) -> PastCall:
    function = call.get("function")
    named = function if isinstance(function, dict) else {}
    arguments = fields.past_arguments(named.get("arguments"))
    return PastCall(str(call.get("id") or ""), str(named.get("name") or ""), arguments)
