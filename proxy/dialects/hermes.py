"""Hermes: a JSON object between `<tool_call>` tags; the default of Ollama's templates.

Source: NousResearch Hermes-Function-Calling; the `hermes` parsers of vLLM and SGLang.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls

DIALECT = Dialect(
    name="hermes",
    models=("hermes*", "nous-hermes*", "qwen3", "qwen3:*", "qwq*", "*hermes*"),
    grammars=(JsonCalls(open=("<tool_call>", "<tool_call "), close=("</tool_call>", "</tool_call >")),),
    example="""\
<tool_call>
{"name": "find_ferry", "arguments": {"to": "Coll"}}
</tool_call>""",
)
