"""Command-R and R+: `Action:` and a fenced list.

Source: the chat template of c4ai-command-r-v01.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.react import LabelledCall
from proxy.core.offer import Keys

DIALECT = Dialect(
    name="command_r",
    models=("command-r", "command-r:*", "command-r-plus*"),
    grammars=(LabelledCall(action=("Action:",), input=("Action Input:",)),),
    keys=Keys(name=("tool_name",)),
    example="""\
Action: ```json
[
    {"tool_name": "find_ferry", "parameters": {"to": "Coll"}}
]```""",
)
