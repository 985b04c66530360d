"""JSON on a line of its own that names a tool: what many models print when a server has eaten their tokens.

Source: recorded through Ollama; llama.cpp #18183 for why it must fit the tool.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls
from proxy.core.grammars.named_json import NameLine
from proxy.core.grammars.react import LabelledCall
from proxy.core.offer import Keys

DIALECT = Dialect(
    name="bare_json",
    models=("*",),
    grammars=(
        JsonCalls(),
        NameLine(),
        JsonCalls(
            open=("json", "json:", "tool_call:", "tool_calls:", "tool call:", "function_call:", "function call:"),
            at_line_start=True,
            vouches=False,
        ),
        LabelledCall(
            action=("name:", "tool:", "tool_name:", "function:", "function_name:"),
            input=("arguments:", "parameters:", "args:", "input:", "params:"),
            needs_input=True,
        ),
    ),
    keys=Keys(
        name=("tool", "tool_name", "toolname", "function_name", "func", "fn", "function", "method", "api", "api_name"),
        arguments=(
            "function_args",
            "function_arguments",
            "tool_args",
            "tool_arguments",
            "params",
            "kwargs",
            "parameter",
            "argument",
            "function_parameters",
            "tool_parameters",
            "inputs",
        ),
        wrapper=("tool_call", "tool", "call"),
        label=("thought", "thoughts", "reasoning", "explanation", "reason", "role", "status", "call_id"),
    ),
    example='{"name": "find_ferry", "arguments": {"to": "Coll"}}',
)
