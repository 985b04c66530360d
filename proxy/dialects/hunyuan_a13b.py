"""Hunyuan A13B: Jamba's list; an answer behind reasoning stands in `<answer>` tags.

Source: the `hunyuan_a13b` parsers of vLLM.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.sections import Answer
from proxy.dialects import jamba

DIALECT = Dialect(
    name="hunyuan_a13b",
    models=("hunyuan-a13b*",),
    family="jamba",
    grammars=(
        *jamba.DIALECT.grammars,
        Answer(open=("<answer>",), close=("</answer>",), only_behind_reasoning=True),
    ),
    example='<tool_calls>[{"name": "find_ferry", "arguments": {"to": "Coll"}}]</tool_calls>',
)
