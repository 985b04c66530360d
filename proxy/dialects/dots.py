"""dots: `<invoke>` or JSON inside a tag of its own; white space around values is not theirs.

Source: the `dots` parsers of vLLM and SGLang.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls
from proxy.core.grammars.tagged import TaggedCall

DIALECT = Dialect(
    name="dots",
    models=("dots*",),
    grammars=(
        TaggedCall(
            open=("<dots_function_call>",),
            call=("<invoke",),
            parameter=("<parameter",),
            parameter_close=("</parameter>",),
            call_close=("</invoke>",),
            close=("</dots_function_call>",),
            layout="strip",
        ),
        JsonCalls(open=("<dots_function_call>",), close=("</dots_function_call>",)),
    ),
    example="""\
<dots_function_call>
<invoke name="find_ferry">
<parameter name="to">Coll</parameter>
</invoke>
</dots_function_call>""",
    argument='<parameter name="to">Coll</parameter>\n',
)
