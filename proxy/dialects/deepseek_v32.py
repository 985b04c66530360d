"""DeepSeek V3.2 (DSML): tags with a bar token; each parameter says whether it is a string.

The bars are U+FF5C; they have been seen doubled.
Source: the encoding of DeepSeek-V3.2; the `deepseek_v32` parsers of vLLM and SGLang.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.tagged import TaggedCall

DIALECT = Dialect(
    name="deepseek_v32",
    models=("deepseek-v3.2*",),
    grammars=(
        TaggedCall(
            open=("<｜DSML｜function_calls>",),
            call=("<｜DSML｜invoke",),
            parameter=("<｜DSML｜parameter",),
            parameter_close=("</｜DSML｜parameter>",),
            call_close=("</｜DSML｜invoke>",),
            close=("</｜DSML｜function_calls>",),
        ),
        TaggedCall(
            open=("<|DSML|function_calls>",),
            call=("<|DSML|invoke",),
            parameter=("<|DSML|parameter",),
            parameter_close=("</|DSML|parameter>",),
            call_close=("</|DSML|invoke>",),
            close=("</|DSML|function_calls>",),
        ),
        TaggedCall(
            open=("<｜｜DSML｜｜function_calls>",),
            call=("<｜｜DSML｜｜invoke",),
            parameter=("<｜｜DSML｜｜parameter",),
            parameter_close=("</｜｜DSML｜｜parameter>",),
            call_close=("</｜｜DSML｜｜invoke>",),
            close=("</｜｜DSML｜｜function_calls>",),
        ),
    ),
    example="""\
<｜DSML｜function_calls>
<｜DSML｜invoke name="find_ferry">
<｜DSML｜parameter name="to" string="true">Coll</｜DSML｜parameter>
</｜DSML｜invoke>
</｜DSML｜function_calls>""",
    argument='<｜DSML｜parameter name="to" string="true">Coll</｜DSML｜parameter>\n',
)
