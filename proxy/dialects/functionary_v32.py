"""Functionary v3.2: the name behind `>>>`, the arguments on the next line; `all` is the answer.

Source: llama.cpp's functionary v3.2 handler.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.named_json import NamedJson, NameLine
from proxy.core.grammars.sections import Answer

DIALECT = Dialect(
    name="functionary_v32",
    models=("functionary*v3.2*", "functionary-small*", "functionary-medium*"),
    grammars=(
        NamedJson(open=(">>>",)),
        Answer(open=(">>>all\n",), close=()),
        NameLine(),
    ),
    example="""\
>>>find_ferry
{"to": "Coll"}""",
)
