"""JSON calls in a row: glued, on lines of their own, with commas, semicolons or blank lines between them.

Source: recorded through Ollama.
"""

from proxy.core.dialect import Dialect
from proxy.dialects import bare_json

DIALECT = Dialect(
    name="json_seq",
    models=("*",),
    family="bare_json",
    grammars=(*bare_json.DIALECT.grammars,),
    example='{"name": "find_ferry", "arguments": {"to": "Coll"}}; {"name": "ping", "arguments": {}}',
)
