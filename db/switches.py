"""Which tools are switched on. One that nobody has switched is on."""

from db.database import Database


def switched_off(database: Database) -> set[str]:
    """The names of the tools that may not be called."""
    return {row["tool"] for row in database.rows("SELECT tool FROM tool_switches WHERE NOT enabled")}


def switch(database: Database, tool: str, *, enabled: bool) -> None:
    """Switch a tool on or off, for every process that uses this database."""
    with database.writing() as connection:
        connection.execute(
            "INSERT INTO tool_switches (tool, enabled) VALUES (?, ?)"
            " ON CONFLICT (tool) DO UPDATE SET enabled = excluded.enabled",
            (tool, int(enabled)),
        )
