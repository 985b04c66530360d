"""Solar Open: an id, the name and JSON, each behind a token.

Source: the chat template of Solar-Open.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.named_json import NamedJson

DIALECT = Dialect(
    name="solar_open",
    models=("solar-open*",),
    grammars=(
        NamedJson(
            open=("<|tool_call:begin|>", "<|tool_calls|>"),
            separators=("<|tool_call:name|>", "<|tool_call:args|>"),
            close=("<|tool_call:end|>", "<|/tool_calls|>"),
        ),
    ),
    example='<|tool_call:begin|>c0ffee<|tool_call:name|>find_ferry<|tool_call:args|>{"to": "Coll"}<|tool_call:end|>',
)
