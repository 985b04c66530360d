"""Step 3.5: Qwen3-Coder's tags.

Source: the `step3p5` parsers of vLLM and SGLang.
"""

from proxy.core.dialect import Dialect
from proxy.dialects import qwen3_coder

DIALECT = Dialect(
    name="step3p5",
    models=("step-3.5*", "step3.5*"),
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
