"""LFM2: a list of Python calls, or of JSON objects, between tokens.

Source: the chat template of LFM2; llama.cpp's handler.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls
from proxy.core.grammars.python_calls import PythonCalls

DIALECT = Dialect(
    name="lfm2",
    models=("lfm2*",),
    grammars=(
        PythonCalls(open=("<|tool_call_start|>",), close=("<|tool_call_end|>",)),
        JsonCalls(open=("<|tool_call_start|>",), close=("<|tool_call_end|>",)),
    ),
    example='<|tool_call_start|>[find_ferry(to="Coll")]<|tool_call_end|>',
)
