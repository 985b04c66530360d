"""Mistral up to tokenizer v7: a token, then a list, perhaps with ids.

Source: mistral-common; the chat templates of Mistral-7B-Instruct-v0.3 and Nemo.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls
from proxy.core.grammars.python_calls import PythonCalls

DIALECT = Dialect(
    name="mistral",
    models=("mistral", "mistral:*", "mistral-nemo*", "mistral-large*", "mixtral*", "pixtral*"),
    grammars=(
        JsonCalls(open=("[TOOL_CALLS]", "[TOOL_CALL]"), close=("[/TOOL_CALLS]", "[/TOOL_CALL]")),
        PythonCalls(open=("[TOOL_CALLS]",), close=("[/TOOL_CALLS]",)),
    ),
    example='[TOOL_CALLS] [{"name": "find_ferry", "arguments": {"to": "Coll"}, "id": "aB3dE5gH1"}]',
)
