"""What OpenAI's clients send and model servers would refuse or misread (rules Q and M), seen from the server's side."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from running import TOOLS, USER, FakeServer, Proxy, proxy

CALLED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "call_a", "type": "function", "function": {"name": "find_ferry", "arguments": '{"to": "Coll"}'}},
        {"id": "call_b", "type": "function", "function": {"name": "ping_depot", "arguments": ""}},
    ],
}


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    with FakeServer() as found:
        yield found


@pytest.fixture(scope="module")
def front(server: FakeServer) -> Iterator[Proxy]:
    """The proxy in front of an Ollama."""
    with proxy(server.url) as found:
        yield found


@pytest.fixture(scope="module")
def front_of_openai(server: FakeServer) -> Iterator[Proxy]:
    """The proxy in front of an OpenAI-compatible server."""
    with proxy(server.openai_url) as found:
        yield found


@pytest.fixture(scope="module")
def prompting(server: FakeServer) -> Iterator[Proxy]:
    """The proxy in front of an Ollama, with all tools in the prompt."""
    with proxy(server.url, models={"*": {"tools": "prompt"}}) as found:
        yield found


@pytest.fixture(scope="module")
def thinker() -> Iterator[FakeServer]:
    """An Ollama whose model can think."""
    with FakeServer(capabilities=["completion", "tools", "thinking"]) as found:
        found.says("Hello.")
        yield found


@pytest.fixture(scope="module")
def front_of_thinker(thinker: FakeServer) -> Iterator[Proxy]:
    with proxy(thinker.url) as found:
        yield found


@pytest.fixture(autouse=True)
def _polite(server: FakeServer) -> None:
    server.says("Hello.")


def asked(front: Proxy, server: FakeServer, **body: Any) -> Any:
    """What the model server was asked; the answer must have been a good one."""
    response = front.post(**body)
    assert response.status_code == 200, response.text
    assert response.json()["choices"][0]["message"]["content"] == "Hello."
    return server.chats[-1].body


def said(front: Proxy, server: FakeServer, *messages: dict[str, Any]) -> Any:
    return asked(front, server, messages=list(messages), tools=TOOLS)["messages"]


def refused(front: Proxy, **body: Any) -> dict[str, Any]:
    response = front.post(**body)
    assert response.status_code == 400, response.text
    error: dict[str, Any] = response.json()["error"]
    assert error["type"] == "invalid_request_error"
    return error


# ---- messages

ONE_MESSAGE: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "Q1 text parts are one text": (
        {"role": "user", "content": [{"type": "text", "text": "To Coll."}, {"type": "text", "text": "Two seats."}]},
        {"role": "user", "content": "To Coll.\nTwo seats."},
    ),
    "Q1 parts of the Responses API, bare strings and empty parts": (
        {"role": "user", "content": [{"type": "input_text", "text": "To"}, "Coll", {"type": "text", "text": ""}]},
        {"role": "user", "content": "To\nColl"},
    ),
    "Q1 cache_control in a part": (
        {"role": "user", "content": [{"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}}]},
        {"role": "user", "content": "Hi"},
    ),
    "Q1 developer is system": (
        {"role": "developer", "content": "Be brief."},
        {"role": "system", "content": "Be brief."},
    ),
    "Q1 the role in capitals": ({"role": "User", "content": "Hi"}, {"role": "user", "content": "Hi"}),
    "Q1 unknown keys of a message": (
        {"role": "user", "content": "Hi", "name": "kim", "anthropicReasoning": None, "cache_control": {}},
        {"role": "user", "content": "Hi"},
    ),
    "null content of a user": ({"role": "user", "content": None}, {"role": "user", "content": ""}),
    "absent content of an assistant": ({"role": "assistant"}, {"role": "assistant", "content": ""}),
    "an empty list of calls, or none at all": (
        {"role": "assistant", "content": "Hi", "tool_calls": [], "function_call": None},
        {"role": "assistant", "content": "Hi"},
    ),
    "a refusal": (
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
        {"role": "assistant", "content": "No."},
    ),
    "reasoning of an earlier turn": (
        {"role": "assistant", "content": "Hi", "reasoning_content": "Greet."},
        {"role": "assistant", "content": "Hi", "thinking": "Greet."},
    ),
    "an image as a data URL": (
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "What is this?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk=", "detail": "low"}},
            ],
        },
        {"role": "user", "content": "What is this?", "images": ["aGk="]},
    ),
    "an image whose URL stands bare": (
        {"role": "user", "content": [{"type": "image_url", "image_url": "data:;base64,aGk="}]},
        {"role": "user", "content": "", "images": ["aGk="]},
    ),
}


@pytest.mark.parametrize(("sent", "heard"), ONE_MESSAGE.values(), ids=ONE_MESSAGE)
def test_a_message_is_said_in_words_that_ollama_takes(
    front: Proxy, server: FakeServer, sent: dict[str, Any], heard: dict[str, Any]
) -> None:
    assert said(front, server, sent, *USER) == [heard, *USER]


@pytest.mark.parametrize("content", [None, "", "(empty message)", [], "absent"], ids=str)
def test_an_assistant_who_only_called_has_said_nothing(front: Proxy, server: FakeServer, content: Any) -> None:
    """Q2."""
    message = {key: value for key, value in CALLED.items() if key != "content"}
    if content != "absent":
        message["content"] = content
    heard = said(front, server, *USER, message, {"role": "tool", "tool_call_id": "call_a", "content": "At nine."})
    assert heard[1]["content"] == ""
    assert [call["function"]["name"] for call in heard[1]["tool_calls"]] == ["find_ferry", "ping_depot"]


def test_what_is_said_beside_a_call_stays(front: Proxy, server: FakeServer) -> None:
    heard = said(front, server, *USER, CALLED | {"content": "Let me look."})
    assert heard[1]["content"] == "Let me look."


ARGUMENTS: dict[str, tuple[Any, dict[str, Any]]] = {
    "a string of JSON": ('{"to": "Coll", "seats": 2}', {"to": "Coll", "seats": 2}),
    "an object": ({"to": "Coll"}, {"to": "Coll"}),
    "nothing": ("", {}),
    "white space": (" \n", {}),
    "null": (None, {}),
    "the word null": ("null", {}),
    "a list": ('["Coll"]', {"input": ["Coll"]}),
    "single quotes": ("{'to': 'Coll'}", {"to": "Coll"}),
    "cut off": ('{"to": "Coll", "seats": 2', {"to": "Coll", "seats": 2}),
    "text": ("ls -R", {"input": "ls -R"}),
    "a string that holds the object": ('"{\\"to\\": \\"Coll\\"}"', {"to": "Coll"}),
    "nested without an end": ("[" * 5000, {"input": "[" * 5000}),
}


@pytest.mark.parametrize(("written", "heard"), ARGUMENTS.values(), ids=ARGUMENTS)
def test_broken_arguments_in_the_history_do_not_block_the_conversation(
    front: Proxy, server: FakeServer, written: Any, heard: dict[str, Any]
) -> None:
    call = {"id": "call_a", "type": "function", "function": {"name": "find_ferry", "arguments": written}}
    messages = said(front, server, *USER, {"role": "assistant", "tool_calls": [call]})
    assert messages[1]["tool_calls"] == [{"id": "call_a", "function": {"name": "find_ferry", "arguments": heard}}]


def result(call_id: Any, content: Any = "At nine.", **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content} | more


RESULTS: dict[str, tuple[list[dict[str, Any]], list[tuple[str, str]]]] = {
    "by id, in any order": (
        [CALLED, result("call_b", "pong"), result("call_a")],
        [("ping_depot", "pong"), ("find_ferry", "At nine.")],
    ),
    "Q3 ids that nobody gave, by order": (
        [CALLED, result("x1"), result("x2", "pong")],
        [("find_ferry", "At nine."), ("ping_depot", "pong")],
    ),
    "Q3 empty ids, by order": (
        [CALLED, result(""), result("", "pong")],
        [("find_ferry", "At nine."), ("ping_depot", "pong")],
    ),
    "Q3 no id at all": (
        [CALLED, {"role": "tool", "content": "At nine."}],
        [("find_ferry", "At nine.")],
    ),
    "the client's own name": ([CALLED, result("x", name="find_train")], [("find_train", "At nine.")]),
    "the old role": (
        [
            {"role": "assistant", "content": None, "function_call": {"name": "find_ferry", "arguments": "{}"}},
            {"role": "function", "name": "find_ferry", "content": "At nine."},
        ],
        [("find_ferry", "At nine.")],
    ),
    "more results than calls": (
        [CALLED, result("call_a"), result("call_b", "pong"), result("call_c", "?")],
        [("find_ferry", "At nine."), ("ping_depot", "pong"), ("tool", "?")],
    ),
    "results behind calls that came one a message": (
        [
            {"role": "assistant", "tool_calls": CALLED["tool_calls"][:1]},  # type: ignore[index]  # a list
            {"role": "assistant", "tool_calls": CALLED["tool_calls"][1:]},  # type: ignore[index]  # a list
            result("call_a"),
            result("call_b", "pong"),
        ],
        [("find_ferry", "At nine."), ("ping_depot", "pong")],
    ),
    "parts": (
        [CALLED, result("call_a", [{"type": "text", "text": "At nine"}, {"type": "text", "text": "and ten."}])],
        [("find_ferry", "At nine\nand ten.")],
    ),
    "nothing": ([CALLED, result("call_a", None)], [("find_ferry", "")]),
}


@pytest.mark.parametrize(("messages", "heard"), RESULTS.values(), ids=RESULTS)
def test_a_result_has_the_name_of_its_tool(
    front: Proxy, server: FakeServer, messages: list[dict[str, Any]], heard: list[tuple[str, str]]
) -> None:
    found = said(front, server, *USER, *messages)
    assert [(one["tool_name"], one["content"]) for one in found if one["role"] == "tool"] == heard


@pytest.mark.parametrize(
    "after",
    [
        pytest.param([], id="a result is the last message"),
        pytest.param([{"role": "user", "content": "And back?"}], id="a user speaks right after a result"),
        pytest.param([{"role": "assistant", "content": "Nine."}, *USER], id="an answer, then the user"),
    ],
)
def test_a_conversation_may_go_on_after_results_in_any_way(
    front: Proxy, server: FakeServer, after: list[dict[str, Any]]
) -> None:
    """Q6."""
    heard = said(front, server, *USER, CALLED, result("call_a"), result("call_b"), *after)
    assert [one["role"] for one in heard] == ["user", "assistant", "tool", "tool", *(one["role"] for one in after)]


@pytest.mark.parametrize("named", [{"tool_name": "ping_depot"}, {"tool_call_id": "call_b"}], ids=str)
def test_a_result_from_an_ollama_client_has_the_name_of_its_tool(
    front: Proxy, server: FakeServer, named: dict[str, str]
) -> None:
    calls = [
        {"id": "call_a", "function": {"name": "find_ferry", "arguments": {"to": "Coll"}}},
        {"id": "call_b", "function": {"name": "ping_depot", "arguments": {}}},
    ]
    messages = [*USER, {"role": "assistant", "tool_calls": calls}, {"role": "tool", "content": "pong"} | named]
    assert front.post("/api/chat", messages=messages, tools=TOOLS).status_code == 200
    assert server.chats[-1].body["messages"][2]["tool_name"] == "ping_depot"


def test_an_openai_server_gets_the_same_conversation_in_its_own_words(
    front_of_openai: Proxy, server: FakeServer
) -> None:
    image = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    heard = said(
        front_of_openai,
        server,
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "What is this?"}, image]},
        CALLED | {"reasoning_content": "A ferry?"},
        result("call_b", "pong"),
        result("x"),
    )
    assert heard == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "What is this?"}, image]},
        {
            "role": "assistant",
            "content": "",
            "reasoning_content": "A ferry?",
            "tool_calls": [
                {"id": "call_a", "type": "function", "function": {"name": "find_ferry", "arguments": '{"to":"Coll"}'}},
                {"id": "call_b", "type": "function", "function": {"name": "ping_depot", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "call_b", "content": "pong"},
        {"role": "tool", "tool_call_id": "call_a", "content": "At nine."},
    ]


# ---- tools


def heard_schema(front: Proxy, server: FakeServer, parameters: Any) -> Any:
    tool = {"type": "function", "function": {"name": "find_ferry", "description": "Find.", "parameters": parameters}}
    (tool,) = asked(front, server, tools=[tool])["tools"]
    assert tool.keys() == {"type", "function"}
    assert tool["function"].keys() == {"name", "description", "parameters"}
    return tool["function"]["parameters"]


def an_object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


TEXT = {"type": "string"}
POINT = an_object(x={"type": "number"}) | {"required": ["x"]}
SCHEMAS: dict[str, tuple[Any, dict[str, Any]]] = {
    "Q5 untyped properties stay untyped": (
        an_object(to={"description": "Where."}),
        an_object(to={"description": "Where."}),
    ),
    "Q5 without a type": ({"properties": {"to": TEXT}}, an_object(to=TEXT)),
    "Q5 without properties": ({"type": "object"}, an_object()),
    "Q5 none": (None, an_object()),
    "Q5 an empty one": ({}, an_object()),
    "Q5 strict and additionalProperties": (
        an_object(to=TEXT) | {"additionalProperties": False, "strict": True, "$schema": "https://json-schema.org"},
        an_object(to=TEXT),
    ),
    "an empty list of properties, as PHP writes it": ({"type": "object", "properties": []}, an_object()),
    "a list of types": (an_object(to={"type": ["string", "null"]}), an_object(to={"type": ["string", "null"]})),
    "a reference": (
        an_object(at={"$ref": "#/$defs/Point"}) | {"$defs": {"Point": POINT}},
        an_object(at=POINT),
    ),
    "a reference with words of its own": (
        an_object(at={"$ref": "#/definitions/Point", "description": "Here."}) | {"definitions": {"Point": POINT}},
        an_object(at=POINT | {"description": "Here."}),
    ),
    "a reference into nothing": (an_object(at={"$ref": "#/$defs/None"}), an_object(at={})),
    "oneOf": (an_object(to={"oneOf": [TEXT, {"type": "null"}]}), an_object(to={"anyOf": [TEXT, {"type": "null"}]})),
    "allOf": (
        an_object(at={"allOf": [POINT, an_object(y={"type": "number"})]}),
        an_object(at=an_object(y={"type": "number"}, x={"type": "number"}) | {"required": ["x"]}),
    ),
    "a constant": (an_object(kind={"const": "ferry"}), an_object(kind={"enum": ["ferry"]})),
    "what can only be told in words": (
        an_object(seats={"type": "integer", "description": "How many.", "minimum": 1, "default": 2, "title": "Seats"}),
        an_object(seats={"type": "integer", "description": "How many. (default 2, at least 1)"}),
    ),
    "lists of objects": (
        an_object(all={"type": "array", "items": {"$ref": "#/$defs/Point"}}) | {"$defs": {"Point": POINT}},
        an_object(all={"type": "array", "items": POINT}),
    ),
    "a choice of what is required": (
        an_object(to=TEXT, home=TEXT, day=TEXT)
        | {"required": ["day"], "anyOf": [{"required": ["to"]}, {"required": ["home"]}]},
        an_object(to=TEXT, home=TEXT, day=TEXT) | {"required": ["day"]},
    ),
    "a choice by a constant": (
        {"anyOf": [an_object(kind={"const": "go"}, to=TEXT), an_object(kind={"const": "stop"})]},
        an_object(kind={"enum": ["go", "stop"]}, to=TEXT),
    ),
    "a choice of whole objects": (
        {
            "oneOf": [
                an_object(to=TEXT, seats={"type": "integer"}) | {"required": ["to", "seats"]},
                an_object(to=TEXT, home={"type": "boolean"}) | {"required": ["to"]},
            ]
        },
        an_object(to=TEXT, seats={"type": "integer"}, home={"type": "boolean"}) | {"required": ["to"]},
    ),
    "nulls and wrong types where a schema should be": (
        {
            "type": "object",
            "description": 5,
            "required": None,
            "properties": {
                "a": True,
                "b": None,
                "c": {"type": None, "enum": None, "items": True, "description": None},
                "d": {"type": "array", "items": [TEXT], "required": "x", "enum": "a"},
                "e": {"anyOf": None, "allOf": [None, {"properties": [], "required": None}], "properties": None},
                "f": {"type": 7, "required": [1, "x"]},
            },
        },
        an_object(a={}, b={}, c={}, d={"type": "array"}, e={}, f={"required": ["x"]}),
    ),
}


@pytest.mark.parametrize(("sent", "heard"), SCHEMAS.values(), ids=SCHEMAS)
def test_a_schema_keeps_its_meaning_in_the_words_that_ollama_keeps(
    front: Proxy, server: FakeServer, sent: Any, heard: dict[str, Any]
) -> None:
    assert heard_schema(front, server, sent) == heard


@pytest.mark.parametrize(("sent", "heard"), SCHEMAS.values(), ids=SCHEMAS)
def test_any_schema_can_be_demanded_and_said_in_a_prompt(
    front: Proxy, prompting: Proxy, server: FakeServer, sent: Any, heard: dict[str, Any]
) -> None:
    tool = {"type": "function", "function": {"name": "find_ferry", "parameters": sent}}
    body = asked(front, server, tools=[tool], tool_choice="required")
    assert body["format"]["properties"]["arguments"]["properties"].keys() == heard["properties"].keys()
    body = asked(prompting, server, tools=[tool])
    assert '"name":"find_ferry"' in body["messages"][0]["content"]


def test_a_schema_that_holds_itself_has_an_end(front: Proxy, server: FakeServer) -> None:
    node = an_object(**{name: {"$ref": "#/$defs/Node"} for name in ("left", "right", "up", "down")})
    heard = heard_schema(front, server, an_object(tree={"$ref": "#/$defs/Node"}) | {"$defs": {"Node": node}})
    assert heard["properties"]["tree"]["properties"].keys() == node["properties"].keys()
    assert len(json.dumps(heard)) < 2000


def test_tools_that_only_openai_runs_are_not_sent(front: Proxy, server: FakeServer) -> None:
    found = asked(front, server, tools=[{"type": "web_search"}, *TOOLS])
    assert [tool["function"]["name"] for tool in found["tools"]] == ["find_ferry", "ping_depot"]


CHOICES: dict[str, tuple[Any, list[str], bool]] = {
    "absent": (None, ["find_ferry", "ping_depot"], False),
    "auto": ("auto", ["find_ferry", "ping_depot"], False),
    "none": ("none", [], False),
    "required": ("required", ["find_ferry", "ping_depot"], True),
    "any, as Mistral says it": ("any", ["find_ferry", "ping_depot"], True),
    "named": ({"type": "function", "function": {"name": "ping_depot"}}, ["ping_depot"], True),
    "named as in the Responses API": ({"type": "function", "name": "ping_depot"}, ["ping_depot"], True),
    "one of some, or none": (
        {
            "type": "allowed_tools",
            "allowed_tools": {"mode": "auto", "tools": [{"type": "function", "function": {"name": "ping_depot"}}]},
        },
        ["ping_depot"],
        False,
    ),
    "one of some": (
        {
            "type": "allowed_tools",
            "allowed_tools": {"mode": "required", "tools": [{"type": "function", "function": {"name": "find_ferry"}}]},
        },
        ["find_ferry"],
        True,
    ),
}


@pytest.mark.parametrize(("choice", "names", "demanded"), CHOICES.values(), ids=CHOICES)
def test_the_choice_of_tools_is_made_before_the_model_sees_them(
    front: Proxy, server: FakeServer, choice: Any, names: list[str], *, demanded: bool
) -> None:
    body = asked(front, server, tools=TOOLS, tool_choice=choice)
    assert [tool["function"]["name"] for tool in body.get("tools", [])] == names
    assert ("format" in body) is demanded
    assert "tool_choice" not in body


def test_without_tools_or_with_none_chosen_what_looks_like_a_call_is_text(front: Proxy, server: FakeServer) -> None:
    """S1."""
    call = '<tool_call>{"name": "find_ferry", "arguments": {"to": "Coll"}}</tool_call>'
    server.says(call)
    bodies: list[dict[str, Any]] = [{}, {"tools": []}, {"tools": None}, {"tools": TOOLS, "tool_choice": "none"}]
    for body in bodies:
        choice = front.post(**body).json()["choices"][0]
        assert (choice["message"]["content"], choice["finish_reason"]) == (call, "stop")
        assert "tool_calls" not in choice["message"]


@pytest.mark.parametrize(("parallel", "calls"), [(True, 2), (None, 2), (False, 1)])
def test_no_second_call_where_the_client_wants_one(
    front: Proxy, server: FakeServer, parallel: bool | None, calls: int
) -> None:
    call = '<tool_call>\n{"name": "find_ferry", "arguments": {"to": "Coll"}}\n</tool_call>\n'
    server.says(call, call)
    body: dict[str, Any] = {"tools": TOOLS, "parallel_tool_calls": parallel}
    message = front.post(**body).json()["choices"][0]["message"]
    assert len(message["tool_calls"]) == calls
    assert len({piece["index"] for chunk in front.stream(**body) for piece in _calls(chunk)}) == calls


def _calls(chunk: dict[str, Any]) -> list[dict[str, Any]]:
    return [call for choice in chunk["choices"] for call in choice["delta"].get("tool_calls", [])]


WRITTEN: dict[str, tuple[Any, str, dict[str, Any]]] = {
    "Q5 an untyped property is left as it was written": (
        an_object(seats={"description": "How many."}),
        '{"seats": "2"}',
        {"seats": "2"},
    ),
    "an object behind allOf, as Pydantic 1 writes it": (
        an_object(at={"allOf": [{"$ref": "#/definitions/Point"}], "title": "At"}) | {"definitions": {"Point": POINT}},
        '{"at": {"x": "1.5"}}',
        {"at": {"x": 1.5}},
    ),
    "several objects behind allOf": (
        {"allOf": [POINT, an_object(y={"type": "number"})]},
        '{"x": "1", "y": "2"}',
        {"x": 1, "y": 2},
    ),
    "the second of two objects": (
        {
            "oneOf": [
                an_object(kind={"const": "go"}, to=TEXT) | {"required": ["kind", "to"]},
                an_object(kind={"const": "stop"}, now={"type": "boolean"}) | {"required": ["kind"]},
            ]
        },
        '{"kind": "stop", "now": "true"}',
        {"kind": "stop", "now": True},
    ),
}


@pytest.mark.parametrize(("parameters", "written", "meant"), WRITTEN.values(), ids=WRITTEN)
def test_arguments_are_typed_by_the_clients_own_schema(
    front: Proxy, server: FakeServer, parameters: Any, written: str, meant: dict[str, Any]
) -> None:
    server.says(f'{{"name": "act", "arguments": {written}}}')
    tool = {"type": "function", "function": {"name": "act", "parameters": parameters}}
    message = front.post(tools=[tool]).json()["choices"][0]["message"]
    assert json.loads(message["tool_calls"][0]["function"]["arguments"]) == meant


# ---- everything else in a request

ANSWER = an_object(port=TEXT) | {"required": ["port"], "additionalProperties": False}
OPTIONS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "nothing: the model's own values count": ({}, {}),
    "Q1 max_tokens": ({"max_tokens": 5}, {"options": {"num_predict": 5}}),
    "Q1 max_completion_tokens": ({"max_completion_tokens": 6}, {"options": {"num_predict": 6}}),
    "Q1 both: the newer counts": (
        {"max_tokens": 5, "max_completion_tokens": 6},
        {"options": {"num_predict": 6}},
    ),
    "one stop word": ({"stop": "END"}, {"options": {"stop": ["END"]}}),
    "stop words": ({"stop": ["END", "\n\n"]}, {"options": {"stop": ["END", "\n\n"]}}),
    "sampling": (
        {"temperature": 0, "top_p": 0.5, "seed": 7, "presence_penalty": 0.1, "frequency_penalty": 0.2},
        {
            "options": {
                "temperature": 0,
                "top_p": 0.5,
                "seed": 7,
                "presence_penalty": 0.1,
                "frequency_penalty": 0.2,
            }
        },
    ),
    "nulls, as some SDKs write what was not set": (
        dict.fromkeys(
            (
                *("temperature", "top_p", "seed", "stop", "max_tokens", "max_completion_tokens", "presence_penalty"),
                *("tools", "tool_choice", "parallel_tool_calls", "stream_options", "response_format", "n", "options"),
                *("reasoning_effort", "reasoning", "keep_alive", "frequency_penalty", "stream", "functions"),
            )
        ),
        {},
    ),
    "any JSON": ({"response_format": {"type": "json_object"}}, {"format": "json"}),
    "a schema": (
        {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "strict": True, "schema": ANSWER}}},
        {"format": ANSWER},
    ),
    "a schema as llama.cpp documents it": (
        {"response_format": {"type": "json_object", "schema": ANSWER}},
        {"format": ANSWER},
    ),
    "text": ({"response_format": {"type": "text"}}, {}),
    "Ollama's own options": (
        {"options": {"num_ctx": 9000, "top_k": 3}, "keep_alive": "10m"},
        {"options": {"num_ctx": 9000, "top_k": 3}, "keep_alive": "10m"},
    ),
    "Q1 unknown keys": (
        {"user": "kim", "store": False, "metadata": {"a": "b"}, "service_tier": "auto", "logit_bias": {"5": 1}},
        {},
    ),
}


@pytest.mark.parametrize(("sent", "heard"), OPTIONS.values(), ids=OPTIONS)
def test_what_else_a_request_says_reaches_ollama_in_its_words(
    front: Proxy, server: FakeServer, sent: dict[str, Any], heard: dict[str, Any]
) -> None:
    body = asked(front, server, **sent)
    assert body == {"model": "fake", "messages": USER, "stream": True} | heard


OPENAI_OPTIONS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "Q1 max_completion_tokens": ({"max_completion_tokens": 6}, {"max_tokens": 6}),
    "unknown keys: it may know them": ({"min_p": 0.1, "user": "kim"}, {"min_p": 0.1, "user": "kim"}),
    "what only Ollama knows": ({"options": {"num_ctx": 9000}, "keep_alive": 5}, {}),
    "any JSON": ({"response_format": {"type": "json_object"}}, {"response_format": {"type": "json_object"}}),
    "a schema": (
        {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": ANSWER}}},
        {"response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": ANSWER}}},
    ),
    "an effort": ({"reasoning_effort": "low"}, {"reasoning_effort": "low"}),
    "no effort": ({"reasoning_effort": "none"}, {"reasoning_effort": "none"}),
}


@pytest.mark.parametrize(("sent", "heard"), OPENAI_OPTIONS.values(), ids=OPENAI_OPTIONS)
def test_what_else_a_request_says_reaches_an_openai_server(
    front_of_openai: Proxy, server: FakeServer, sent: dict[str, Any], heard: dict[str, Any]
) -> None:
    body = asked(front_of_openai, server, **sent)
    plain = {"model": "fake", "messages": USER, "stream": True, "stream_options": {"include_usage": True}}
    assert body == plain | heard


EFFORTS: list[tuple[dict[str, Any], Any]] = [
    ({}, None),
    ({"reasoning_effort": "none"}, False),
    ({"reasoning_effort": "minimal"}, False),
    ({"reasoning_effort": "low"}, "low"),
    ({"reasoning_effort": "high"}, "high"),
    ({"reasoning_effort": "xhigh"}, "high"),
    ({"reasoning": {"effort": "medium"}}, "medium"),
]


@pytest.mark.parametrize(("sent", "think"), EFFORTS, ids=str)
def test_a_model_that_can_think_is_told_how_hard(
    front_of_thinker: Proxy, thinker: FakeServer, sent: dict[str, Any], think: Any
) -> None:
    assert asked(front_of_thinker, thinker, **sent).get("think") == think


@pytest.mark.parametrize(("sent", "think"), EFFORTS, ids=str)
def test_a_model_that_cannot_think_is_not_asked_to(
    front: Proxy, server: FakeServer, sent: dict[str, Any], think: Any
) -> None:
    """Ollama answers 400 `does not support thinking`."""
    del think
    assert "think" not in asked(front, server, **sent)


def test_tools_and_a_schema_for_the_answer_do_not_shut_each_other_out(front: Proxy, server: FakeServer) -> None:
    """Ollama's `format` binds from the first token: with the client's schema alone no call could be written."""
    wanted = an_object(at={"$ref": "#/$defs/Point"}) | {"$defs": {"Point": POINT}}
    schema = {"type": "json_schema", "json_schema": {"name": "a", "schema": wanted}}
    form = asked(front, server, tools=TOOLS, response_format=schema)["format"]
    assert form["$defs"] == wanted["$defs"]
    answer, *calls = form["anyOf"]
    assert answer["properties"] == wanted["properties"]
    assert [call["properties"]["name"]["enum"] for call in calls] == [["find_ferry"], ["ping_depot"]]


# ---- what cannot be mended

BAD: dict[str, tuple[dict[str, Any], str, str]] = {
    "no model": ({"model": None}, "model", "model must be a string that is not empty, found nothing"),
    "a model that is a number": ({"model": 5}, "model", "found an integer"),
    "no messages": ({"messages": []}, "messages", "at least one message"),
    "messages that are text": ({"messages": "Hi"}, "messages", "messages must be a list, found a string"),
    "a message that is text": ({"messages": ["Hi"]}, "messages[0]", "must be an object, found a string"),
    "an unknown role": (
        {"messages": [*USER, {"role": "bot", "content": "Hi"}]},
        "messages[1].role",
        "must be system, developer, user, assistant or tool, found 'bot'",
    ),
    "content that is a number": (
        {"messages": [{"role": "user", "content": 5}]},
        "messages[0].content",
        "must be a string, null or a list of parts, found 5",
    ),
    "a part without a type": (
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}, {"text": "Hi"}]}]},
        "messages[0].content[1]",
        '{"type": "text", "text": ...}',
    ),
    "an image on the web": (
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://a/b.png"}}]}]},
        "messages",
        "Ollama does not fetch images; send it as a data URL",
    ),
    "sound": (
        {"messages": [{"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "aGk="}}]}]},
        "messages",
        "found a part of type 'input_audio'",
    ),
    "tools that are an object": ({"tools": {}}, "tools", "tools must be a list"),
    "a tool without a name": ({"tools": [{"type": "function", "function": {}}]}, "tools[0]", "function.name"),
    "the old form of tools": ({"functions": [{"name": "find_ferry"}]}, "functions", "send tools"),
    "a choice that is none": ({"tools": TOOLS, "tool_choice": "maybe"}, "tool_choice", "found 'maybe'"),
    "a choice that was not offered": (
        {"tools": TOOLS, "tool_choice": {"type": "function", "function": {"name": "find_train"}}},
        "tool_choice",
        "'find_train', which is not among the tools: find_ferry, ping_depot",
    ),
    "a demand without tools": ({"tool_choice": "required"}, "tool_choice", "there are no tools"),
    "a number that is text": ({"temperature": "hot"}, "temperature", "must be a number, found a string"),
    "a flag that is text": ({"stream": "yes"}, "stream", "must be true or false, found a string"),
    "a stop that is a number": ({"stop": 5}, "stop", "a string or a list of strings"),
    "several answers with tools": ({"tools": TOOLS, "n": 2}, "n", "n must be 1"),
    "a form that nobody knows": (
        {"response_format": {"type": "yaml"}},
        "response_format",
        "response_format.type must be text, json_object or json_schema",
    ),
    "a schema that is missing": ({"response_format": {"type": "json_schema"}}, "response_format", "json_schema.schema"),
}


@pytest.mark.parametrize(("body", "param", "message"), BAD.values(), ids=BAD)
def test_a_bad_request_is_told_which_field_is_wrong(
    front: Proxy, body: dict[str, Any], param: str, message: str
) -> None:
    error = refused(front, **body)
    assert (error["param"], error["code"]) == (param, "bad_request")
    assert message in error["message"]


def test_a_missing_model_is_a_bad_request_wherever_models_are(server: FakeServer) -> None:
    with proxy(f"a={server.url}", f"b={server.openai_url}") as front:
        assert refused(front, model="")["param"] == "model"


@pytest.mark.parametrize(("data", "message"), [(b"{", "not JSON"), (b"[]", "must be a JSON object, found an array")])
def test_a_body_that_is_no_object_is_told_so(front: Proxy, data: bytes, message: str) -> None:
    response = httpx.post(f"{front.base_url}/chat/completions", content=data)
    assert response.status_code == 400
    assert message in response.json()["error"]["message"]


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer"}, {"Authorization": "Bearer sk-any"}], ids=str)
def test_any_key_or_none_is_accepted(front: Proxy, headers: dict[str, str]) -> None:
    """Q4."""
    assert front.post(headers=headers).status_code == 200


# ---- models and other endpoints


@pytest.mark.parametrize("prefix", ["", "/strict", "/off"])
def test_models_are_listed_as_openai_lists_them(front: Proxy, prefix: str) -> None:
    """M1."""
    listed = httpx.get(f"{front.url}{prefix}/v1/models").json()
    assert listed["object"] == "list"
    (model,) = listed["data"]
    assert model.keys() == {"id", "object", "created", "owned_by"}
    assert (model["id"], model["object"], model["created"]) == ("fake:latest", "model", 1767225600)


@pytest.mark.parametrize("name", ["fake:latest", "fake"])
def test_one_model_is_found_under_each_of_its_names(front: Proxy, name: str) -> None:
    """M1."""
    assert httpx.get(f"{front.base_url}/models/{name}").json()["id"] == name


def test_a_model_that_is_not_there_is_a_404(front: Proxy) -> None:
    """M1, E1."""
    response = httpx.get(f"{front.base_url}/models/hf.co/no/such")
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "model_not_found"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/version", None),
        ("GET", "/api/ps", None),
        ("POST", "/api/show", {"model": "fake"}),
        ("POST", "/api/generate", {"model": "fake", "prompt": "def a(", "suffix": "return b", "raw": True}),
        ("POST", "/api/embed", {"model": "fake", "input": "Hi"}),
        ("POST", "/v1/completions", {"model": "fake", "prompt": "def a(", "suffix": "return b", "max_tokens": 300}),
        ("POST", "/v1/embeddings", {"model": "fake", "input": ["Hi"]}),
    ],
)
def test_what_is_not_a_chat_is_passed_on_as_it_is(
    front: Proxy, server: FakeServer, method: str, path: str, body: Any
) -> None:
    """M2, M3."""
    through = httpx.request(method, front.url + path, json=body)
    request = server.requests[-1]
    assert (request.method, request.path, request.body) == (method, path, body)
    direct = httpx.request(method, server.url + path, json=body)
    assert (through.status_code, through.content) == (200, direct.content)


def test_ollamas_own_list_of_models_is_there(front: Proxy, server: FakeServer) -> None:
    """M2."""
    assert httpx.get(f"{front.url}/api/tags").json() == httpx.get(f"{server.url}/api/tags").json()


def test_completions_of_an_openai_server_keep_their_suffix(front_of_openai: Proxy, server: FakeServer) -> None:
    """M3."""
    body = {"model": "fake", "prompt": "def a(", "suffix": "return b"}
    assert httpx.post(f"{front_of_openai.base_url}/completions", json=body).json() == {"echo": body}
    assert server.requests[-1].path == "/v1/completions"
