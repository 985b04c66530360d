"""InternLM 2 and 2.5: a plugin token, then JSON with `parameters`.

Source: the `internlm` parser of vLLM.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls

DIALECT = Dialect(
    name="internlm2",
    models=("internlm2*",),
    grammars=(
        JsonCalls(
            open=(
                "<|action_start|><|plugin|>",
                "<|action_start|> <|plugin|>",
                "<|action_start|>\n<|plugin|>",
                "<|action_start|>",
                "<|plugin|>",
            ),
            close=("<|action_end|>",),
        ),
    ),
    example="""\
<|action_start|><|plugin|>
{"name": "find_ferry", "parameters": {"to": "Coll"}}<|action_end|>""",
)
