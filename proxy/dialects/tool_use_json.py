"""Anthropic's content blocks printed as text: `tool_use` with `input`.

Source: Anthropic's Messages API.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls
from proxy.core.offer import Keys

DIALECT = Dialect(
    name="tool_use_json",
    models=("claude*",),
    grammars=(JsonCalls(),),
    keys=Keys(arguments=("input",), wrapper=("tool_use", "content"), label=("role", "stop_reason")),
    example='{"type": "tool_use", "id": "toolu_01", "name": "find_ferry", "input": {"to": "Coll"}}',
)
