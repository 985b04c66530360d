"""Kimi K2: sections of calls, each with an id that counts through the conversation.

Source: the chat template of Kimi-K2-Instruct; the id belongs into `tool_call.id`.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.named_json import NamedJson
from proxy.core.grammars.sections import Thinking

DIALECT = Dialect(
    name="kimi_k2",
    models=("kimi-k2*",),
    grammars=(
        NamedJson(
            open=("<|tool_calls_section_begin|>", "<|tool_call_begin|>"),
            separators=("<|tool_call_argument_begin|>",),
            close=("<|tool_call_end|>", "<|tool_calls_section_end|>"),
            stripped=("functions.",),
        ),
        Thinking(open=("◁think▷",), close=("◁/think▷",)),
    ),
    example='<|tool_calls_section_begin|><|tool_call_begin|>functions.find_ferry:0<|tool_call_argument_begin|>{"to": "Coll"}<|tool_call_end|><|tool_calls_section_end|>',
)
