"""The reasoning tags that many families share. Not a way to call: a way not to.

Source: the chat templates of Qwen3, DeepSeek-R1, GLM 4.5 and others; `<thinking>` is Claude's and widely copied.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.sections import Thinking

DIALECT = Dialect(
    name="thinking",
    models=("*",),
    grammars=(
        Thinking(open=("<think>",), close=("</think>",)),
        Thinking(open=("<thinking>",), close=("</thinking>",)),
        Thinking(open=("<thought>",), close=("</thought>",)),
        Thinking(open=("<reasoning>",), close=("</reasoning>",)),
    ),
    example="<think>The ferry tool fits.</think>",
)
