"""Llama 3.1 to 4: JSON with `parameters`, behind `<|python_tag|>` or bare, separated by semicolons.

Source: the chat templates of Llama-3.1 and 3.2 Instruct.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls
from proxy.core.grammars.python_calls import PythonCalls

DIALECT = Dialect(
    name="llama3_json",
    models=("llama3*", "llama-3*"),
    grammars=(
        JsonCalls(open=("<|python_tag|>",)),
        PythonCalls(open=("<|python_tag|>",)),
        JsonCalls(),
    ),
    example='<|python_tag|>{"name": "find_ferry", "parameters": {"to": "Coll"}}',
)
