"""Python calls in a list, or one that is the whole answer: Llama 3.2 and 4, ToolACE, watt-tool.

Source: the `pythonic` parsers of vLLM and SGLang.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.python_calls import PythonCalls, WholePythonCall

DIALECT = Dialect(
    name="pythonic",
    models=("llama3.2*", "toolace*", "watt-tool*", "llama4*"),
    grammars=(
        PythonCalls(),
        WholePythonCall(),
    ),
    example="[find_ferry(to='Coll')]",
)
