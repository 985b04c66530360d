"""DeepSeek V3.1: V3's tokens without type and fence.

Source: the chat template of DeepSeek-V3.1.
"""

from proxy.core.dialect import Dialect
from proxy.dialects import deepseek_v3

DIALECT = Dialect(
    name="deepseek_v31",
    models=("deepseek-v3.1*",),
    family="deepseek_v3",
    grammars=(*deepseek_v3.DIALECT.grammars,),
    example='<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>find_ferry<｜tool▁sep｜>{"to": "Coll"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
)
