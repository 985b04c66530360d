"""Step 3: `<steptml:invoke>` behind tokens. The bars are U+FF5C, the underscores ASCII.

Source: the `step3` parsers of vLLM and SGLang.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.tagged import TaggedCall

DIALECT = Dialect(
    name="step3",
    models=("step3", "step3:*", "step-3:*"),
    grammars=(
        TaggedCall(
            open=("<｜tool_calls_begin｜>", "<｜tool_call_begin｜>function<｜tool_sep｜>", "<｜tool_call_begin｜>"),
            call=("<steptml:invoke",),
            parameter=("<steptml:parameter",),
            parameter_close=("</steptml:parameter>",),
            call_close=("</steptml:invoke>",),
            close=("<｜tool_call_end｜>", "<｜tool_calls_end｜>"),
        ),
    ),
    example="""\
<｜tool_calls_begin｜>
<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="find_ferry">
<steptml:parameter name="to">Coll</steptml:parameter>
</steptml:invoke><｜tool_call_end｜>
<｜tool_calls_end｜>""",
    argument='<steptml:parameter name="to">Coll</steptml:parameter>\n',
)
