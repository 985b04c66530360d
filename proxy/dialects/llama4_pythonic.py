"""Llama 4: Python calls between tokens.

Source: the `llama4_pythonic` parser of vLLM.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.python_calls import PythonCalls

DIALECT = Dialect(
    name="llama4_pythonic",
    models=("llama4*", "llama-4*"),
    grammars=(PythonCalls(open=("<|python_start|>",), close=("<|python_end|>",)),),
    example="<|python_start|>[find_ferry(to='Coll')]<|python_end|>",
)
