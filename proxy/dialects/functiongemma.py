"""FunctionGemma: Gemma 4's braces with words in place of tokens.

Source: the `functiongemma` parser of vLLM.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.gemma import GemmaCall

DIALECT = Dialect(
    name="functiongemma",
    models=("functiongemma*",),
    grammars=(GemmaCall(open=("<start_function_call>",), close=("<end_function_call>",), quote="<escape>"),),
    example="<start_function_call>call:find_ferry{to:<escape>Coll<escape>}<end_function_call>",
    argument="to:<escape>Coll<escape>",
)
