"""Phi-4 mini: the word `functools`, then a list. Phi-4 also writes tokens around it.

Source: the `phi4_mini_json` parser of vLLM; microsoft/Phi-4-mini-instruct.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls

DIALECT = Dialect(
    name="phi4_mini",
    models=("phi4-mini*", "phi-4-mini*", "phi4*"),
    grammars=(
        JsonCalls(open=("functools",), at_line_start=True),
        JsonCalls(open=("<|tool_calls|>",), close=("<|/tool_calls|>",)),
    ),
    example='functools[{"name": "find_ferry", "arguments": {"to": "Coll"}}]',
)
