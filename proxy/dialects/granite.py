"""Granite 3: a token or `<tool_call>`, then a list; the name often behind the arguments. Reasoning in prose.

Source: the `granite` parsers of vLLM; the chat templates of granite-3.x.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls
from proxy.core.grammars.named_json import NamedJson
from proxy.core.grammars.sections import Thinking
from proxy.dialects import hermes

DIALECT = Dialect(
    name="granite",
    models=("granite3*", "granite-3*"),
    family="hermes",
    grammars=(
        JsonCalls(open=("<|tool_call|>",), close=("<|/tool_call|>",)),
        NamedJson(open=("<|tool_call|>",), close=("<|/tool_call|>",)),
        *hermes.DIALECT.grammars,
        Thinking(
            open=("Here is my thought process:", "Here's my thought process:"),
            close=("Here is my response:", "Here's my response:"),
            prose=True,
        ),
    ),
    example='<|tool_call|>[{"arguments": {"to": "Coll"}, "name": "find_ferry"}]',
)
