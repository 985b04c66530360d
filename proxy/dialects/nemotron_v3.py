"""Nemotron 3: Qwen3-Coder's tags.

Source: the chat template of Nemotron-3.
"""

from proxy.core.dialect import Dialect
from proxy.dialects import qwen3_coder

DIALECT = Dialect(
    name="nemotron_v3",
    models=("nemotron-3*",),
    family="qwen3_coder",
    grammars=(*qwen3_coder.DIALECT.grammars,),
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
