"""Whole conversations with tools by OpenAI's own Python client, through the proxy, with models of many dialects."""

import asyncio
import json
import ssl
from collections.abc import Callable, Iterator
from typing import Any

import openai
import pytest
from openai.types.chat.chat_completion import Choice
from pydantic import BaseModel
from running import Proxy, proxy
from serving import served

from proxy.upstream.demo.app import make_app

DIALECTS = [
    *("hermes", "qwen3_coder", "gpt_oss", "mistral", "llama3_json", "pythonic", "deepseek_v3", "glm45", "gemma4"),
    *("fenced_json", "react", "anthropic_xml", "kimi_k2"),
]


_CERTIFICATES = ssl.create_default_context()  # not needed, but they would be loaded for every client


def tool(name: str, description: str, **kinds: str) -> Any:
    properties = {key: {"type": kind} for key, kind in kinds.items()}
    parameters = {"type": "object", "properties": properties, "required": list(kinds), "additionalProperties": False}
    function = {"name": name, "description": description, "parameters": parameters, "strict": True}
    return {"type": "function", "function": function}


TOOLS = [tool("get_weather", "The weather in a city", city="string"), tool("list_reminders", "List all reminders")]
RUNS: dict[str, Callable[..., str]] = {
    "get_weather": lambda city: f"{city}: 17.25 degrees",
    "list_reminders": lambda: "Water the ferns.",
}
PARIS, SEOUL = ("get_weather", {"city": "Paris"}), ("get_weather", {"city": "Seoul"})
QUESTIONS: dict[str, tuple[list[tuple[str, dict[str, Any]]], list[str]]] = {
    "What is the weather in Paris?": ([PARIS], ["17.25 degrees"]),
    "What is the weather in Paris and in Seoul?": ([PARIS, SEOUL], ["Paris: 17.25", "Seoul: 17.25"]),
    "List my reminders.": ([("list_reminders", {})], ["Water the ferns."]),
    "서울 날씨 알려줘": ([("get_weather", {"city": "서울"})], ["서울: 17.25 degrees"]),
}
"""What is asked, the calls that it needs, and what the answer must say of their results."""


@pytest.fixture(scope="module")
def front() -> Iterator[Proxy]:
    # Nobody listens on port 1: the demo models are there without any other server.
    with served(make_app()) as demo, proxy("http://127.0.0.1:1", demo_url=demo) as found:
        yield found


@pytest.fixture(scope="module")
def client(front: Proxy) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=front.base_url, api_key="none", _strict_response_validation=True) as found:
        yield found


# ---- the ways to ask


def create(front: Proxy, client: openai.OpenAI, body: Any) -> Any:
    del front
    return client.chat.completions.create(**body).choices[0]


def stream(front: Proxy, client: openai.OpenAI, body: Any) -> Any:
    """Put the chunks together by hand, as the examples in OpenAI's guide do."""
    del front
    found = _Joined()
    for chunk in client.chat.completions.create(stream=True, **body):
        found.add(chunk)
    return found.choice


def helper(front: Proxy, client: openai.OpenAI, body: Any) -> Any:
    del front
    with client.chat.completions.stream(**body) as events:
        for _ in events:
            pass
        return events.get_final_completion().choices[0]


def parse(front: Proxy, client: openai.OpenAI, body: Any) -> Any:
    del front
    return client.chat.completions.parse(**body).choices[0]


def _async_client(front: Proxy) -> openai.AsyncOpenAI:
    http = openai.DefaultAsyncHttpxClient(verify=_CERTIFICATES)
    return openai.AsyncOpenAI(base_url=front.base_url, api_key="none", http_client=http)


def create_async(front: Proxy, client: openai.OpenAI, body: Any) -> Any:
    del client

    async def ask() -> Any:
        async with _async_client(front) as found:
            return (await found.chat.completions.create(**body)).choices[0]

    return asyncio.run(ask())


def stream_async(front: Proxy, client: openai.OpenAI, body: Any) -> Any:
    del client

    async def ask() -> Any:
        joined = _Joined()
        async with _async_client(front) as found:
            async for chunk in await found.chat.completions.create(stream=True, **body):
                joined.add(chunk)
        return joined.choice

    return asyncio.run(ask())


def helper_async(front: Proxy, client: openai.OpenAI, body: Any) -> Any:
    del client

    async def ask() -> Any:
        async with (
            _async_client(front) as found,
            found.chat.completions.stream(**body) as events,
        ):
            return (await events.get_final_completion()).choices[0]

    return asyncio.run(ask())


class _Joined:
    """Chunks, put together as simply as people do it."""

    def __init__(self) -> None:
        self.content, self.finish, self.calls = "", None, list[dict[str, Any]]()

    def add(self, chunk: Any) -> None:
        choice = chunk.choices[0]
        self.content += choice.delta.content or ""
        self.finish = choice.finish_reason or self.finish
        for call in choice.delta.tool_calls or ():
            if call.index == len(self.calls):
                function = {"name": call.function.name, "arguments": ""}
                self.calls.append({"id": call.id, "type": call.type, "function": function})
            self.calls[call.index]["function"]["arguments"] += call.function.arguments

    @property
    def choice(self) -> Any:
        message = {"role": "assistant", "content": self.content or None, "tool_calls": self.calls or None}
        return Choice.model_validate({"index": 0, "message": message, "finish_reason": self.finish})


WAYS = [create, stream, helper, parse, create_async, stream_async, helper_async]


# ---- conversations


def conversation(ask: Callable[[Any], Any], model: str, question: str) -> tuple[list[tuple[str, Any]], str]:
    """Ask, run what is called, tell the results, until there is an answer."""
    messages: list[Any] = [{"role": "user", "content": question}]
    made: list[tuple[str, Any]] = []
    while True:
        choice = ask({"model": model, "messages": messages, "tools": TOOLS})
        calls = choice.message.tool_calls or []
        assert choice.finish_reason == ("tool_calls" if calls else "stop")
        if not calls:
            return made, choice.message.content
        messages.append(choice.message)
        for call in calls:
            arguments = json.loads(call.function.arguments)
            made.append((call.function.name, arguments))
            result = RUNS[call.function.name](**arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
        assert len({call.id for call in calls}) == len(calls)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_conversation_with_tools_comes_to_its_end(
    front: Proxy, client: openai.OpenAI, dialect: str, way: Callable[[Proxy, openai.OpenAI, Any], Any]
) -> None:
    for question, (calls, told) in QUESTIONS.items():
        made, answer = conversation(lambda body: way(front, client, body), f"demo/{dialect}", question)
        assert made == calls
        assert all(words in answer for words in told)


class Weather(BaseModel):
    """The weather in a city."""

    city: str


class Report(BaseModel):
    """What is known."""

    summary: str
    sure: bool


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_tool_that_is_a_class_gets_its_arguments_as_one(client: openai.OpenAI, dialect: str) -> None:
    message = (
        client.chat.completions.parse(
            model=f"demo/{dialect}",
            messages=[{"role": "user", "content": "What is the weather in Paris?"}],
            tools=[openai.pydantic_function_tool(Weather)],
        )
        .choices[0]
        .message
    )
    assert message.tool_calls
    assert message.tool_calls[0].function.parsed_arguments == Weather(city="Paris")


@pytest.mark.parametrize("dialect", ["hermes", "gpt_oss", "react"])
def test_an_answer_with_a_form_may_still_call_first(client: openai.OpenAI, dialect: str) -> None:
    messages: list[Any] = [{"role": "user", "content": "What is the weather in Paris?"}]
    body: Any = {"model": f"demo/{dialect}", "tools": TOOLS, "response_format": Report}
    message = client.chat.completions.parse(messages=messages, **body).choices[0].message
    assert message.tool_calls
    (call,) = message.tool_calls
    result = {"role": "tool", "tool_call_id": call.id, "content": "17.25 degrees"}
    messages += [message, result]
    message = client.chat.completions.parse(messages=messages, **body).choices[0].message
    assert isinstance(message.parsed, Report)
    assert "17.25" in message.parsed.summary


@pytest.mark.parametrize("dialect", ["hermes", "gpt_oss", "react"])
def test_an_answer_may_be_demanded_as_a_call_of_its_own(client: openai.OpenAI, dialect: str) -> None:
    """Agents with typed results offer a tool for the result, and demand a call in every turn."""
    messages: list[Any] = [{"role": "user", "content": "What is the weather in Paris?"}]
    final = tool("final_result", "The final answer", city="string", summary="string")
    body: Any = {"model": f"demo/{dialect}", "tools": [*TOOLS, final], "tool_choice": "required"}
    message = client.chat.completions.create(messages=messages, **body).choices[0].message
    assert message.tool_calls
    (call,) = message.tool_calls
    assert (call.function.name, json.loads(call.function.arguments)) == PARIS
    messages += [message, {"role": "tool", "tool_call_id": call.id, "content": "17.25 degrees"}]
    message = client.chat.completions.create(messages=messages, **body).choices[0].message
    assert message.tool_calls
    (call,) = message.tool_calls
    assert call.function.name == "final_result"
    assert "17.25" in json.loads(call.function.arguments)["summary"]


@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "get_weather"}}], ids=str)
def test_a_demanded_call_is_made_even_where_nobody_asked_for_one(client: openai.OpenAI, choice: Any) -> None:
    for model in ("demo/hermes", "demo/qwen3_coder"):
        found = client.chat.completions.create(
            model=model,
            messages=[{"role": "user", "content": "Hello, tell me of the weather."}],
            tools=TOOLS,
            tool_choice=choice,
        ).choices[0]
        assert found.finish_reason == "tool_calls"
        assert found.message.tool_calls
        assert found.message.content is None


def test_usage_comes_at_the_end_of_a_stream_for_whoever_asks(client: openai.OpenAI) -> None:
    body: Any = {"model": "demo/hermes", "messages": [{"role": "user", "content": "Hello"}], "stream": True}
    chunks = list(client.chat.completions.create(stream_options={"include_usage": True}, **body))
    assert not chunks[-1].choices
    assert chunks[-1].usage
    assert chunks[-1].usage.completion_tokens > 0
    assert all(chunk.usage is None for chunk in chunks[:-1])
    assert all(chunk.choices for chunk in client.chat.completions.create(**body))


def test_models_completions_and_embeddings_are_there(client: openai.OpenAI) -> None:
    """M1, M3."""
    assert "demo/hermes" in [model.id for model in client.models.list()]
    assert client.models.retrieve("demo/hermes").id == "demo/hermes"
    assert client.completions.create(model="demo/hermes", prompt="def a(", suffix="return b").choices[0].text
    assert client.embeddings.create(model="demo/hermes", input=["one", "two"], encoding_format="float").data


def test_errors_are_the_clients_own(client: openai.OpenAI) -> None:
    """E1."""
    body: Any = {"messages": [{"role": "user", "content": "Hello"}]}
    with pytest.raises(openai.NotFoundError, match="demo/nope"):
        client.chat.completions.create(model="demo/nope", **body)
    with pytest.raises(openai.BadRequestError, match="tool_choice") as caught:
        client.chat.completions.create(model="demo/hermes", tool_choice="required", **body)
    assert caught.value.param == "tool_choice"
