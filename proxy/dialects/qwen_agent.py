"""Qwen-Agent: labelled lines between flowers, for Qwen 1.5 and 2 and whoever is prompted so.

Source: Qwen-Agent's `nous`-less function calling prompt (`fncall_prompts/qwen_fncall_prompt.py`).
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.react import LabelledCall

DIALECT = Dialect(
    name="qwen_agent",
    models=("qwen2", "qwen2:*", "qwen1.5*", "qwen-agent*"),
    grammars=(LabelledCall(action=("✿FUNCTION✿:", "✿FUNCTION✿："), input=("✿ARGS✿:", "✿ARGS✿：")),),
    example="""\
✿FUNCTION✿: find_ferry
✿ARGS✿: {"to": "Coll"}""",
)
