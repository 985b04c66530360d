"""xLAM: a bare list of calls, or one fenced, or one behind the tags of others.

Source: the `xlam` parser of vLLM.
"""

from proxy.core.dialect import Dialect
from proxy.dialects import bare_json, fenced_json

DIALECT = Dialect(
    name="xlam",
    models=("*xlam*",),
    family="bare_json",
    grammars=(
        *bare_json.DIALECT.grammars,
        *fenced_json.DIALECT.grammars,
    ),
    example='[{"name": "find_ferry", "arguments": {"to": "Coll"}}]',
)
