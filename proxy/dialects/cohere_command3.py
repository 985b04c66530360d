"""Command R7B and A: a list between tokens, `tool_name` and `parameters`; thinking and answer between tokens, too.

Source: the `cohere_command3` parser of vLLM.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls
from proxy.core.grammars.sections import Answer, Thinking
from proxy.core.offer import Keys

DIALECT = Dialect(
    name="cohere_command3",
    models=("command-r7b*", "command-a*"),
    grammars=(
        JsonCalls(open=("<|START_ACTION|>",), close=("<|END_ACTION|>",)),
        Thinking(open=("<|START_THINKING|>",), close=("<|END_THINKING|>",)),
        Answer(open=("<|START_RESPONSE|>", "<|START_TEXT|>"), close=("<|END_RESPONSE|>", "<|END_TEXT|>")),
    ),
    keys=Keys(name=("tool_name",), label=("tool_call_id",)),
    example="""\
<|START_ACTION|>[
    {"tool_call_id": "0", "tool_name": "find_ferry", "parameters": {"to": "Coll"}}
]<|END_ACTION|>""",
)
