"""OLMo 3: Python calls, one a line, between tags.

Source: the `olmo3` parser of vLLM.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.python_calls import PythonCalls

DIALECT = Dialect(
    name="olmo3",
    models=("olmo-3*", "olmo3*"),
    grammars=(PythonCalls(open=("<function_calls>",), close=("</function_calls>",)),),
    example="<function_calls>find_ferry(to='Coll')</function_calls>",
)
