"""Llama-Nemotron: a list, or one object, between `<TOOLCALL>` tags.

Source: the parser plugin that ships with the model.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls
from proxy.core.grammars.python_calls import PythonCalls

DIALECT = Dialect(
    name="nemotron",
    models=("nemotron*", "llama-*nemotron*"),
    grammars=(
        JsonCalls(open=("<TOOLCALL>",), close=("</TOOLCALL>",)),
        JsonCalls(open=("TOOLCALL>",), at_line_start=True),
        PythonCalls(open=("<TOOLCALL>",), close=("</TOOLCALL>",)),
    ),
    example='<TOOLCALL>[{"name": "find_ferry", "arguments": {"to": "Coll"}}]</TOOLCALL>',
)
