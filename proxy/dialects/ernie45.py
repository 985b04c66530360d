"""ERNIE 4.5: Hermes' tags; an answer behind reasoning may stand in `<response>` tags.

Source: the `ernie45` parsers of vLLM.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.sections import Answer
from proxy.dialects import hermes

DIALECT = Dialect(
    name="ernie45",
    models=("ernie-4.5*", "ernie4.5*"),
    family="hermes",
    grammars=(
        *hermes.DIALECT.grammars,
        Answer(open=("<response>",), close=("</response>",), only_behind_reasoning=True),
    ),
    example="""\
<tool_call>
{"name": "find_ferry", "arguments": {"to": "Coll"}}
</tool_call>
""",
)
