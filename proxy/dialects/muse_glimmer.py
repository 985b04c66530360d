"""Muse Glimmer: messages to oneself, the user or a tool; a call is ATEM tags in a message to the tool.

Source: the `muse_glimmer` parser of vLLM.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.channels import Channels
from proxy.core.grammars.tagged import TaggedCall

DIALECT = Dialect(
    name="muse_glimmer",
    models=("muse-glimmer*",),
    grammars=(
        Channels(open=("<|start|>assistant to=", "<|start|>assistant"), start=("to=",)),
        TaggedCall(
            open=("<atem:function_calls>",),
            call=("<atem:invoke",),
            parameter=("<atem:parameter",),
            parameter_close=("</atem:parameter>",),
            call_close=("</atem:invoke>",),
            close=("</atem:function_calls>",),
        ),
    ),
    example="""\
 to=find_ferry<|message|><atem:function_calls>
<atem:invoke name="find_ferry">
<atem:parameter name="to">Coll</atem:parameter>
</atem:invoke>
</atem:function_calls><|eot|>""",
    argument='<atem:parameter name="to">Coll</atem:parameter>\n',
)
