"""Inkling: blocks with a type; a call is a JSON block with `args`.

Source: the `inkling` parsers of vLLM and SGLang.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.channels import TypedBlocks
from proxy.core.grammars.json_calls import JsonCalls
from proxy.core.offer import Keys

DIALECT = Dialect(
    name="inkling",
    models=("inkling*",),
    grammars=(
        TypedBlocks(
            open="<|message_model|>",
            text="<|content_text|>",
            thinking="<|content_thinking|>",
            tool_text="<|content_invoke_tool_text|>",
            tool_json="<|content_invoke_tool_json|>",
            close=("<|end_message|>", "<|content_model_end_sampling|>"),
        ),
        JsonCalls(open=("<|content_invoke_tool_json|>",), close=("<|end_message|>", "<|content_model_end_sampling|>")),
    ),
    keys=Keys(arguments=("args",)),
    example='<|message_model|>find_ferry<|content_invoke_tool_json|>{"name": "find_ferry", "args": {"to": "Coll"}}<|end_message|>',
)
