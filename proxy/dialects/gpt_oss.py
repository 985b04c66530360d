"""gpt-oss: Harmony messages; a call is a message to a function.

Source: openai/harmony; the `openai` parser of vLLM.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.channels import Channels

DIALECT = Dialect(
    name="gpt_oss",
    models=("gpt-oss*",),
    grammars=(
        Channels(
            open=("<|start|>assistant",),
            line=("<|channel|>",),
            start=("commentary to=", "assistantcommentary to=", "to=functions."),
        ),
    ),
    example='<|channel|>commentary to=functions.find_ferry <|constrain|>json<|message|>{"to": "Coll"}<|call|>',
)
