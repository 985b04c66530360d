"""What has changed, for who looks now and then. Triggers in the database count, so it matters not who changed it."""

from typing import NamedTuple

from db.database import Database


class Changes(NamedTuple):
    """Numbers that grow: when a tool is switched on or off, and when the list of documents would look different."""

    tools: int
    documents: int


def changes(database: Database) -> Changes:
    """The numbers now, of whatever file is there now."""
    database.look()
    found = dict(map(tuple, database.rows("SELECT what, version FROM changes")))
    return Changes(found.get("tools", 0), found.get("documents", 0))  # somebody may have emptied the table
