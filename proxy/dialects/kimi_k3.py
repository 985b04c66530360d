"""Kimi K3 (XTML): tags made of tokens; each argument names its type.

Source: the `kimi_k3` parsers of vLLM and SGLang.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.sections import Answer, Thinking
from proxy.core.grammars.tagged import TaggedCall

DIALECT = Dialect(
    name="kimi_k3",
    models=("kimi-k3*",),
    grammars=(
        TaggedCall(
            open=("<|open|>tools<|sep|>",),
            call=("<|open|>call",),
            parameter=("<|open|>argument",),
            parameter_close=("<|close|>argument<|sep|>",),
            call_close=("<|close|>call<|sep|>",),
            close=("<|close|>json<|sep|>", "<|close|>tools<|sep|>", "<|close|>message<|sep|>"),
            head_end="<|sep|>",
            json=("<|open|>json<|sep|>", '<|open|>json type="object"<|sep|>'),
        ),
        Thinking(open=("<|open|>think<|sep|>",), close=("<|close|>think<|sep|>",)),
        Answer(open=("<|open|>response<|sep|>",), close=("<|close|>response<|sep|>",)),
    ),
    example='<|open|>tools<|sep|><|open|>call tool="find_ferry" index="1"<|sep|><|open|>argument key="to" type="string"<|sep|>Coll<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>',
    argument='<|open|>argument key="to" type="string"<|sep|>Coll<|close|>argument<|sep|>',
)
