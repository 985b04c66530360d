"""FireFunction v2: Phi-4 mini's word with a space before it.

Source: the chat template of firefunction-v2.
"""

from proxy.core.dialect import Dialect
from proxy.dialects import phi4_mini

DIALECT = Dialect(
    name="firefunction",
    models=("firefunction*",),
    family="phi4_mini",
    grammars=(*phi4_mini.DIALECT.grammars,),
    example=' functools[{"name": "find_ferry", "arguments": {"to": "Coll"}}]',
)
