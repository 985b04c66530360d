"""OpenAI's own shapes printed as text: `tool_calls`, `function_call`, items of the Responses API, `multi_tool_use`.

Source: recorded through Ollama.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls
from proxy.core.offer import Keys

DIALECT = Dialect(
    name="openai_json",
    models=("*",),
    grammars=(JsonCalls(),),
    keys=Keys(
        name=("recipient_name",),
        wrapper=(
            "tool_calls",
            "tool_uses",
            "function_call",
            "function_calls",
            "calls",
            "message",
            "choices",
            "output",
            "actions",
            "tools",
            "functions",
        ),
        text=("content",),
        label=("call_id", "role", "refusal", "finish_reason"),
    ),
    example='{"tool_calls": [{"type": "function", "function": {"name": "find_ferry", "arguments": "{\\"to\\": \\"Coll\\"}"}}]}',
)
