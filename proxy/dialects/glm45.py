"""GLM 4.5 and 4.6: a name, then pairs of key and value tags on lines of their own.

Source: the chat template of GLM-4.5.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.key_value import KeyValueCall

DIALECT = Dialect(
    name="glm45",
    models=("glm-4.5*", "glm-4.6*", "glm4*"),
    grammars=(KeyValueCall(nameline=True),),
    example="""\
<tool_call>find_ferry
<arg_key>to</arg_key>
<arg_value>Coll</arg_value>
</tool_call>""",
    argument="<arg_key>to</arg_key>\n<arg_value>Coll</arg_value>\n",
)
