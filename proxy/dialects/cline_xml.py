"""Cline and Void XML: the tags are the names of the tool and its parameters. Any model that a client taught it.

Source: the system prompts of Cline and Void.
"""

from proxy.core.dialect import Dialect
from proxy.core.grammars.tag_named import TagNamedCall

DIALECT = Dialect(
    name="cline_xml",
    models=("*",),
    grammars=(TagNamedCall(),),
    example="""\
<find_ferry>
<to>Coll</to>
</find_ferry>""",
    argument="<to>Coll</to>\n",
)
