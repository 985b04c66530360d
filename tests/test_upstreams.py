"""How model servers are asked: tools natively or by prompt, calls by demand, room for the prompt, facts read once."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from fake_server import Request, Status, done, line
from running import CALL, TOOLS, USER, FakeServer, Proxy, content_of, joined_call, proxy

from proxy.upstream import ollama_models

NO_TOOLS = Status(400, b'{"error":"registry.ollama.ai/library/fake:latest does not support tools"}')
BARE = '{"name": "find_ferry", "arguments": {"to": "Coll", "seats": 2}}'
PROMPT = """\
# Tools
You can use these tools. Each line is one tool.
<tools>
{"name":"find_ferry","description":"Find a ferry.","parameters":{"to":"string, required","seats":"integer, optional"}}
{"name":"ping_depot","description":"","parameters":{}}
</tools>

To use a tool, reply with one block per call and then stop:
<tool_call>
{"name": "find_ferry", "arguments": {"to":"example"}}
</tool_call>

Rules:
- Use a tool only if you need it. Otherwise answer normally, without a block.
- "name" must be one of: find_ferry, ping_depot.
- Put all required arguments in "arguments" as JSON values. Do not invent arguments.
- After a block write nothing. You will get the result in <tool_response>."""


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(context=131072) as found:
        found.says(CALL)
        yield found


@pytest.fixture
def front(server: FakeServer) -> Iterator[Proxy]:
    """The proxy in front of an Ollama."""
    with proxy(server.url) as found:
        yield found


@pytest.fixture
def front_of_openai(server: FakeServer) -> Iterator[Proxy]:
    """The proxy in front of an OpenAI-compatible server."""
    with proxy(server.openai_url) as found:
        yield found


@pytest.fixture
def prompting(server: FakeServer) -> Iterator[Proxy]:
    """The proxy in front of an Ollama whose model knows no tools."""
    server.capabilities = ["completion"]
    with proxy(server.url) as found:
        yield found


def calls(front: Proxy, **body: Any) -> None:
    """Ask with tools; the answer must be the call."""
    message = front.post(**{"tools": TOOLS} | body).json()["choices"][0]["message"]
    assert message["tool_calls"][0]["function"] == {"name": "find_ferry", "arguments": '{"to":"Coll","seats":2}'}


def is_native(request: Request) -> bool:
    """Were the tools in the request, or in the prompt? Never in both."""
    native, prompt = "tools" in request.body, "<tools>" in request.body["messages"][0]["content"]
    assert native is not prompt
    return native


def count(server: FakeServer, path: str) -> int:
    return sum(request.path == path for request in server.requests)


# ---- tools natively, or by prompt


@pytest.mark.parametrize(
    ("capabilities", "setting", "native"),
    [
        (["completion", "tools"], "auto", True),
        (["completion"], "auto", False),
        (None, "auto", True),
        (["completion"], "native", True),
        (["completion", "tools"], "prompt", False),
    ],
    ids=str,
)
def test_a_model_that_knows_no_tools_is_told_of_them_in_the_prompt(
    server: FakeServer, capabilities: list[str] | None, setting: str, native: bool
) -> None:
    server.capabilities = capabilities
    with proxy(server.url, models={"fake*": {"tools": setting}}) as front:
        calls(front)
        assert is_native(server.chats[-1]) is native


def test_a_refusal_of_tools_is_remembered_until_the_model_changes(front: Proxy, server: FakeServer) -> None:
    server.plays_once(NO_TOOLS)
    calls(front)
    calls(front)
    assert [is_native(chat) for chat in server.chats] == [True, False, False]
    server.digest = "sha256:2"
    front.client.get(f"{front.base_url}/models")
    server.plays_once(NO_TOOLS)
    assert joined_call(front.stream(tools=TOOLS)) == ("find_ferry", {"to": "Coll", "seats": 2})
    assert [is_native(chat) for chat in server.chats[3:]] == [True, False]


def test_gpt_oss_gets_its_tools_natively_unless_it_refuses_them(front: Proxy, server: FakeServer) -> None:
    """Ollama reads its answers for calls even if there are no tools."""
    server.template, server.capabilities = "<|start|>assistant<|channel|>", ["completion"]
    calls(front)
    server.plays_once(NO_TOOLS)
    calls(front)
    assert [is_native(chat) for chat in server.chats] == [True, True, False]


VLLM = b'{"object":"error","message":"\\"auto\\" tool choice requires --enable-auto-tool-choice to be set","code":400}'


@pytest.mark.parametrize(
    "refusal",
    [
        Status(400, VLLM),
        Status(400, b'{"error":{"message":"tools param requires --jinja flag","code":400}}'),
        Status(422, b'{"detail":[{"loc":["body","tools"],"msg":"Extra inputs are not permitted"}]}'),
        Status(500, b'{"error":{"code":500,"message":"Jinja Exception: This model does not support tools"}}'),
    ],
    ids=["vLLM", "llama.cpp", "a strict server", "a template"],
)
def test_an_openai_server_that_refuses_tools_gets_them_in_the_prompt(
    front_of_openai: Proxy, server: FakeServer, refusal: Status
) -> None:
    server.plays_once(refusal)
    calls(front_of_openai)
    calls(front_of_openai)
    assert [is_native(chat) for chat in server.chats] == [True, False, False]


@pytest.mark.parametrize(
    "refusal",
    [
        Status(401, b'{"error":{"message":"tools need a key"}}'),
        Status(400, b'{"error":{"message":"messages must alternate"}}'),
        Status(500, b'{"error":{"message":"CUDA error in function ggml_cuda_mul_mat"}}'),
        Status(400, b'{"error":{"message":"Invalid schema for function find_ferry"}}'),
    ],
    ids=["of the key", "of something else", "of a failure", "of one schema"],
)
def test_another_refusal_does_not_cost_a_model_its_tools(
    front_of_openai: Proxy, server: FakeServer, refusal: Status
) -> None:
    server.plays_once(refusal)
    assert front_of_openai.post(tools=TOOLS).status_code == (502 if refusal.status == 500 else refusal.status)
    calls(front_of_openai)
    assert [is_native(chat) for chat in server.chats] == [True, True]


def test_one_answer_that_a_server_could_not_read_does_not_cost_a_model_its_tools(
    front_of_openai: Proxy, server: FakeServer
) -> None:
    server.plays_once(Status(500, b'{"error":{"message":"failed to parse JSON: unexpected end of tool call"}}'))
    calls(front_of_openai)
    calls(front_of_openai)
    assert [is_native(chat) for chat in server.chats] == [True, False, True]


@pytest.mark.parametrize(
    ("props", "native"),
    [
        (None, True),
        ({"chat_template_caps": {"supports_tools": True}}, True),
        ({"chat_template_caps": {"supports_tools": False}}, False),
        ({"chat_template": "..."}, True),
    ],
    ids=str,
)
def test_llama_cpp_is_asked_whether_its_template_has_a_place_for_tools(
    front_of_openai: Proxy, server: FakeServer, props: dict[str, Any] | None, native: bool
) -> None:
    server.props = props
    calls(front_of_openai)
    calls(front_of_openai)
    assert [is_native(chat) for chat in server.chats] == [native, native]
    assert count(server, "/props") == 1


# ---- the prompt


def test_the_prompt_names_the_tools_and_shows_a_call(prompting: Proxy, server: FakeServer) -> None:
    calls(prompting)
    assert server.chats[-1].body == {
        "model": "fake",
        "messages": [{"role": "system", "content": PROMPT}, *USER],
        "stream": True,
        "options": {"temperature": 0.3, "stop": ["\n<tool_response"]},
    }


def test_the_prompt_stands_behind_the_clients_own_system_message(prompting: Proxy, server: FakeServer) -> None:
    messages = [
        {"role": "system", "content": "You are a clerk."},
        {"role": "developer", "content": "Be brief."},
        *USER,
        {"role": "user", "content": "Today."},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                {"id": "a", "function": {"name": "find_ferry", "arguments": '{"to": "Coll",}'}},
                {"id": "b", "function": {"name": "ping_depot", "arguments": ""}},
            ],
        },
        {"role": "tool", "tool_call_id": "b", "content": ""},
        {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "At nine."}]},
        {"role": "user", "content": "And back?"},
    ]
    calls(prompting, messages=messages, temperature=0.7, stop="END")
    body = server.chats[-1].body
    assert body["messages"] == [
        {"role": "system", "content": f"You are a clerk.\n\nBe brief.\n\n{PROMPT}"},
        {"role": "user", "content": "Find a ferry to Coll.\n\nToday."},
        {
            "role": "assistant",
            "content": "I look.\n"
            '<tool_call>\n{"name": "find_ferry", "arguments": {"to":"Coll"}}\n</tool_call>\n'
            '<tool_call>\n{"name": "ping_depot", "arguments": {}}\n</tool_call>',
        },
        {
            "role": "user",
            "content": '<tool_response name="ping_depot">\n(no output)\n</tool_response>\n\n'
            '<tool_response name="find_ferry">\nAt nine.\n</tool_response>\n\n'
            "And back?",
        },
    ]
    assert body["options"] == {"temperature": 0.7, "stop": ["END", "\n<tool_response"]}


def test_the_prompt_asks_for_one_call_where_the_client_wants_one(prompting: Proxy, server: FakeServer) -> None:
    calls(prompting, parallel_tool_calls=False)
    assert "reply with one block, and only one, and then stop" in server.chats[-1].body["messages"][0]["content"]


@pytest.mark.parametrize("form", ["ollama", "openai"])
def test_without_tools_the_calls_of_a_conversation_are_still_said_in_words(server: FakeServer, form: str) -> None:
    server.capabilities, server.props = ["completion"], {"chat_template_caps": {"supports_tools": False}}
    call = {"id": "a", "function": {"name": "ping_depot", "arguments": "{}"}}
    messages = [*USER, {"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "a"}]
    with proxy(server.url if form == "ollama" else server.openai_url) as front:
        front.post(messages=messages, tools=TOOLS, tool_choice="none")
    heard = server.chats[-1].body["messages"]
    assert [message["role"] for message in heard] == ["user", "assistant", "user"]
    assert all("tool_calls" not in message for message in heard)


# ---- a call by demand


@pytest.mark.parametrize("form", ["ollama", "ollama by prompt", "openai", "openai by prompt"])
@pytest.mark.parametrize(
    ("choice", "names"),
    [
        ("required", ["find_ferry", "ping_depot"]),
        ({"type": "function", "function": {"name": "find_ferry"}}, ["find_ferry"]),
    ],
    ids=["required", "named"],
)
def test_a_demanded_call_is_the_only_thing_that_can_be_written(
    server: FakeServer, form: str, choice: Any, names: list[str]
) -> None:
    server.says(BARE)
    url = server.url if form.startswith("ollama") else server.openai_url
    with proxy(url, models={"*": {"tools": "prompt" if form.endswith("prompt") else "native"}}) as front:
        calls(front, tool_choice=choice)
    body = server.chats[-1].body
    schema = body["format"] if form.startswith("ollama") else body["response_format"]["json_schema"]["schema"]
    schemas = schema.get("anyOf", [schema])
    assert [one["properties"]["name"]["enum"] for one in schemas] == [[name] for name in names]
    assert schemas[0]["properties"]["arguments"] == {
        "type": "object",
        "properties": {"to": {"type": "string"}, "seats": {"type": "integer"}},
        "required": ["to"],
        "additionalProperties": False,
    }
    assert body["messages"][-1]["content"].startswith(f"{USER[0]['content']}\n\nYou must call a tool now.")


def test_a_demand_after_a_result_is_a_message_of_its_own(front: Proxy, server: FakeServer) -> None:
    call = {"id": "a", "function": {"name": "ping_depot", "arguments": "{}"}}
    result = {"role": "tool", "tool_call_id": "a", "content": "pong"}
    calls(front, messages=[*USER, {"role": "assistant", "tool_calls": [call]}, result], tool_choice="required")
    *_, last_but_one, last = server.chats[-1].body["messages"]
    assert last_but_one == {"role": "tool", "content": "pong", "tool_name": "ping_depot", "tool_call_id": "a"}
    assert last["role"] == "user"


def test_who_must_call_does_not_think_first(front: Proxy, server: FakeServer) -> None:
    """Ollama holds a thinking model to a schema only in a second request, after its thinking."""
    server.capabilities = ["completion", "tools", "thinking"]
    calls(front, tool_choice="required")
    calls(front, tool_choice="required", reasoning_effort="high")
    assert [chat.body["think"] for chat in server.chats] == [False, "high"]


# ---- room for the prompt


def given(front: Proxy, server: FakeServer, content: str, **body: Any) -> int | None:
    """The context that a model is given for a prompt."""
    assert front.post(messages=[{"role": "user", "content": content}], **body).status_code == 200
    found: int | None = server.chats[-1].body.get("options", {}).get("num_ctx")
    return found


@pytest.mark.parametrize(
    ("content", "body", "context"),
    [
        ("a" * 6000, {}, None),
        ("a" * 20_000, {}, 16384),
        ("a" * 6000, {"max_tokens": 5000}, 8192),
        ("a", {"max_tokens": 64_000}, 8192),
        ("a" * 3000, {}, None),
        ("가" * 3000, {}, 8192),
        ("a" * 20_000, {"options": {"num_ctx": 5000}}, 5000),
        ("a", {"tools": [{"type": "function", "function": {"name": "a", "description": "b" * 20_000}}]}, 16384),
    ],
    ids=["short", "long", "a long answer", "no real limit", "English", "Korean", "as the client says", "tools"],
)
def test_a_model_is_given_room_for_the_prompt_only_when_it_needs_it(
    front: Proxy, server: FakeServer, content: str, body: dict[str, Any], context: int | None
) -> None:
    assert given(front, server, content, **body) == context


def test_images_need_room_too(front: Proxy, server: FakeServer) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:;base64,aGk="}}
    front.post(messages=[{"role": "user", "content": [image] * 5}])
    assert server.chats[-1].body["options"] == {"num_ctx": 8192}


def test_a_context_is_never_made_smaller_because_a_change_loads_the_model_again(
    front: Proxy, server: FakeServer
) -> None:
    sizes = [given(front, server, "a" * letters) for letters in (100, 20_000, 100, 80_000, 20_000)]
    assert sizes == [None, 16384, 16384, 32768, 32768]


def test_a_context_is_not_larger_than_the_model(front: Proxy, server: FakeServer) -> None:
    server.context = 6000
    assert given(front, server, "a" * 80_000) == 6000
    assert given(front, server, "a") == 6000


def test_a_setting_fixes_the_context(server: FakeServer) -> None:
    with proxy(server.url, models={"other*": {"num_ctx": 1}, "fake*": {"num_ctx": 12000}}) as front:
        sizes = [given(front, server, "a" * letters) for letters in (1, 80_000)]
        assert [*sizes, given(front, server, "a", options={"num_ctx": 5000})] == [12000] * 3


def test_the_context_of_a_loaded_model_is_kept_if_it_is_large_enough(front: Proxy, server: FakeServer) -> None:
    server.loaded_context = 40_000
    assert given(front, server, "a" * 80_000) == 40_000
    assert given(front, server, "a" * 160_000) == 65536


@pytest.mark.parametrize(("counted", "cut"), [(1000, "cut"), (4900, None), (0, None)])
def test_a_prompt_that_was_cut_is_reported(counted: int, cut: str | None) -> None:
    with FakeServer(context=4096) as server, proxy(server.url) as front:
        server.plays(line("Hi"), done(prompt=counted))
        response = front.post(messages=[{"role": "user", "content": "word " * 4000}])
        assert response.headers.get("x-strictcall-context") == cut


def test_a_short_prompt_is_never_taken_for_cut(front: Proxy, server: FakeServer) -> None:
    """Before 0.30 Ollama did not count what it still had of an earlier prompt."""
    server.plays(line("Hi"), done(prompt=1))
    response = front.post(messages=[{"role": "user", "content": "word " * 400}])
    assert "x-strictcall-context" not in response.headers


# ---- facts about models


def test_a_model_is_asked_about_once_for_each_digest(front: Proxy, server: FakeServer) -> None:
    for _ in range(3):
        calls(front)
    assert (count(server, "/api/show"), count(server, "/api/tags")) == (1, 1)
    server.digest, server.capabilities = "sha256:2", ["completion"]
    front.client.get(f"{front.base_url}/models")
    calls(front)
    assert count(server, "/api/show") == 2
    assert not is_native(server.chats[-1])


def test_an_old_list_of_models_is_read_again_beside_the_answer(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ollama_models, "_FRESH", -1.0)
    with proxy(server.url) as front:
        calls(front)
        server.digest, server.capabilities = "sha256:2", ["completion"]
        # One request may still know the old list; it makes that the next ones do not.
        for _ in range(20):
            calls(front)
            if count(server, "/api/show") == 2:
                break
        assert not is_native(server.chats[-1])


@pytest.mark.parametrize(
    ("template", "capabilities", "reasoning", "content"),
    [
        ("{{ .Prompt }}<|assistant|><think>\n", ["completion", "tools"], "Hm.", "Hi."),
        ("{{ if .Last }}<think>{{ end }}", ["completion", "tools"], "Hm.", "Hi."),
        ("{{ .Prompt }}<think>\n", ["completion", "tools", "thinking"], "", "Hm.</think>Hi."),
        ("<think>{{ .Prompt }}", ["completion", "tools"], "", "Hm.</think>Hi."),
    ],
    ids=["open", "open behind a condition", "Ollama splits itself", "not open at the end"],
)
def test_a_template_that_ends_inside_reasoning_begins_with_reasoning(
    front: Proxy, server: FakeServer, template: str, capabilities: list[str], reasoning: str, content: str
) -> None:
    server.template, server.capabilities = template, capabilities
    server.says("H", "m.</th", "ink>Hi.")
    chunks = front.stream(tools=TOOLS)
    assert (content_of(chunks, "reasoning_content"), content_of(chunks)) == (reasoning, content)


# ---- where requests go, and under which name


def test_a_model_server_is_called_by_its_own_name(front: Proxy, server: FakeServer) -> None:
    """Ollama answers 403 to a Host that is not its own."""
    calls(front, headers={"Host": "localhost"})
    assert {request.headers["host"] for request in server.requests} == {server.url.removeprefix("http://")}


KEYS: dict[str, tuple[dict[str, Any], str, str | None]] = {
    "the client's key is for the model server": ({}, "Bearer theirs", "Bearer theirs"),
    "none": ({}, "", None),
    "our own key is not": ({"api_key": "ours"}, "Bearer ours", None),
}


@pytest.mark.parametrize(("flags", "sent", "heard"), KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("form", ["url", "openai_url"])
def test_a_key_is_passed_on_unless_it_was_for_us(
    server: FakeServer, form: str, flags: dict[str, Any], sent: str, heard: str | None
) -> None:
    with proxy(getattr(server, form), **flags) as front:
        calls(front, headers={"Authorization": sent} if sent else {})
    assert server.chats[-1].headers.get("authorization") == heard


@pytest.mark.parametrize("form", ["url", "openai_url"])
def test_a_model_servers_own_key_counts_more_than_the_clients(server: FakeServer, form: str) -> None:
    upstream = {"url": getattr(server, form), "name": "gpu", "api_key": "server"}
    with proxy(upstreams=[upstream]) as front:
        calls(front, headers={"Authorization": "Bearer theirs"})
    assert {request.headers.get("authorization") for request in server.requests} == {"Bearer server"}


@pytest.mark.parametrize(
    ("model", "home", "there"),
    [
        ("qwen3", "one", "qwen3"),
        ("qwen3:latest", "one", "qwen3:latest"),
        ("smol", "two", "smol"),
        ("both", "one", "both"),
        ("two/both", "two", "both"),
        ("hf.co/some/model", "two", "hf.co/some/model"),
    ],
)
def test_a_model_is_asked_for_where_it_is(model: str, home: str, there: str) -> None:
    with FakeServer() as one, FakeServer() as two, proxy(f"one={one.url}", f"two={two.openai_url}") as front:
        one.models, two.models = ["qwen3:latest", "both:latest", "both"], ["smol", "both", "hf.co/some/model"]
        one.says("Hello.")
        two.says("Hello.")
        response = front.post(model=model)
        assert response.headers["x-strictcall-upstream"] == home
        assert response.json()["model"] == model
        assert (one if home == "one" else two).chats[-1].body["model"] == there


def test_a_model_that_no_server_has_is_a_404_that_says_what_to_do() -> None:
    with FakeServer() as one, FakeServer() as two, proxy(f"one={one.url}", f"two={two.openai_url}") as front:
        response = front.post(model="nope")
        assert response.status_code == 404
        assert "GET /v1/models" in response.json()["error"]["message"]


def test_a_model_that_may_be_on_a_server_that_is_down_is_no_404() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        gone = f"http://127.0.0.1:{taken.getsockname()[1]}"
    with FakeServer() as one, proxy(f"one={one.url}", f"two={gone}/v1") as front:
        response = front.post(model="nope")
        assert response.status_code == 502
        assert gone in response.json()["error"]["message"]


def test_a_model_that_is_no_ollamas_is_not_asked_for_at_another_one() -> None:
    with FakeServer() as one, FakeServer() as two, proxy(f"one={one.url}", f"two={two.openai_url}") as front:
        one.models, two.models = ["smol"], ["smol"]
        response = front.post("/api/generate", model="two/smol")
        assert (response.status_code, "/v1" in response.json()["error"]) == (400, True)
        assert not any(request.path == "/api/generate" for request in (*one.requests, *two.requests))


@pytest.mark.parametrize("path", ["/api/pull", "/api/create"])
def test_a_new_model_goes_to_the_first_ollama(path: str) -> None:
    with FakeServer() as one, FakeServer() as two, proxy(f"two={two.openai_url}", f"one={one.url}") as front:
        front.post(path, model="new")
        assert (one.requests[-1].path, one.requests[-1].body["model"]) == (path, "new")


def test_a_model_is_found_with_its_mode_behind_it(front: Proxy) -> None:
    response = front.client.get(f"{front.base_url}/models/fake@shell")
    assert (response.status_code, response.json()["id"]) == (200, "fake@shell")


def test_two_names_of_a_model_share_its_context(front: Proxy, server: FakeServer) -> None:
    size = given(front, server, "a" * 20_000)
    assert size
    assert given(front, server, "a", model="fake:latest") == size
