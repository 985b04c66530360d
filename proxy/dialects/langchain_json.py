"""LangChain's agents: `action` and `action_input` as JSON, or `<tool>` and `<tool_input>` tags.

Source: LangChain's structured chat, JSON chat and XML agents.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls
from proxy.core.grammars.named_json import NamedJson
from proxy.core.offer import Keys

DIALECT = Dialect(
    name="langchain_json",
    models=("*",),
    grammars=(
        JsonCalls(),
        NamedJson(
            open=("<tool>",),
            separators=("</tool>",),
            body=("<tool_input>",),
            close=("</tool_input>",),
        ),
    ),
    keys=Keys(name=("action",), arguments=("action_input", "actioninput", "tool_input"), wrapper=("action",)),
    example='{"action": "find_ferry", "action_input": {"to": "Coll"}}',
)
