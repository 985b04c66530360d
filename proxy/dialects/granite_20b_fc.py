"""Granite 20B function calling: a tag before each JSON object and none behind.

Source: the `granite-20b-fc` parser of vLLM.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls

DIALECT = Dialect(
    name="granite_20b_fc",
    models=("granite-20b-functioncalling*",),
    grammars=(JsonCalls(open=("<function_call>", "<function_call:>"), close=("</function_call>",)),),
    example='<function_call> {"name": "find_ferry", "arguments": {"to": "Coll"}}',
)
