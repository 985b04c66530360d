"""Hunyuan 3: GLM's pairs behind a separator, in an outer tag; shipping tokenizers add a suffix to every tag.

Source: the `hy_v3` parser of vLLM, `hunyuan` of SGLang.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.key_value import KeyValueCall
from proxy.core.grammars.sections import Thinking

DIALECT = Dialect(
    name="hy_v3",
    models=("hunyuan-3*", "hy3*", "hy-v3*"),
    grammars=(
        KeyValueCall(around=("<tool_calls>",), close=("</tool_call>", "</tool_calls>")),
        KeyValueCall(
            around=("<tool_calls:opensource>",),
            open=("<tool_call:opensource>",),
            close=("</tool_call:opensource>", "</tool_calls:opensource>"),
            suffix=":opensource",
        ),
        Thinking(open=("<think:opensource>",), close=("</think:opensource>",)),
    ),
    example="""\
<tool_calls>
<tool_call>find_ferry<tool_sep>
<arg_key>to</arg_key>
<arg_value>Coll</arg_value>
</tool_call>
</tool_calls>""",
    argument="<arg_key>to</arg_key>\n<arg_value>Coll</arg_value>\n",
)
