"""Poolside Laguna: GLM 4.5's tags.

Source: the `poolside_v1` parsers of vLLM and SGLang.
"""

from proxy.core.dialect import Dialect
from proxy.dialects import glm45

DIALECT = Dialect(
    name="poolside_v1",
    models=("laguna*", "poolside*"),
    family="glm45",
    grammars=(*glm45.DIALECT.grammars,),
    example="""\
<tool_call>find_ferry
<arg_key>to</arg_key>
<arg_value>Coll</arg_value>
</tool_call>""",
    argument="<arg_key>to</arg_key>\n<arg_value>Coll</arg_value>\n",
)
