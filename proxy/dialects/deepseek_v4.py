"""DeepSeek V4 (DSML): V3.2's tags in `tool_calls`; a call without arguments closes itself.

Source: the `deepseek_v4` parsers of vLLM and SGLang.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.tagged import TaggedCall

DIALECT = Dialect(
    name="deepseek_v4",
    models=("deepseek-v4*",),
    grammars=(
        TaggedCall(
            open=("<｜DSML｜tool_calls>",),
            call=("<｜DSML｜invoke",),
            parameter=("<｜DSML｜parameter",),
            parameter_close=("</｜DSML｜parameter>",),
            call_close=("</｜DSML｜invoke>",),
            close=("</｜DSML｜tool_calls>",),
        ),
        TaggedCall(
            open=("<|DSML|tool_calls>",),
            call=("<|DSML|invoke",),
            parameter=("<|DSML|parameter",),
            parameter_close=("</|DSML|parameter>",),
            call_close=("</|DSML|invoke>",),
            close=("</|DSML|tool_calls>",),
        ),
        TaggedCall(
            open=("<｜｜DSML｜｜tool_calls>",),
            call=("<｜｜DSML｜｜invoke",),
            parameter=("<｜｜DSML｜｜parameter",),
            parameter_close=("</｜｜DSML｜｜parameter>",),
            call_close=("</｜｜DSML｜｜invoke>",),
            close=("</｜｜DSML｜｜tool_calls>",),
        ),
    ),
    example="""\
<｜DSML｜tool_calls>
<｜DSML｜invoke name="find_ferry">
<｜DSML｜parameter name="to" string="true">Coll</｜DSML｜parameter>
</｜DSML｜invoke>
</｜DSML｜tool_calls>""",
    argument='<｜DSML｜parameter name="to" string="true">Coll</｜DSML｜parameter>\n',
)
