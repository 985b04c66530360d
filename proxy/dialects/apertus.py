"""Apertus: a list between tokens; the key of each object is the tool's name.

Source: the `apertus` parser of vLLM, `apertus2509` of SGLang.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls
from proxy.core.grammars.sections import Thinking

DIALECT = Dialect(
    name="apertus",
    models=("apertus*",),
    grammars=(
        JsonCalls(open=("<|tools_prefix|>",), close=("<|tools_suffix|>",)),
        Thinking(open=("<|inner_prefix|>",), close=("<|inner_suffix|>",)),
    ),
    example='<|tools_prefix|>[{"find_ferry": {"to": "Coll"}}]<|tools_suffix|>',
)
