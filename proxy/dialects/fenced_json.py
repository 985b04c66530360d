"""Calls in a code fence that ends the answer, in any dialect; or an answer that is one span of code.

Source: recorded through Ollama; `python`, `bash` and other languages are answers.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.fenced import Fenced

DIALECT = Dialect(
    name="fenced_json",
    models=("*",),
    grammars=(
        Fenced(
            languages=(
                "",
                "json",
                "jsonc",
                "json5",
                "xml",
                "text",
                "plaintext",
                "tool",
                "tools",
                "tool_call",
                "tool_calls",
                "tool_use",
                "function",
                "function_call",
                "function_calls",
                "functions",
                "action",
                "call",
            ),
            span=True,
        ),
    ),
    example="""\
```json
{"name": "find_ferry", "arguments": {"to": "Coll"}}
```""",
)
