"""GigaChat 3: the function role of the template (3.0) or a token (3.1) before JSON, nothing behind.

Source: the `gigachat3` parsers of vLLM and SGLang.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls

DIALECT = Dialect(
    name="gigachat3",
    models=("gigachat*",),
    grammars=(
        JsonCalls(open=("<|function_call|>", "<|message_sep|>\n\nfunction call<|role_sep|>")),
        JsonCalls(open=("function call<|role_sep|>",), at_line_start=True),
    ),
    example='<|function_call|>{"name": "find_ferry", "arguments": {"to": "Coll"}}',
)
