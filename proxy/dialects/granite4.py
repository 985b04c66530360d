"""Granite 4: Hermes' tags, the arguments often an escaped string.

Source: the chat template of granite-4.0; vLLM PR #25729.
"""

from proxy.core.dialect import Dialect
from proxy.dialects import hermes

DIALECT = Dialect(
    name="granite4",
    models=("granite4*", "granite-4*"),
    family="hermes",
    grammars=(*hermes.DIALECT.grammars,),
    example='<tool_call>\n{"name": "find_ferry", "arguments": "{\\"to\\": \\"Coll\\"}"}\n</tool_call>',
)
