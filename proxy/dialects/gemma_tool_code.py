"""Gemma 2 and 3: Python in a `tool_code` fence, bare, printed or assigned.

Source: Google's function calling guide for Gemma.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.fenced import Fenced
from proxy.core.grammars.python_calls import PythonCalls

DIALECT = Dialect(
    name="gemma_tool_code",
    models=("gemma*", "gemma3*"),
    grammars=(
        Fenced(languages=("tool_code", "tool_call", "tool_calls", "function_call"), python=True),
        PythonCalls(open=("<tool_code>",), close=("</tool_code>",)),
    ),
    example="""\
```tool_code
print(find_ferry(to="Coll"))
```""",
)
