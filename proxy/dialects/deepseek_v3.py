"""DeepSeek V3 and R1: a type and the name behind tokens, then fenced JSON.

The bars are U+FF5C, the blocks U+2581; servers also print them as `_` or a space.
Source: the chat templates of DeepSeek-V3-0324 and R1-0528; llama.cpp's list of openings.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls
from proxy.core.grammars.named_json import NamedJson

_BARS, _JOINTS = ("｜", "|"), ("▁", "_", " ", "\\_")
"""How servers print the bars (U+FF5C) and the blocks (U+2581) of the tokens."""


def _spelled(*words: str) -> tuple[str, ...]:
    return tuple(f"<{bar}{word.replace('▁', joint)}{bar}>" for word in words for bar in _BARS for joint in _JOINTS)


DIALECT = Dialect(
    name="deepseek_v3",
    models=("deepseek-v3", "deepseek-v3:*", "deepseek-r1*"),
    grammars=(
        NamedJson(
            open=_spelled("tool▁calls▁begin", "tool▁call▁begin", "tool▁calls"),
            separators=_spelled("tool▁sep"),
            close=_spelled("tool▁call▁end", "tool▁calls▁end"),
            stripped=("function<｜tool▁sep｜>",),
        ),
        JsonCalls(open=_spelled("tool▁call▁begin"), close=_spelled("tool▁call▁end")),
    ),
    example="""\
<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>find_ferry
```json
{"to": "Coll"}
```<｜tool▁call▁end｜><｜tool▁calls▁end｜>""",
)
