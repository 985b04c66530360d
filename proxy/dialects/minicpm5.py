"""MiniCPM 5: real XML without a wrapper; values may be CDATA.

Source: the `minicpm5` parsers of vLLM and SGLang.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.tagged import TaggedCall

DIALECT = Dialect(
    name="minicpm5",
    models=("minicpm5*", "minicpm-5*"),
    grammars=(
        TaggedCall(
            call=("<function ", "<functionname"),
            parameter=("<param ", "<paramname"),
            parameter_close=("</param>",),
            call_close=("</function>",),
            needs_all=True,
        ),
    ),
    example='<function name="find_ferry"><param name="to">Coll</param></function>',
    argument='<param name="to">Coll</param>',
)
