"""What a scripted model answers: it picks a tool by the words of the request, or tells what the tools have said.

    tools offered, the request fits one    -> a call, its arguments taken from the request
    the last messages are results          -> an answer in words that quotes them
    `format` asks for JSON                 -> JSON that fits
    anything else                          -> a friendly sentence

The same conversation always gets the same answer.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from proxy.core.schema import Schema
from proxy.upstream.demo.filling import arguments, filled, several
from proxy.upstream.demo.offered import Tool, offered
from proxy.upstream.demo.retelling import Result, retold
from proxy.upstream.demo.speech import Call
from proxy.upstream.demo.words import concepts, is_korean, stems

Json = Any
Message = Mapping[str, Json]

_RESPONSE: Final = "<tool_response"
_RESPONSE_END: Final = "</tool_response>"
_NAME: Final = re.compile(r'\sname="([^"]*)"')
_LONGEST: Final = 8_000
"""How much of a message a request is looked for in."""
_ASIDE: Final = re.compile(r"<(environment_details|system-reminder|context)>.*?</\1>", re.DOTALL)
_TASK: Final = re.compile(r"<(task|user_query|user_message)>\s*(.*?)\s*</\1>", re.DOTALL)
_GREETING: Final = re.compile(
    r"(?:(?:hi|hello|hey|yo|howdy|there|good|morning|evening|afternoon|thanks?|thank|you|bye|ok|okay"
    r"|안녕(?:하세요|하십니까)?|반가워요?|고마워요?|감사합니다|네|응)\W*)+",
    re.IGNORECASE,
)
_USE_A_TOOL: Final = re.compile(
    r"\b(?:use|call|invoke|run|try)\b.*\b(?:tools?|functions?)\b|(?:도구|함수|툴).*(?:사용|호출|써|불러|실행)",
    re.IGNORECASE | re.DOTALL,
)
_ONLY_ONE: Final = re.compile(
    r"\bat most one\b|\bonly one\b|\bone (?:call|tool|block) at a time\b|\bsingle (?:call|tool)\b|하나만|한 번만",
    re.IGNORECASE,
)
_DEMAND: Final = re.compile(r"\s*You must call a tool now\..*\Z", re.DOTALL)
_LAST: Final = re.compile(r"final|finish|result|answer|output|respon|report|submit|complet", re.IGNORECASE)
"""Names of tools that clients offer for the answer itself, to get it in a form."""
_GO_ON: Final = re.compile(r"(?:and|what about|how about|now|also)\b|그럼|그러면|그리고", re.IGNORECASE)
_SAY: Final = re.compile(
    r"(?:please\s+)?(?:say|repeat|(?:reply|respond|answer)(?: with)?|echo|print)\s*(?:exactly|only|just|the word)?"
    r"\s*:?\s*(.+)",
    re.IGNORECASE | re.DOTALL,
)
_DESCRIBED: Final = 25
"""How many words of a description count: the first ones say what a tool is for."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Words, then calls."""

    text: str
    calls: tuple[Call, ...] = ()


def answer(messages: Sequence[Message], declared: object = None, form: object = None) -> Answer:
    """The next turn of the assistant; `declared` is the `tools` of the request, `form` its `format`."""
    tools = offered(declared, messages)
    messages = _undemanded(messages)
    request, results = _request(messages), _results(messages)
    tool = None if results else _chosen(tools, request, messages)
    if form:
        return Answer(json.dumps(_formed(form, request, results, tools, tool), ensure_ascii=False))
    if results:
        return Answer(retold(results, korean=is_korean(request)))
    if tool is None:
        return Answer(_words(request, tools))
    found = several(Schema(tool.parameters), request, tool=tool.name)
    if any(_ONLY_ONE.search(_text(message)) for message in messages if message.get("role") in {"system", "user"}):
        found = found[:1]
    return Answer("", tuple(Call(tool.name, one) for one in found))


# ---- what was said


def _undemanded(messages: Sequence[Message]) -> list[Message]:
    """The messages without the proxy's demand for a call, which is no part of what was asked."""
    found = [{**message, "content": _DEMAND.sub("", _text(message))} for message in messages]
    return [one for one, message in zip(found, messages, strict=True) if one["content"] or not _text(message)]


def _text(message: Message) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else ""


def _request(messages: Sequence[Message]) -> str:
    """What the user asked last."""
    for message in reversed(messages):
        if message.get("role") != "user":
            continue
        text = _ASIDE.sub("", _responses(_text(message))[1][:_LONGEST])
        task = _TASK.search(text)
        text = task[2] if task else text.strip()
        if text:
            return text
    return ""


def _results(messages: Sequence[Message]) -> list[Result]:
    """The results that the conversation ends with."""
    if messages and messages[-1].get("role") == "user":
        return _responses(_text(messages[-1]))[0]
    names = {identity: name for message in messages for identity, name in _called(message)}
    last = len(messages)
    while last and messages[last - 1].get("role") == "tool":
        last -= 1
    return [
        Result(message.get("tool_name") or names.get(str(message.get("tool_call_id"))) or "", _text(message))
        for message in messages[last:]
    ]


def _responses(text: str) -> tuple[list[Result], str]:
    """The results that stand in a message between `<tool_response>` tags, and the text around them."""
    *parts, around = text.split(_RESPONSE_END)
    results: list[Result] = []
    for part in reversed(parts):
        before, _, inside = part.partition(_RESPONSE)
        head, _, body = inside.partition(">")
        name = _NAME.search(head)
        results.insert(0, Result(name[1] if name else "", body.strip()))
        around = before + around
    return results, around


def _called(message: Message) -> list[tuple[str, str]]:
    """The calls of a message: id and name."""
    calls = message.get("tool_calls")
    return [
        (str(call.get("id")), str(call["function"].get("name")))
        for call in (calls if isinstance(calls, list) else ())
        if isinstance(call, dict) and isinstance(call.get("function"), dict)
    ]


# ---- which tool


def _chosen(tools: list[Tool], request: str, messages: Sequence[Message]) -> Tool | None:
    if not tools or not request or _GREETING.fullmatch(request.strip()):
        return None
    scores = [_score(tool, request) for tool in tools]
    best = max(scores)
    if best > 0:
        return tools[scores.index(best)]
    if _GO_ON.match(request.strip()) and (again := _last_called(tools, messages)):
        return again
    return tools[0] if _USE_A_TOOL.search(request) else None


def _score(tool: Tool, request: str) -> float:
    """How well the words of a request fit a tool; 0: not at all."""
    if re.search(rf"(?<!\w){re.escape(tool.name)}(?!\w)", request) and len(stems(tool.name)) > 0:
        return 1000
    asked, name = set(concepts(request)), set(concepts(tool.name))
    described = set(concepts(tool.description)[:_DESCRIBED])
    parameters = set(concepts(_parameter_words(tool.parameters)))
    filling = arguments(Schema(tool.parameters), request, tool=tool.name)
    overlap = 4 * len(asked & name) + 2 * len(asked & parameters - name) + len(asked & described - name - parameters)
    if not overlap and not filling.typed:
        return 0
    exact = len(set(stems(request)) & set(stems(tool.name)))
    score = overlap + 3 * filling.typed + filling.found - filling.invented + 0.5 * exact - 0.25 * len(name - asked)
    return max(score, 0.1)


def _parameter_words(schema: dict[str, Json]) -> str:
    properties = schema.get("properties")
    words: list[str] = []
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        words.append(name)
        if isinstance(inner, dict):
            words += [str(choice) for choice in inner.get("enum") or ()]
    return " ".join(words)


def _last_called(tools: list[Tool], messages: Sequence[Message]) -> Tool | None:
    """`And in London?` is about the tool that was called before."""
    known = {tool.name: tool for tool in tools}
    names = [name for message in messages for _, name in _called(message) if name in known]
    return known[names[-1]] if names else None


# ---- JSON and words


def _formed(form: object, request: str, results: list[Result], tools: list[Tool], fitting: Tool | None) -> Json:
    """A value that fits `form`: a JSON Schema, or just "json". `fitting` is the tool that the request is for."""
    said = retold(results, korean=is_korean(request)) if results else ""
    if not isinstance(form, dict):
        if fitting:
            return _call(fitting, Schema(fitting.parameters), request)
        return {"answer": said or _words(request, tools)}
    shapes = [one for one in form.get("anyOf") or form.get("oneOf") or [form] if isinstance(one, dict)]
    calls = {name: one for one in shapes for name in _names(one)}
    answers = [one for one in shapes if not _names(one)]
    if calls and answers and fitting is None:
        return filled(Schema(answers[0], form), said or request)
    if calls:
        able = [tool for tool in tools if tool.name in calls] or [Tool(name, "", {"type": "object"}) for name in calls]
        if results:
            heard = {result.tool for result in results}
            able = [tool for tool in able if tool.name not in heard] or able
        tool = max(able, key=lambda tool: (bool(results and _LAST.search(tool.name)), _score(tool, request)))
        declared = Schema(calls[tool.name], form).property("arguments")
        schema = declared if declared.properties else Schema(tool.parameters)
        return {"name": tool.name, "arguments": filled(schema, said)} if said else _call(tool, schema, request)
    return filled(Schema(form), said or request)


def _call(tool: Tool, schema: Schema, request: str) -> Json:
    return {"name": tool.name, "arguments": arguments(schema, request, tool=tool.name).arguments}


def _names(shape: dict[str, Json]) -> list[str]:
    """The tools that a schema of a call, `{"name", "arguments"}`, lets one name."""
    properties = Schema(shape).properties
    return [str(name) for name in properties["name"].choices or ()] if {"name", "arguments"} <= set(properties) else []


def _words(request: str, tools: list[Tool]) -> str:
    if asked := _SAY.fullmatch(request.strip()):
        return asked[1].strip().strip("\"'“”")
    names = ", ".join(tool.name for tool in tools)
    if is_korean(request):
        seen = f"쓸 수 있는 도구: {names}." if tools else "지금은 쓸 수 있는 도구가 없습니다."
        return f"안녕하세요! 저는 진짜 모델을 대신하는 각본 모델입니다. {seen} 도구가 필요한 것을 물어보세요."
    seen = f"The tools I can use: {names}." if tools else "No tools were offered to me."
    return f"Hello! I am a scripted model that stands in for a real one. {seen} Ask me for something that needs a tool."
