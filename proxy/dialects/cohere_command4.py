"""Command 4: Command R7B's tokens, the answer between `<|START_TEXT|>` and `<|END_TEXT|>`.

Source: the `cohere_command4` parsers of vLLM and SGLang.
"""

from proxy.core.dialect import Dialect
from proxy.dialects import cohere_command3

DIALECT = Dialect(
    name="cohere_command4",
    models=("command-4*",),
    family="cohere_command3",
    grammars=(*cohere_command3.DIALECT.grammars,),
    keys=cohere_command3.DIALECT.keys,
    example="""\
<|START_ACTION|>[
    {"tool_call_id": "0", "tool_name": "find_ferry", "parameters": {"to": "Coll"}}
]<|END_ACTION|>""",
)
