"""SmolLM2-135M on llama.cpp: what it does by itself.

What it says is its own business and may differ between machines; that equal requests get equal answers is not.
"""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from openai import DefaultHttpxClient, OpenAI

# One worker has the server: two of them would fight for the processor.
pytestmark = pytest.mark.xdist_group("llama")

MODEL = "smollm2"
QUESTION: Any = [{"role": "user", "content": "Which ferry goes to Coll?"}]
FIND_FERRY: Any = {
    "type": "function",
    "function": {
        "name": "find_ferry",
        "description": "Find a ferry.",
        "parameters": {
            "type": "object",
            "properties": {"to": {"type": "string", "maxLength": 20}, "when": {"enum": ["today", "tomorrow"]}},
            "required": ["to", "when"],
            "additionalProperties": False,
        },
    },
}
ALWAYS_THE_SAME: Any = {"model": MODEL, "messages": QUESTION, "temperature": 0, "seed": 1, "max_tokens": 24}


@pytest.fixture
def direct(llama: str) -> Iterator[OpenAI]:
    with OpenAI(
        base_url=llama, api_key="none", max_retries=0, http_client=DefaultHttpxClient(trust_env=False)
    ) as client:
        yield client


def test_it_streams_what_it_says_whole(direct: OpenAI) -> None:
    whole = direct.chat.completions.create(**ALWAYS_THE_SAME).choices[0]
    chunks = [chunk.choices[0] for chunk in direct.chat.completions.create(**ALWAYS_THE_SAME, stream=True)]
    assert whole.message.content
    assert "".join(choice.delta.content or "" for choice in chunks) == whole.message.content
    assert len(chunks) > 3
    assert chunks[-1].finish_reason == whole.finish_reason


def test_its_template_has_no_tools_and_drops_them_without_a_word(direct: OpenAI, llama: str) -> None:
    can = httpx.get(f"{llama.removesuffix('/v1')}/props", trust_env=False).json()["chat_template_caps"]
    assert not can["supports_tools"]
    plain = direct.chat.completions.create(**ALWAYS_THE_SAME)
    forced = direct.chat.completions.create(**ALWAYS_THE_SAME, tools=[FIND_FERRY], tool_choice="required")
    assert forced.choices == plain.choices
    assert forced.usage == plain.usage


def test_it_keeps_to_a_schema(direct: OpenAI) -> None:
    schema = {"name": "find_ferry", "schema": FIND_FERRY["function"]["parameters"]}
    asked = ALWAYS_THE_SAME | {"max_tokens": 80, "response_format": {"type": "json_schema", "json_schema": schema}}
    answer = direct.chat.completions.create(**asked).choices[0]
    assert answer.finish_reason == "stop"
    assert json.loads(answer.message.content or "").keys() == {"to", "when"}
