"""DeepSeek V3 and R1: a type and the name behind tokens, then fenced JSON.

The bars are U+FF5C, the blocks U+2581; servers also print them as `_` or a space.
Source: the chat templates of DeepSeek-V3-0324 and R1-0528; llama.cpp's list of openings.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.named_json import NamedJson

DIALECT = Dialect(
    name="deepseek_v3",
    models=("deepseek-v3", "deepseek-v3:*", "deepseek-r1*"),
    grammars=(
        NamedJson(
            open=(
                "<｜tool▁calls▁begin｜>",
                "<｜tool▁call▁begin｜>",
                "<｜tool_calls_begin｜>",
                "<｜tool_call_begin｜>",
                "<｜tool calls begin｜>",
                "<｜tool call begin｜>",
                "<｜tool\\_calls\\_begin｜>",
                "<｜tool▁calls｜>",
            ),
            separators=("<｜tool▁sep｜>", "<｜tool_sep｜>", "<｜tool sep｜>", "<｜tool\\_sep｜>"),
            close=(
                "<｜tool▁call▁end｜>",
                "<｜tool▁calls▁end｜>",
                "<｜tool_call_end｜>",
                "<｜tool_calls_end｜>",
                "<｜tool call end｜>",
                "<｜tool calls end｜>",
            ),
            stripped=("function<｜tool▁sep｜>",),
        ),
    ),
    example="""\
<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>find_ferry
```json
{"to": "Coll"}
```<｜tool▁call▁end｜><｜tool▁calls▁end｜>""",
)
