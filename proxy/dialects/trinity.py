"""Trinity: Hermes' tags on lines of their own.

Source: the `trinity` parser of SGLang.
"""

from proxy.core.dialect import Dialect
from proxy.dialects import hermes

DIALECT = Dialect(
    name="trinity",
    models=("*trinity*",),
    family="hermes",
    grammars=(*hermes.DIALECT.grammars,),
    example="""\
<tool_call>
{"name": "find_ferry", "arguments": {"to": "Coll"}}
</tool_call>""",
)
