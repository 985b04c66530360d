"""Seed-OSS: Qwen3-Coder's tags inside `<seed:tool_call>`, and a thinking tag of its own.

Source: the `seed_oss` parser of vLLM.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.sections import Thinking
from proxy.core.grammars.tagged import TaggedCall

DIALECT = Dialect(
    name="seed_oss",
    models=("seed-oss*",),
    grammars=(
        TaggedCall(
            open=("<seed:tool_call>",),
            call=("<function",),
            parameter=("<parameter",),
            parameter_close=("</parameter>",),
            call_close=("</function>",),
            close=("</seed:tool_call>",),
            layout="line",
        ),
        Thinking(open=("<seed:think>",), close=("</seed:think>",)),
    ),
    example="""\
<seed:tool_call>
<function=find_ferry>
<parameter=to>Coll</parameter>
</function>
</seed:tool_call>""",
    argument="<parameter=to>Coll</parameter>\n",
)
