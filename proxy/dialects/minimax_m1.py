"""MiniMax M1: one JSON object a line between Jamba's tags.

Source: the `minimax_m1` parser that vLLM had until 2026-06 (#45993).
"""

from proxy.core.dialect import Dialect
from proxy.dialects import jamba

DIALECT = Dialect(
    name="minimax_m1",
    models=("minimax-m1*",),
    family="jamba",
    grammars=(*jamba.DIALECT.grammars,),
    example="""\
<tool_calls>
{"name": "find_ferry", "arguments": {"to": "Coll"}}
</tool_calls>""",
)
