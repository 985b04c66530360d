"""Calls in tags that no template asked for: models answer in the tag that listed the tools, or make one up.

Source: llama.cpp's Hermes parser before 2026-03, which had collected them; LM Studio's `[TOOL_REQUEST]`; glaive's
`<functioncall>`.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls
from proxy.core.grammars.named_json import NamedJson
from proxy.core.grammars.python_calls import PythonCalls
from proxy.core.grammars.tag_named import NameTagCall

_ORDINARY = ("tool", "tools", "response", "json", "xml", "function", "functions", "call", "action", "output", "request")
"""Tags that may well hold something else: what is in them must fit the tool."""
_TELLING = ("tool_use", "tool-call", "function-call", "functioncall", "tool_request", "api_call", "multiplefunctions")
_BRACKETS = ("TOOL_CALL", "TOOL", "FUNCTION_CALL")

DIALECT = Dialect(
    name="tagged_json",
    models=("*",),
    grammars=(
        JsonCalls(
            open=tuple(f"<{tag}>" for tag in _ORDINARY),
            close=tuple(f"</{tag}>" for tag in _ORDINARY),
            vouches=False,
        ),
        JsonCalls(open=tuple(f"<{tag}>" for tag in _TELLING), close=tuple(f"</{tag}>" for tag in _TELLING)),
        JsonCalls(open=tuple(f"[{tag}]" for tag in _BRACKETS), close=tuple(f"[/{tag}]" for tag in _BRACKETS)),
        JsonCalls(open=("[TOOL_REQUEST]",), close=("[END_TOOL_REQUEST]",)),
        NamedJson(open=("<tool_call>",), close=("</tool_call>",)),
        PythonCalls(open=("<tool_call>",), close=("</tool_call>",)),
        NameTagCall(open=("<tool_call>", "<tool_use>"), name="name", parameters="arguments"),
        NameTagCall(open=("<tool_call>", "<tool_use>"), name="name", parameters="parameters"),
        NameTagCall(open=("<tool_call>", "<tool_use>"), name="tool_name", parameters="parameters"),
        NameTagCall(open=("<tool_use>",), name="name", parameters="input"),
    ),
    example="""\
<tools>
{"name": "find_ferry", "arguments": {"to": "Coll"}}
</tools>""",
)
