"""Mistral from tokenizer v11: the tool's name behind the token, then JSON.

Source: mistral-common; the `mistral` parser of vLLM.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.named_json import NamedJson
from proxy.core.grammars.sections import Thinking

DIALECT = Dialect(
    name="mistral_v11",
    models=("mistral-small3*", "magistral*", "devstral*", "ministral*", "mistral-medium*"),
    grammars=(
        NamedJson(open=("[TOOL_CALLS]", "[TOOL_CALL]"), separators=("[ARGS]", "[CALL_ID]"), close=("[/TOOL_CALLS]",)),
        Thinking(open=("[THINK]",), close=("[/THINK]",)),
    ),
    example='[TOOL_CALLS]find_ferry[ARGS]{"to": "Coll"}',
)
