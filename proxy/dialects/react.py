"""ReAct: `Action:` and `Action Input:` lines, in many hands of Markdown.

Source: Yao et al. 2022; LangChain's and LlamaIndex' prompts.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.react import LabelledCall

DIALECT = Dialect(
    name="react",
    models=("*",),
    grammars=(
        LabelledCall(
            action=(
                "Action:",
                "**Action:**",
                "**Action**:",
                "### Action:",
                "Action：",
                "- Action:",
                "*Action:*",
                "Action :",
                "Action 1:",
                "Action 2:",
            ),
            input=(
                "Action Input:",
                "**Action Input:**",
                "**Action Input**:",
                "### Action Input:",
                "Action Input：",
                "- Action Input:",
                "Action_Input:",
                "ActionInput:",
                "*Action Input:*",
                "Action Input :",
                "Action Input 1:",
                "Action Input 2:",
                "Input:",
                "Arguments:",
            ),
        ),
    ),
    example="""\
Action: find_ferry
Action Input: {"to": "Coll"}""",
)
