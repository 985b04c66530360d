"""LongCat-Flash: Hermes' form under a tag of its own.

Source: the `longcat` parser of vLLM.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls
from proxy.core.grammars.sections import Thinking

DIALECT = Dialect(
    name="longcat",
    models=("longcat*",),
    grammars=(
        JsonCalls(open=("<longcat_tool_call>",), close=("</longcat_tool_call>",)),
        Thinking(open=("<longcat_think>",), close=("</longcat_think>",)),
    ),
    example='<longcat_tool_call>{"name": "find_ferry", "arguments": {"to": "Coll"}}</longcat_tool_call>',
)
