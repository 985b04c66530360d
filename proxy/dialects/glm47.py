"""GLM 4.7 and 5, Ling 3: GLM 4.5's tags without line breaks.

Source: the chat template of GLM-4.7.
"""

from proxy.core.dialect import Dialect
from proxy.dialects import glm45

DIALECT = Dialect(
    name="glm47",
    models=("glm-4.7*", "glm-5*", "ling-3*"),
    family="glm45",
    grammars=(*glm45.DIALECT.grammars,),
    example="<tool_call>find_ferry<arg_key>to</arg_key><arg_value>Coll</arg_value></tool_call>",
    argument="<arg_key>to</arg_key><arg_value>Coll</arg_value>",
)
