"""MiniMax M2: `<invoke>` and `<parameter>` inside a tag of its own, values verbatim.

Source: the chat template of MiniMax-M2.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.tagged import TaggedCall

DIALECT = Dialect(
    name="minimax_m2",
    models=("minimax-m2*",),
    grammars=(
        TaggedCall(
            open=("<minimax:tool_call>",),
            call=("<invoke",),
            parameter=("<parameter",),
            parameter_close=("</parameter>",),
            call_close=("</invoke>",),
            close=("</minimax:tool_call>",),
        ),
    ),
    example="""\
<minimax:tool_call>
<invoke name="find_ferry">
<parameter name="to">Coll</parameter>
</invoke>
</minimax:tool_call>""",
    argument='<parameter name="to">Coll</parameter>\n',
)
