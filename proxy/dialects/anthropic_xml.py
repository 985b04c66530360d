"""Claude's old XML, which models tuned on its output write: `<invoke>` inside `<function_calls>`, or JSON there.

Source: Anthropic's tool use before the Messages API; leaked tags have the namespace `antml:`.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls
from proxy.core.grammars.tag_named import NameTagCall
from proxy.core.grammars.tagged import TaggedCall

DIALECT = Dialect(
    name="anthropic_xml",
    models=("claude*",),
    grammars=(
        TaggedCall(
            open=("<function_calls>", "<tool_calls>"),
            call=("<invoke",),
            parameter=("<parameter",),
            parameter_close=("</parameter>",),
            call_close=("</invoke>",),
            close=("</function_calls>", "</tool_calls>"),
        ),
        TaggedCall(
            open=("<function_calls>", "<antml:function_calls>"),
            call=("<antml:invoke",),
            parameter=("<antml:parameter",),
            parameter_close=("</antml:parameter>",),
            call_close=("</antml:invoke>",),
            close=("</function_calls>", "</antml:function_calls>"),
        ),
        NameTagCall(open=("<invoke>", "<function_call>"), name="tool_name", parameters="parameters"),
        JsonCalls(
            open=("<function_calls>", "<antml:function_calls>"), close=("</function_calls>", "</antml:function_calls>")
        ),
    ),
    example="""\
<function_calls>
<invoke name="find_ferry">
<parameter name="to">Coll</parameter>
</invoke>
</function_calls>""",
    argument='<parameter name="to">Coll</parameter>\n',
)
