"""Gemini's parts printed as text: `functionCall` with `args`.

Source: Google's Gemini API.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls
from proxy.core.offer import Keys

DIALECT = Dialect(
    name="gemini_json",
    models=("gemini*",),
    grammars=(JsonCalls(),),
    keys=Keys(
        wrapper=("function_call", "functioncall", "parts", "candidates", "content"),
        arguments=("args",),
        label=("role",),
    ),
    example='{"functionCall": {"name": "find_ferry", "args": {"to": "Coll"}}}',
)
