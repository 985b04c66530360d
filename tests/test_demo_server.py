"""The demo server over a real socket: as Ollama's own client sees it, as bytes, and as a process."""

import base64
import json
import math
import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import ollama
import pytest
from reading import answer, read
from serving import served

from proxy.catalogue import dialects
from proxy.core.reader import Begins
from proxy.core.tools import Tools
from proxy.upstream.demo.app import make_app

ROOT = Path(__file__).parent.parent
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
ASKED = {"role": "user", "content": "What is the weather in Paris?"}
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'
HERMES = {"model": "demo/hermes", "messages": [ASKED], "tools": [WEATHER]}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with served(make_app()) as found:
        yield found


@pytest.fixture(scope="module")
def http(url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=url, timeout=10, trust_env=False) as client:
        yield client


@pytest.fixture(scope="module")
def client(url: str) -> Iterator[ollama.Client]:
    found = ollama.Client(url, timeout=10, trust_env=False)
    yield found
    found._client.close()  # noqa: SLF001 - it has no other way to be closed


def lines(reply: httpx.Response) -> list[dict[str, Any]]:
    return [json.loads(line) for line in reply.text.splitlines()]


# ---- as Ollama's client sees it


def test_every_dialect_is_a_model(client: ollama.Client) -> None:
    listed = client.list().models
    assert {model.model for model in listed} == {f"demo/{name}" for name in dialects()}
    assert len({model.digest for model in listed}) == len(listed)
    assert all(model.details and model.details.family for model in listed)


def test_a_model_is_shown(client: ollama.Client) -> None:
    shown = client.show("demo/mistral")
    assert shown.capabilities == ["completion", "tools"]
    assert shown.modelinfo
    assert shown.modelinfo["general.architecture"] == "demo"
    assert shown.modelinfo["demo.context_length"] == 32768
    assert shown.template
    assert ".Tools" in shown.template


@pytest.mark.parametrize("name", dialects())
def test_a_whole_conversation_in_every_dialect(client: ollama.Client, name: str) -> None:
    messages: list[Any] = [ASKED]
    parts = list(client.chat(f"demo/{name}", messages, tools=[WEATHER], stream=True))
    said = [part.message.content or "" for part in parts]
    assert max(map(len, said)) == 4
    assert not any(part.message.tool_calls for part in parts)
    assert [part.done for part in parts] == [False] * (len(parts) - 1) + [True]
    found = answer(read(said, Tools.of([WEATHER]), begins=Begins.ANSWER))
    assert found.calls == [("get_weather", {"city": "Paris"})]
    assert not found.content.strip()
    call = {"function": {"name": "get_weather", "arguments": {"city": "Paris"}}}
    messages += [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_name": "get_weather", "content": '{"sky": "clear", "degrees": 18}'},
    ]
    told = client.chat(f"demo/{name}", messages, tools=[WEATHER]).message.content
    assert told == "Here is what get_weather says:\n- sky: clear\n- degrees: 18"
    assert answer(read([told], Tools.of([WEATHER]))).content == told


def test_text_is_generated(client: ollama.Client) -> None:
    assert client.generate("demo/hermes", "Say hello").response == "hello"
    assert client.generate("demo/hermes", "def f():\n", suffix="\nf()").response == "    pass\n"
    parts = list(client.generate("demo/hermes", "Say hello there", stream=True))
    assert "".join(part.response or "" for part in parts) == "hello there"
    assert parts[-1].done_reason == "stop"


def test_tools_of_a_prompt_are_called_in_generated_text(client: ollama.Client) -> None:
    line = json.dumps(WEATHER["function"])
    found = client.generate("demo/hermes", "Weather in Paris?", system=f"<tools>\n{line}\n</tools>")
    assert found.response == CALL


def test_a_format_is_obeyed(client: ollama.Client) -> None:
    form = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    found = client.chat("demo/hermes", [ASKED], format=form).message.content
    assert json.loads(found or "") == {"city": "Paris"}


def test_embeddings_are_unit_vectors_and_the_same_every_time(client: ollama.Client) -> None:
    found = client.embed("demo/hermes", ["a ferry to Coll", "the ferry to Coll", "kiln", ""]).embeddings
    assert all(math.isclose(math.hypot(*one), 1) for one in found)
    assert math.dist(found[0], found[1]) < math.dist(found[0], found[2])
    assert client.embed("demo/hermes", "kiln").embeddings == [found[2]]
    assert client.embeddings("demo/hermes", "kiln").embedding == found[2]
    assert len(client.embed("demo/hermes", "kiln", dimensions=8).embeddings[0]) == 8


def test_a_model_that_is_not_there_is_an_error(client: ollama.Client) -> None:
    with pytest.raises(ollama.ResponseError, match="model 'demo/nobody' not found") as caught:
        client.chat("demo/nobody", [ASKED])
    assert caught.value.status_code == 404
    with pytest.raises(ollama.ResponseError, match="not found"):
        client.show("demo/hermes:8b")


# ---- as bytes


def test_it_says_that_it_is_there(http: httpx.Client) -> None:
    assert http.get("/").text == "Ollama is running"
    assert http.head("/").status_code == 200
    assert http.get("/api/version").json().keys() == {"version"}
    assert http.get("/api/ps").json() == {"models": []}
    assert http.get("/nowhere").text == "404 page not found"
    assert http.get("/api/chat").status_code == 405


def test_a_stream_has_one_line_a_write_and_a_last_line_that_counts(url: str, http: httpx.Client) -> None:
    reply = http.post("/api/chat", json=HERMES)
    assert reply.headers["content-type"] == "application/x-ndjson"
    first, last = lines(reply)[0], lines(reply)[-1]
    assert first.keys() == {"model", "created_at", "message", "done"}
    assert first["message"] == {"role": "assistant", "content": "<too"}
    assert last["message"] == {"role": "assistant", "content": ""}
    assert last["done_reason"] == "stop"
    assert last["eval_count"] == len(lines(reply)) - 1
    assert all(isinstance(last[key], int) for key in ("total_duration", "load_duration", "prompt_eval_count"))
    assert all(isinstance(last[key], int) for key in ("prompt_eval_duration", "eval_duration"))
    chunks = chunks_of(url, json.dumps(HERMES).encode())
    assert len(chunks) == len(lines(reply))
    assert all(chunk.endswith(b"\n") and chunk.count(b"\n") == 1 for chunk in chunks)


def chunks_of(url: str, body: bytes) -> list[bytes]:
    """The chunks of an answer, as they were written."""
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        head = f"POST /api/chat HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
        connection.sendall(head.encode() + body)
        raw = b"".join(iter(lambda: connection.recv(65536), b""))
    rest, found = raw.partition(b"\r\n\r\n")[2], []
    while size := int(rest.partition(b"\r\n")[0], 16):
        rest = rest.partition(b"\r\n")[2]
        found.append(rest[:size])
        rest = rest[size + 2 :]
    return found


def test_an_answer_may_come_in_one_piece(http: httpx.Client) -> None:
    reply = http.post("/api/chat", json=HERMES | {"stream": False})
    assert reply.headers["content-type"] == "application/json; charset=utf-8"
    assert reply.json()["message"] == {"role": "assistant", "content": CALL}
    assert reply.json()["done"] is True


def test_the_token_limit_ends_an_answer(http: httpx.Client) -> None:
    found = http.post("/api/chat", json=HERMES | {"stream": False, "options": {"num_predict": 3}}).json()
    assert (found["message"]["content"], found["done_reason"], found["eval_count"]) == (CALL[:12], "length", 3)
    for unlimited in (-1, 0, 1000):
        found = http.post("/api/chat", json=HERMES | {"stream": False, "options": {"num_predict": unlimited}}).json()
        assert (found["message"]["content"], found["done_reason"]) == (CALL, "stop")


def test_a_stop_word_ends_an_answer(http: httpx.Client) -> None:
    found = http.post("/api/chat", json=HERMES | {"stream": False, "options": {"stop": ["\n</tool", "zzz"]}}).json()
    assert (found["message"]["content"], found["done_reason"]) == (CALL.partition("\n</tool")[0], "stop")


@pytest.mark.parametrize(("keep", "reason"), [(None, "load"), ("5m", "load"), (0, "unload")])
def test_no_messages_load_or_unload_a_model(http: httpx.Client, keep: Any, reason: str) -> None:
    for path in ("/api/chat", "/api/generate"):
        found = http.post(path, json={"model": "demo/hermes", "keep_alive": keep}).json()
        assert (found["done"], found["done_reason"]) == (True, reason)


IN_PARTS = [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]
AS_STRING = [{"role": "assistant", "tool_calls": [{"function": {"name": "x", "arguments": "{}"}}]}]


@pytest.mark.parametrize(
    ("path", "body", "status", "error"),
    [
        ("/api/chat", b"", 400, "missing request body"),
        ("/api/chat", b"{nonsense", 400, "invalid JSON: "),
        ("/api/chat", b"[]", 400, "json: cannot unmarshal array into Go value"),
        ("/api/chat", {}, 400, "model is required"),
        ("/api/show", {"model": "x"}, 404, "model 'x' not found"),
        ("/api/generate", {"model": "x"}, 404, "model 'x' not found"),
        ("/api/embed", {"model": "x"}, 404, "model 'x' not found"),
        ("/api/chat", {"messages": IN_PARTS}, 400, "json: cannot unmarshal array into Go struct field"),
        ("/api/chat", {"messages": AS_STRING}, 400, "json: cannot unmarshal string into Go struct field"),
        ("/api/chat", {"messages": "hi"}, 400, "json: cannot unmarshal string into Go struct field"),
        ("/api/chat", {"think": True}, 400, '"demo/hermes" does not support thinking'),
        ("/api/chat", {"messages": [ASKED], "options": {"num_predict": "x"}}, 500, 'option "num_predict" must be'),
        ("/api/embed", {"input": [1]}, 400, "invalid input type"),
        ("/api/embed", {"input": "x", "dimensions": -1}, 400, "dimensions must be greater than zero"),
        ("/v1/chat/completions", b"{", 400, "invalid JSON: "),
        ("/v1/chat/completions", {"messages": []}, 400, "[] is too short - 'messages'"),
        ("/v1/chat/completions", {"messages": [{"role": "user"}]}, 400, "invalid message content type: <nil>"),
        ("/v1/chat/completions", {"messages": ["hi"]}, 400, "invalid message format"),
        ("/v1/chat/completions", {"messages": AS_STRING, "model": "x"}, 404, "model 'x' not found"),
        (
            "/v1/chat/completions",
            {"messages": [{"role": "assistant", "tool_calls": [{"function": {"arguments": "{"}}]}]},
            400,
            "invalid tool call arguments",
        ),
        ("/v1/completions", {"prompt": 3}, 400, "prompt must be a string"),
        ("/v1/embeddings", {"input": None}, 400, "invalid input type"),
    ],
)
def test_what_ollama_refuses_is_refused_in_its_words(
    http: httpx.Client, path: str, body: Any, status: int, error: str
) -> None:
    if isinstance(body, dict) and body:
        body = {"model": "demo/hermes", **body}
    reply = http.post(path, content=body if isinstance(body, bytes) else json.dumps(body))
    assert reply.status_code == status
    found = reply.json()["error"]
    if path.startswith("/v1"):
        assert found["type"] == {400: "invalid_request_error", 404: "not_found_error"}[status]
        found = found["message"]
    assert found.startswith(error)


# ---- Ollama's imitation of OpenAI


def test_a_completion_is_text(http: httpx.Client) -> None:
    found = http.post("/v1/chat/completions", json=HERMES).json()
    assert found["object"] == "chat.completion"
    assert found["choices"] == [
        {"index": 0, "message": {"role": "assistant", "content": CALL}, "finish_reason": "stop"}
    ]
    assert found["usage"]["total_tokens"] == found["usage"]["prompt_tokens"] + found["usage"]["completion_tokens"]


def events(reply: httpx.Response) -> list[dict[str, Any]]:
    assert reply.headers["content-type"].startswith("text/event-stream")
    found = reply.text.strip().split("\n\n")
    assert found.pop() == "data: [DONE]"
    return [json.loads(one.removeprefix("data: ")) for one in found]


def test_a_completion_streams_as_ollama_does(http: httpx.Client) -> None:
    wanted = HERMES | {"stream": True, "stream_options": {"include_usage": True}}
    *parts, end, usage = events(http.post("/v1/chat/completions", json=wanted))
    deltas = [part["choices"][0]["delta"] for part in parts]
    assert deltas[0] == {"role": "assistant", "content": "<too"}
    assert all(delta.keys() == {"content"} for delta in deltas[1:])
    assert "".join(delta["content"] for delta in deltas) == CALL
    assert end["choices"] == [{"index": 0, "delta": {}, "finish_reason": "stop"}]
    assert usage["choices"] == []
    assert usage["usage"]["completion_tokens"] == len(parts)


def test_a_conversation_in_openai_form(http: httpx.Client) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'}}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "What is the weather in Paris?"}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "18 degrees"},
    ]
    found = http.post("/v1/chat/completions", json={"model": "demo/hermes", "messages": messages}).json()
    assert found["choices"][0]["message"]["content"] == "Here is what get_weather says: 18 degrees"


@pytest.mark.parametrize(
    "wanted",
    [
        {"type": "json_object"},
        {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object", "required": ["answer"]}}},
    ],
)
def test_a_response_format_is_obeyed(http: httpx.Client, wanted: Any) -> None:
    asked = {"model": "demo/hermes", "messages": [ASKED], "response_format": wanted}
    found = http.post("/v1/chat/completions", json=asked).json()
    assert "answer" in json.loads(found["choices"][0]["message"]["content"])


def test_a_prompt_is_completed(http: httpx.Client) -> None:
    asked = {"model": "demo/hermes", "prompt": "Say hello there", "max_tokens": 2}
    found = http.post("/v1/completions", json=asked).json()
    assert found["choices"] == [{"text": "hello th", "index": 0, "finish_reason": "length"}]
    parts = events(http.post("/v1/completions", json=asked | {"stream": True, "max_tokens": 9}))
    assert "".join(part["choices"][0]["text"] for part in parts) == "hello there"
    assert parts[-1]["choices"][0]["finish_reason"] == "stop"


def test_embeddings_may_be_packed(http: httpx.Client) -> None:
    asked = {"model": "demo/hermes", "input": "kiln"}
    plain = http.post("/v1/embeddings", json=asked).json()["data"][0]["embedding"]
    packed = http.post("/v1/embeddings", json=asked | {"encoding_format": "base64"}).json()["data"][0]["embedding"]
    assert struct.unpack(f"<{len(plain)}f", base64.b64decode(packed)) == pytest.approx(plain, abs=1e-6)


def test_models_are_listed_in_openai_form(http: httpx.Client) -> None:
    listed = http.get("/v1/models").json()["data"]
    assert len(listed) == len(dialects())
    assert http.get("/v1/models/demo/hermes").json() == next(one for one in listed if one["id"] == "demo/hermes")
    assert http.get("/v1/models/gpt-9").json()["error"]["type"] == "not_found_error"


# ---- as a process


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "runner.cli", "demo", *arguments]


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.mark.skipif(sys.platform == "win32", reason="an interrupt goes to the whole console there")
@pytest.mark.parametrize("as_json", [True, False])
def test_the_command_serves_until_it_is_interrupted(as_json: bool) -> None:
    arguments = command("--port", "0", *(["--json"] if as_json else []))
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT) as process:
        try:
            assert process.stdout
            first = process.stdout.readline().decode()
            where = json.loads(first)["url"] if as_json else first.split()[-1]
            assert httpx.get(where, trust_env=False).text == "Ollama is running"
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 0
            assert (b"curl http://" in process.stdout.read()) is not as_json
            assert process.stderr
            assert not process.stderr.read()
        finally:
            process.kill()


def test_other_commands_do_not_wait_for_a_web_server() -> None:
    code = "import sys, runner.cli; sys.exit('uvicorn' in sys.modules or 'starlette' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, check=True, timeout=60)


def test_a_port_that_is_taken_is_one_line_with_the_fix(url: str) -> None:
    port = url.rpartition(":")[2]
    ran = subprocess.run(command("--port", port), capture_output=True, env=ENVIRONMENT, check=False, timeout=60)
    assert ran.returncode == 2
    line = f"strictcall: port {port} of 127.0.0.1 is taken; choose another with --port, or any with --port 0\n"
    assert ran.stderr.decode().replace("\r\n", "\n") == line


@pytest.mark.parametrize("arguments", [("--port", "70000"), ("--host", "nowhere.invalid", "--port", "0")])
def test_wrong_usage_is_one_line(arguments: tuple[str, ...]) -> None:
    ran = subprocess.run(command(*arguments), capture_output=True, env=ENVIRONMENT, check=False, timeout=60)
    assert ran.returncode == 2
    assert ran.stderr.count(b"\n") == 1
    assert ran.stderr.startswith(b"strictcall: ")
    assert b"--" in ran.stderr
