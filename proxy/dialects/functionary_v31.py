"""Functionary v3.1, and Llama 3.1 with custom tools: JSON in a tag that names the tool.

Source: llama.cpp's functionary v3.1 handler.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.named_json import NamedJson

DIALECT = Dialect(
    name="functionary_v31",
    models=("functionary*v3.1*",),
    grammars=(NamedJson(open=("<function=",), separators=(">",), close=("</function>",)),),
    example='<function=find_ferry>{"to": "Coll"}</function>',
)
