"""Intern-S1: InternLM's tokens with a space between them.

Source: the `interns1` parser of SGLang.
"""

from proxy.core.dialect import Dialect
from proxy.dialects import internlm2

DIALECT = Dialect(
    name="interns1",
    models=("intern-s1*", "*interns1*"),
    family="internlm2",
    grammars=(*internlm2.DIALECT.grammars,),
    example="""\
<|action_start|> <|plugin|>
{"name": "find_ferry", "parameters": {"to": "Coll"}}<|action_end|>""",
)
