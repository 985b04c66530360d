"""Jamba 1.5: a list between tags.

Source: the `jamba` parser of vLLM.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls

DIALECT = Dialect(
    name="jamba",
    models=("jamba*",),
    grammars=(JsonCalls(open=("<tool_calls>",), close=("</tool_calls>",)),),
    example="""\
<tool_calls>[
    {"name": "find_ferry", "arguments": {"to": "Coll"}}
]</tool_calls>""",
)
