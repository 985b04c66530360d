"""MiniMax M3: a namespace token before every tag; parameters are elements and nest.

Source: the `minimax_m3` parsers of vLLM and SGLang.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.elements import ElementCall
from proxy.core.grammars.sections import Thinking

DIALECT = Dialect(
    name="minimax_m3",
    models=("minimax-m3*",),
    grammars=(
        ElementCall(prefix="]<]minimax[>[", around="tool_call", call="invoke"),
        Thinking(open=("<mm:think>",), close=("</mm:think>",)),
    ),
    example="""\
]<]minimax[>[<tool_call>
]<]minimax[>[<invoke name="find_ferry">]<]minimax[>[<to>Coll]<]minimax[>[</to>]<]minimax[>[</invoke>
]<]minimax[>[</tool_call>""",
    argument="]<]minimax[>[<to>Coll]<]minimax[>[</to>",
)
