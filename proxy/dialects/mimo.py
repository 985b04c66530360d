"""MiMo: Qwen3-Coder's tags, the value beside them.

Source: the `mimo` parsers of vLLM and SGLang.
"""

from proxy.core.dialect import Dialect
from proxy.dialects import qwen3_coder

DIALECT = Dialect(
    name="mimo",
    models=("mimo*",),
    family="qwen3_coder",
    grammars=(*qwen3_coder.DIALECT.grammars,),
    example="""\
<tool_call>
<function=find_ferry>
<parameter=to>Coll</parameter>
</function>
</tool_call>""",
    argument="<parameter=to>Coll</parameter>\n",
)
