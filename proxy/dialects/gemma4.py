"""Gemma 4: bare keys in braces, strings between `<|"|>`; thinking in a channel.

Source: the chat template of Gemma 4; the `gemma4` parsers of vLLM and SGLang.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.gemma import GemmaCall
from proxy.core.grammars.sections import Thinking

DIALECT = Dialect(
    name="gemma4",
    models=("gemma4*", "gemma-4*"),
    grammars=(
        GemmaCall(open=("<|tool_call>",), close=("<tool_call|>",), quote='<|"|>'),
        Thinking(open=("<|channel>thought\n", "<|channel>thought"), close=("<channel|>",)),
    ),
    example='<|tool_call>call:find_ferry{to:<|"|>Coll<|"|>}<tool_call|>',
    argument='to:<|"|>Coll<|"|>',
)
