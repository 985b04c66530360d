"""Arguments go out while they are written."""

import json

import pytest
from reading import ALL

from proxy.core.events import ArgsDelta, CallStart, Event, Reasoning, Text
from proxy.core.normalizer import Normalizer
from proxy.core.reader import Begins
from proxy.core.tools import Tools

HELD_BACK = 64
LENGTH = 100_000
TOOLS = Tools.of(
    [
        {
            "name": "write_file",
            "parameters": {
                "type": "object",
                "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
                "required": ["path", "content"],
            },
        }
    ]
)
BODY = 'if a < b and c["k"] > 0:\n    print("<b>", {x}, [y])  # it\'s 100 %\n\n'

JSON = '{"path": "a.py", "content": "'
STREAMING = {
    # what stands before the string, and how the string is written
    "hermes": ('<tool_call>\n{"name": "write_file", "arguments": ' + JSON, "json"),
    "bare_json": ('{"name": "write_file", "arguments": ' + JSON, "json"),
    "openai_json": ('{"tool_calls": [{"function": {"name": "write_file", "arguments": ' + JSON, "json"),
    "openai_json, arguments as a string": (
        '{"function": {"name": "write_file", "arguments": "{\\"path\\": \\"a.py\\", \\"content\\": \\"',
        "json twice",
    ),
    "mistral": ('[TOOL_CALLS] [{"name": "write_file", "arguments": ' + JSON, "json"),
    "mistral_v11": ("[TOOL_CALLS]write_file[ARGS]" + JSON, "json"),
    "kimi_k2": ("<|tool_call_begin|>functions.write_file:0<|tool_call_argument_begin|>" + JSON, "json"),
    "deepseek_v3": ("<｜tool▁call▁begin｜>function<｜tool▁sep｜>write_file\n```json\n" + JSON, "json"),
    "gpt_oss": ("<|channel|>commentary to=functions.write_file <|constrain|>json<|message|>" + JSON, "json"),
    "apertus": ('<|tools_prefix|>[{"write_file": ' + JSON, "json"),
    "react": ("Action: write_file\nAction Input: " + JSON, "json"),
    "qwen3_coder": (
        "<tool_call>\n<function=write_file>\n<parameter=path>\na.py\n</parameter>\n<parameter=content>\n",
        "raw",
    ),
    "minimax_m2": (
        '<minimax:tool_call>\n<invoke name="write_file">\n<parameter name="content">',
        "raw",
    ),
    "deepseek_v4": (
        '<｜DSML｜invoke name="write_file"><｜DSML｜parameter name="content" string="true">',
        "raw",
    ),
    "minimax_m3": (
        ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="write_file">]<]minimax[>[<content>',
        "raw",
    ),
    "minicpm5": ('<function name="write_file"><param name="path">a</param><param name="content"><![CDATA[', "raw"),
    "cline_xml": ("<write_file>\n<path>a.py</path>\n<content>\n", "raw"),
    "glm45": ("<tool_call>write_file\n<arg_key>content</arg_key>\n<arg_value>", "raw"),
    "kimi_k3": (
        '<|open|>call tool="write_file" index="1"<|sep|><|open|>argument key="content" type="string"<|sep|>',
        "raw",
    ),
    "gemma4": ('<|tool_call>call:write_file{path:<|"|>a<|"|>,content:<|"|>', "raw"),
    "functiongemma": ("<start_function_call>call:write_file{path:<escape>a<escape>,content:<escape>", "raw"),
    "lfm2": ("<|tool_call_start|>[write_file(path='a', content='", "python"),
}


def written(text: str, how: str) -> str:
    match how:
        case "json":
            return json.dumps(text, ensure_ascii=False)[1:-1]
        case "json twice":
            return written(written(text, "json"), "json")
        case "python":
            return text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
        case _:
            return text


@pytest.mark.parametrize("name", STREAMING)
def test_no_more_than_a_few_characters_of_a_long_string_are_ever_held_back(name: str) -> None:
    before, how = STREAMING[name]
    content = (BODY * (LENGTH // len(BODY) + 1))[:LENGTH]
    normalizer = Normalizer(TOOLS, ALL)
    said = "".join(event.text for event in normalizer.feed(before) if isinstance(event, ArgsDelta))
    fed = 0
    encoded = written(content, how)
    for at in range(0, len(encoded), 4):
        piece = encoded[at : at + 4]
        said += "".join(event.text for event in normalizer.feed(piece) if isinstance(event, ArgsDelta))
        fed += len(piece)
        if at % 4096 < 64:
            value = said[said.index('"content":"') + len('"content":"') :] if '"content":"' in said else ""
            assert fed - len(written(json.loads(f'"{value}"'), how)) <= HELD_BACK, f"at {fed}"


def test_a_call_is_announced_before_its_first_argument_is_complete() -> None:
    normalizer = Normalizer(TOOLS, ALL)
    events = normalizer.feed('<tool_call>{"name": "write_file", "arguments": {"path": "a lo')
    assert [type(event) for event in events] == [CallStart, ArgsDelta]


def test_prose_is_said_at_once() -> None:
    normalizer = Normalizer(TOOLS, ALL)
    assert normalizer.feed("The ferry") == [Text("The ferry")]
    assert normalizer.feed(" sails at ") == [Text(" sails at ")]


def test_reasoning_is_said_at_once() -> None:
    normalizer = Normalizer(TOOLS, ALL)
    events: list[Event] = normalizer.feed("<think>The ferry") + normalizer.feed(" sails")
    assert events == [Reasoning("The ferry"), Reasoning(" sails")]


def test_an_answer_known_to_begin_in_reasoning_streams_as_reasoning() -> None:
    normalizer = Normalizer(TOOLS, ALL, Begins.REASONING)
    events = normalizer.feed("Let me think.") + normalizer.feed("</think>Noon.") + normalizer.finish()
    assert events == [Reasoning("Let me think."), Text("Noon.")]
