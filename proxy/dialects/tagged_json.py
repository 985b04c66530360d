"""JSON calls in tags that no template asked for: models answer in the tag that listed the tools, or make one up.

Source: llama.cpp's Hermes parser before 2026-03, which had collected them.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.json_calls import JsonCalls
from proxy.core.grammars.named_json import NamedJson
from proxy.core.grammars.python_calls import PythonCalls

DIALECT = Dialect(
    name="tagged_json",
    models=("*",),
    grammars=(
        JsonCalls(
            open=(
                "<tool>",
                "<tools>",
                "<response>",
                "<json>",
                "<xml>",
                "<function>",
                "<functions>",
                "<tool_use>",
                "<function-call>",
                "<tool-call>",
                "<call>",
                "<action>",
            ),
            close=(
                "</tool>",
                "</tools>",
                "</response>",
                "</json>",
                "</xml>",
                "</function>",
                "</functions>",
                "</tool_use>",
                "</function-call>",
                "</tool-call>",
                "</call>",
                "</action>",
            ),
            vouches=False,
        ),
        JsonCalls(
            open=("[TOOL_CALL]", "[TOOL]", "[FUNCTION_CALL]"), close=("[/TOOL_CALL]", "[/TOOL]", "[/FUNCTION_CALL]")
        ),
        NamedJson(open=("<tool_call>",), close=("</tool_call>",)),
        PythonCalls(open=("<tool_call>",), close=("</tool_call>",)),
    ),
    example="""\
<tools>
{"name": "find_ferry", "arguments": {"to": "Coll"}}
</tools>""",
)
