"""The registry with the tools of this project and those of the user, for whoever wants to list or call them.

execute_tool("get_employee_info", {"employee_id": "EMP001"})
-> {"success": True, "result": {"id": "EMP001", "name": …}}
"""

from typing import Any

from db.added import Added
from db.database import Database
from db.registry import Registry
from mcp_server.tools import docs, employees, vacations, viewer

TOOLS = (*docs.TOOLS, *employees.TOOLS, *vacations.TOOLS, *viewer.TOOLS)


def default_registry(path: str | None = None) -> Registry:
    """All tools, on the database at `path` or where `db.location` says; it is opened by the first call."""
    database = Database(path)
    return Registry(TOOLS, database, Added({tool.name for tool in TOOLS}, database.path))


def execute_tool(name: str, args: dict[str, Any], caller: str = "python") -> dict[str, Any]:
    """Call one tool: `{"success": True, "result": …}` or `{"success": False, "error": …}`, never an exception."""
    with default_registry() as registry:
        return registry.call(name, args, caller).as_json()
