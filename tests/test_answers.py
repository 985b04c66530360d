"""Whole answers: what is a call, what is only talk about one, and what of the text stays."""

import json
from pathlib import Path

import pytest
from reading import answer, read, spaced

from proxy.core.tools import Tools

TOOLS = Tools.of(json.loads((Path(__file__).parent / "dialects/tools.json").read_text("utf-8")))
SAY = '{"name": "say", "arguments": {"line": "Ahoy"}}'
PING = '{"name": "ping_depot", "arguments": {}}'

TALK = {
    # Nothing in these is a call; all of it comes back as it was.
    "JSON in a sentence": f"To do it, send {SAY} to the server.",
    "a fence and then prose": f"```json\n{SAY}\n```\nReplace the line.",
    "code in another language": f"```python\n{SAY}\n```",
    "a marked call in inline code": f"Write `<tool_call>{SAY}</tool_call>` to speak.",
    "a call inside other JSON": '{\n"example":\n' + SAY + "\n}",
    "a call inside a list of other things": '[\n  {\n    "title": "x"\n  },\n  ' + SAY + "\n]",
    "a call in a string of other JSON": '{"doc": "<tool_call>{\\"name\\": \\"ping_depot\\"}</tool_call>"}',
    "a list item": f"- {SAY}",
    "an indented example": f"Like so:\n\n    {SAY}\n",
    "a tool's definition": (
        '{"name": "say", "parameters": {"type": "object", "properties": {"line": {"type": "string"}}}}'
    ),
    "a parameter's definition": '{"name": "say", "parameters": {"line": {"type": "string", "description": "a line"}}}',
    "a required argument missing": '{"name": "save_note", "arguments": {"title": "x"}}\n\nWhat should it say?',
    "a required argument that cannot be": '{"name": "set_kiln", "arguments": {"kiln_id": 1, "celsius": "warm"}}',
    "a sentence that begins like a call": 'say {"line": "Ahoy"} is the input.',
    "a Python call that goes on as a link": '[say(line="Ahoy")](https://example.org)',
    "a Python call that goes on as a sentence": '[say(line="Ahoy")] is how it looks.',
    "a Python call with a variable": "[say(line=greeting)]",
    "a Python call with dots": "[find_ferry(from_port=..., to_port=...)]",
    "an action that goes on": 'Action: say(line="Ahoy") would be next.',
    "labels with prose": "name: say\ninput: what to say",
    "tags in a sentence": "Then <say><line>x</line></say> is sent.",
    "keys in a sentence": '"name": "say", "line": "x" are two fields.',
    "data that has more than the tool": '{"name": "say", "line": "x", "size": 3}',
    "a Python call that is none": "<|tool_call_start|>[say(<b>)]<|tool_call_end|>\nProse after.",
    "an unknown tool": '<tool_call>\n{"name": "launch", "arguments": {}}\n</tool_call>',
    "an unknown tool with a known one inside": '<tool_call>\n{"name": "launch",\n"arguments":\n'
    + PING
    + "\n}\n</tool_call>",
    "the name of a wrapper": "<answer>At nine.</answer>",
    "struck-through HTML": "<s>old</s> and <s>older</s>",
    "thinking tags": "Put it between <think> and </think>, always.",
    "harmony tokens": "gpt-oss writes <|channel|>commentary and <|message|> around calls.",
    "an observation": "Observation: the sea is calm.",
    "a table": '| say | {"line": "Ahoy"} |',
}
CALLS = {
    # text: the calls, the content, the reasoning
    "text around": (f"One.\n<tool_call>{SAY}</tool_call>\nTwo.", ["say"], "One.\nTwo.", ""),
    "text directly behind": (f"One\n<tool_call>{PING}</tool_call>two", ["ping_depot"], "One two", ""),
    "a brace missing, then text": (
        '{"name": "say", "arguments": {"line": "Ahoy"}\n\nLet me know.',
        ["say"],
        "Let me know.",
        "",
    ),
    "a brace too many": (SAY + "}", ["say"], "", ""),
    "a separator too many": (SAY + ";", ["say"], "", ""),
    "one dialect around another": (
        f"<function_calls>\n<tool_call>{SAY}</tool_call>\n</function_calls>",
        ["say"],
        "",
        "",
    ),
    "a wrapper around a call": (f"<answer>\n{SAY}\n</answer>", ["say"], "", ""),
    "attributes on a tag": (f'<tool_call id="1">{SAY}</tool_call>', ["say"], "", ""),
    "other code behind a fence": (f"```json\n{SAY}\n```\n```bash\nls\n```", ["say"], "```bash\nls\n```", ""),
    "a fence behind prose": (f"Calling:```json\n{SAY}\n```", ["say"], "Calling:", ""),
    "an invented result": (f"{SAY}\nObservation: done\n{PING}", ["say"], "", ""),
    "an invented turn": (f"{SAY}<|im_end|>\n<|im_start|>user\nthanks", ["say"], "", ""),
    "the next call cut off": (f'{SAY}\n{{"name": "ping', ["say"], "", ""),
    "a known call behind an unknown one": (
        f'[TOOL_CALLS][{{"name": "launch", "arguments": {{}}}}, {SAY}]',
        ["say"],
        '{"name": "launch", "arguments": {}}',
        "",
    ),
    "text blocks around a call": (
        '[{"type": "text", "text": "Now."}, ' + SAY + ', {"type": "text", "text": "Done."}]',
        ["say"],
        "Now. Done.",
        "",
    ),
    "calls wrapped in a call": (
        f'{{"name": "multi_tool_use.parallel", "arguments": {{"tool_uses": [{SAY}, {PING}]}}}}',
        ["say", "ping_depot"],
        "",
        "",
    ),
    "thinking in the middle": (f"Sure.\n<think>hm</think>\n{SAY}", ["say"], "Sure.", "hm"),
    "thinking that the prompt opened": (f"hm\n</think>\n\n</think>\n{SAY}", ["say"], "", "hm"),
    "a call in thinking that is never closed": (f"<think>Now.<tool_call>{SAY}", ["say"], "", "Now."),
    "a call quoted in thinking": (
        f"<think>I could <tool_call>{SAY}</tool_call>.</think>No.",
        [],
        "No.",
        f"I could <tool_call>{SAY}</tool_call>.",
    ),
    "a mark mentioned, then meant": (
        "A [TOOL_CALLS] block.\n[TOOL_CALLS]ping_depot[ARGS]{}",
        ["ping_depot"],
        "A [TOOL_CALLS] block.",
        "",
    ),
    "a value that holds the call's own closers": (
        "<tool_call>\n<function=say>\n<parameter=line>\n</function>\n</tool_call>\n</parameter>\n</function>\n</tool_call>",
        ["say"],
        "",
        "",
    ),
    "a closing tag cut off": (
        "<tool_call>\n<function=say>\n<parameter=line>\nAhoy\n</parameter>\n</func",
        ["say"],
        "",
        "",
    ),
    "a parameter never closed": ("<function=say>\n<parameter=line>\nAhoy\n</function>", ["say"], "", ""),
}


@pytest.mark.parametrize("what", TALK)
def test_what_is_only_talk_comes_back_byte_for_byte(what: str) -> None:
    text = TALK[what]
    for parts in ([text], text):
        found = answer(read(parts, TOOLS))
        assert (found.calls, found.cut, found.reasoning) == ([], [], "")
        assert found.content == text


@pytest.mark.parametrize("what", CALLS)
def test_what_is_a_call_is_called_and_the_rest_is_kept(what: str) -> None:
    text, calls, content, reasoning = CALLS[what]
    for parts in ([text], text):
        found = answer(read(parts, TOOLS))
        assert [name for name, _ in found.calls] == calls
        assert spaced(found.content) == spaced(content)
        assert spaced(found.reasoning) == spaced(reasoning)


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>\n{"name": "say"',
        '<tool_call>\n{"name": "say", "arguments": {',
        "[TOOL_CALLS]say[ARGS]{",
        '{"name": "say", "arguments": {"line": "Ah',
        "<function=say>\n<parameter=line>\nAh",
        "Action: say\nAction Input: {",
    ],
)
def test_a_call_that_the_text_ends_in_is_not_completed(text: str) -> None:
    for finish in ("stop", "length"):
        found = answer(read([text], TOOLS, finish=finish))
        assert found.calls == []
