"""`POST /v1/chat/completions`: what OpenAI's clients send, and what others send in its name.

Mended here, because model servers refuse or misread it: `content` that is null or a list of parts, the `developer`
role, argument strings that are no JSON, results of tools without a name or with an id that nobody gave.
"""

from collections.abc import Mapping
from typing import Any, Final

from proxy.core.accept import fields
from proxy.core.ask import Ask, BadRequest, Function, Message, PastCall, Role, Sampling

_ROLES: Final[dict[str, Role]] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
_EMPTY: Final = "(empty message)"
"""What Void writes for an assistant who only called a tool."""
_TEXT_PARTS: Final = {"text", "input_text", "output_text", "refusal"}
_UNDERSTOOD: Final = {
    *("model", "messages", "tools", "tool_choice", "parallel_tool_calls", "stream", "stream_options", "temperature"),
    *("top_p", "seed", "stop", "max_tokens", "max_completion_tokens", "presence_penalty", "frequency_penalty"),
    *("response_format", "reasoning_effort", "reasoning", "functions", "function_call"),
}


def read(body: Mapping[str, Any]) -> Ask:
    """The `Ask` that a request body means."""
    model = fields.text(body, "model")
    messages = fields.listed(body, "messages")
    if not messages:
        raise BadRequest("messages must be a list of at least one message, found none", "messages")
    if body.get("functions"):
        raise BadRequest("functions is the old form of tools, which is not spoken here; send tools", "functions")
    if (fields.whole(body, "n") or 1) != 1:
        raise BadRequest("n must be 1: one answer is given at a time; ask again for another", "n")
    tools, required = _chosen(fields.functions(body), body.get("tool_choice"))
    options = body.get("stream_options")
    return Ask(
        model=model,
        messages=fields.named(_message(message, f"messages[{at}]") for at, message in enumerate(messages)),
        tools=tools,
        required=required,
        parallel=fields.flag(body, "parallel_tool_calls", default=True),
        stream=fields.flag(body, "stream", default=False),
        usage=isinstance(options, dict) and options.get("include_usage") is True,
        sampling=_sampling(body),
        format=_format(body.get("response_format")),
        think=_think(body),
        rest={key: value for key, value in body.items() if key not in _UNDERSTOOD},
    )


def _sampling(body: Mapping[str, Any]) -> Sampling:
    tokens = fields.whole(body, "max_completion_tokens")
    return Sampling(
        temperature=fields.number(body, "temperature"),
        top_p=fields.number(body, "top_p"),
        seed=fields.whole(body, "seed"),
        max_tokens=fields.whole(body, "max_tokens") if tokens is None else tokens,
        presence_penalty=fields.number(body, "presence_penalty"),
        frequency_penalty=fields.number(body, "frequency_penalty"),
        stop=fields.words(body, "stop"),
    )


def _chosen(tools: tuple[Function, ...], choice: Any) -> tuple[tuple[Function, ...], bool]:
    """The tools that `tool_choice` leaves, and whether one of them must be called."""
    match choice:
        case None | "auto" | {"type": "auto"}:
            return tools, False
        case "none" | {"type": "none"}:
            return (), False
        case "required" | "any" | {"type": "required" | "any"}:
            return tools, _some(tools)
        case {"type": "allowed_tools", "allowed_tools": {"tools": list() as listed} as allowed}:
            names = {_name(one) for one in listed if isinstance(one, dict)}
            left = tuple(tool for tool in tools if tool.name in names)
            return left, allowed.get("mode") == "required" and _some(left)
        case dict():
            name = _name(choice)
            left = tuple(tool for tool in tools if tool.name == name)
            if left:
                return left, True
            offered = ", ".join(tool.name for tool in tools) or "none"
            raise BadRequest(f"tool_choice names {name!r}, which is not among the tools: {offered}", "tool_choice")
    raise BadRequest(
        f'tool_choice must be "none", "auto", "required" or {{"type": "function", "function": {{"name": ...}}}}, '
        f"found {choice!r}",
        "tool_choice",
    )


def _some(tools: tuple[Function, ...]) -> bool:
    if not tools:
        raise BadRequest("tool_choice demands a call, but there are no tools; send tools with it", "tool_choice")
    return True


def _name(choice: Mapping[str, Any]) -> str:
    function = choice.get("function", choice)
    return str(function.get("name")) if isinstance(function, Mapping) else ""


def _format(wanted: Any) -> Any:
    match wanted:
        case None | {"type": "text"}:
            return None
        # The second is how llama.cpp documents it.
        case {"type": "json_schema", "json_schema": {"schema": dict() as schema}} | {
            "type": "json_object",
            "schema": dict() as schema,
        }:
            return schema
        case {"type": "json_object"}:
            return "json"
        case {"type": "json_schema"}:
            raise BadRequest("response_format.json_schema.schema must be an object", "response_format")
    raise BadRequest(
        f"response_format.type must be text, json_object or json_schema, found {wanted!r:.80}", "response_format"
    )


def _think(body: Mapping[str, Any]) -> str | None:
    reasoning = body.get("reasoning")
    effort = body.get("reasoning_effort") or (reasoning.get("effort") if isinstance(reasoning, dict) else None)
    return effort if isinstance(effort, str) else None


# ---- messages


def _message(message: Mapping[str, Any], where: str) -> Message:
    role = _ROLES.get(str(message.get("role")).lower())
    if role is None:
        raise BadRequest(
            f"{where}.role must be system, developer, user, assistant or tool, found {message.get('role')!r}",
            f"{where}.role",
        )
    text, parts = _content(message.get("content"), f"{where}.content")
    calls = _calls(message) if role == "assistant" else ()
    if calls and text == _EMPTY:
        text = ""
    reasoning = message.get("reasoning_content") or message.get("reasoning")
    return Message(
        role,
        text,
        parts,
        calls,
        reasoning if isinstance(reasoning, str) else "",
        str(message.get("tool_call_id") or ""),
        str(message.get("name") or "") if role == "tool" else "",
    )


def _content(content: Any, where: str) -> tuple[str, tuple[Mapping[str, Any], ...]]:
    """The text of a message, and its parts that are no text."""
    match content:
        case None:
            return "", ()
        case str():
            return content, ()
        case list():
            texts, parts = list[str](), list[Mapping[str, Any]]()
            for at, part in enumerate(content):
                match part:
                    case str():
                        texts.append(part)
                    case {"type": kind, **rest} if kind in _TEXT_PARTS:
                        texts.append(str(rest.get("text") or rest.get("refusal") or ""))
                    case {"type": str()}:
                        parts.append(part)
                    case _:
                        raise BadRequest(f'{where}[{at}] must be {{"type": "text", "text": ...}}', f"{where}[{at}]")
            return "\n".join(text for text in texts if text), tuple(parts)
    raise BadRequest(f"{where} must be a string, null or a list of parts, found {content!r:.80}", where)


def _calls(message: Mapping[str, Any]) -> tuple[PastCall, ...]:
    found = []
    listed = message.get("tool_calls")
    legacy = message.get("function_call")
    for call in [*(listed if isinstance(listed, list) else ()), *([{"function": legacy}] if legacy else ())]:
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict) and isinstance(function.get("name"), str):
            arguments = fields.past_arguments(function.get("arguments"))
            found.append(PastCall(str(call.get("id") or ""), function["name"], arguments))
    return tuple(found)
