"""Qwen 2.5: Hermes' tags, each on a line of its own.

Source: the chat template of Qwen2.5-Instruct.
"""

from proxy.core.dialect import Dialect
from proxy.dialects import hermes

DIALECT = Dialect(
    name="qwen25",
    models=("qwen2.5*",),
    family="hermes",
    grammars=(*hermes.DIALECT.grammars,),
    example="""\
<tool_call>
{"name": "find_ferry", "arguments": {"to": "Coll"}}
</tool_call>""",
)
