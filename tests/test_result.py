"""One result type: what a tool returns is an MCP result and an OpenAI message without anybody turning it into one."""

import json
from typing import Any

import pytest

from db.result import Failure, ToolResult, image


def test_plain_data_is_one_json_object_for_whoever_reads_text() -> None:
    result = ToolResult.of({"이름": "김민준", "days": (1, 2.5)})
    assert result.text == '{"success": true, "result": {"이름": "김민준", "days": [1, 2.5]}}'
    assert result.structured == json.loads(result.text)
    assert result.value == {"이름": "김민준", "days": [1, 2.5]}


def test_a_result_is_an_mcp_result_and_an_openai_message() -> None:
    result = ToolResult.of([1])
    assert result.as_mcp() == {
        "content": [{"type": "text", "text": '{"success": true, "result": [1]}'}],
        "structuredContent": {"success": True, "result": [1]},
        "isError": False,
    }
    assert result.as_openai("call_7") == {"role": "tool", "tool_call_id": "call_7", "content": result.text}


def test_a_failure_is_the_same_object_everywhere() -> None:
    result = ToolResult.failed("timeout", "try again")
    assert result.failure == Failure("timeout", "try again")
    assert result.as_json() == json.loads(result.text) == {"success": False, "error": "try again"}
    assert result.as_mcp()["isError"] is True
    assert result.value is None


def test_a_tool_may_fail_in_a_text_of_its_own() -> None:
    result = ToolResult.failed("failed", "try again", "오류: try again", ({"type": "text", "text": "see the log"},))
    assert ToolResult.of(result) == result
    assert result.as_json() == {"success": False, "error": "try again"}
    assert [block["text"] for block in result.as_mcp()["content"]] == ["오류: try again", "see the log"]
    assert result.as_mcp()["isError"] is True


def test_a_tool_may_say_a_text_of_its_own() -> None:
    said = ToolResult.said("# 규정", {"page": 1}, (image(b"\x00\xff", "image/png"),))
    assert ToolResult.of(said) == said
    assert said.as_mcp()["content"] == [
        {"type": "text", "text": "# 규정"},
        {"type": "image", "data": "AP8=", "mimeType": "image/png"},
    ]
    assert said.as_json() == {"page": 1}
    assert ToolResult.said("done").as_json() == {"success": True, "result": "done"}


@pytest.mark.parametrize("result", [ToolResult.of(None), ToolResult.of(""), ToolResult.said("")])
def test_the_text_is_never_empty(result: ToolResult) -> None:
    assert json.loads(result.text) == result.structured


@pytest.mark.parametrize(
    "result",
    [
        ToolResult.of({"\ud800": "a\udc00"}),
        ToolResult.said("\ud800"),
        ToolResult.failed("failed", "\ud800"),
        ToolResult.of(ToolResult("\ud800", {"made": "by hand \ud800"})),
        ToolResult.said("\ud800", {}, ({"type": "text", "text": "\udc00"},)),
    ],
)
def test_half_a_character_is_replaced_because_nobody_can_send_it(result: ToolResult) -> None:
    assert "\ufffd" in result.text
    json.dumps(result.as_mcp(), ensure_ascii=False).encode()


def test_what_the_tool_changes_later_does_not_change_the_result() -> None:
    kept: dict[Any, Any] = {1: []}
    result = ToolResult.of(kept)
    kept[1].append("later")
    assert result.value == {"1": []}


@pytest.mark.parametrize(
    "value",
    [
        {1, 2},
        float("nan"),
        {("a",): 1},
        object(),
        ToolResult("made by hand", {"number": float("nan")}),
        ToolResult("made by hand", {}, blocks=({"type": "image", "data": b"raw", "mimeType": "image/png"},)),
        ToolResult("made by hand", {}, blocks=({"type": "picture", "data": "AP8="},)),
        ToolResult("made by hand", {}, blocks=({"type": "image", "data": "AP8="},)),
    ],
)
def test_what_no_json_can_say_is_refused(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        ToolResult.of(value)
