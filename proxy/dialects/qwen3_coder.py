"""Qwen3-Coder: tags for the function and each parameter, every value on lines of its own.

Small quants forget the outer tag, or the closing tag of a parameter; some write `name="..."`.
Source: the chat template of Qwen3-Coder; llama.cpp's handler.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.tagged import TaggedCall

DIALECT = Dialect(
    name="qwen3_coder",
    models=("qwen3-coder*", "qwen3.5*", "qwen3.6*"),
    grammars=(
        TaggedCall(
            open=("<tool_call>",),
            call=("<function",),
            parameter=("<parameter",),
            parameter_close=("</parameter>",),
            call_close=("</function>",),
            close=("</tool_call>",),
            layout="line",
        ),
    ),
    example="""\
<tool_call>
<function=find_ferry>
<parameter=to>
Coll
</parameter>
</function>
</tool_call>""",
    argument="<parameter=to>\nColl\n</parameter>\n",
)
