"""An app for tests, started as the viewer's: `viewer_app.py HOW`. It keeps its place, and does what it is told.

look     write down, beside the socket, how it was started; then end
slow     write down, beside the socket, that it was asked to open_markdown, and do not answer; all else at once
quick    answer everything at once
"""

import asyncio
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from mcp_server.viewer import control
from mcp_server.viewer.door import listening
from mcp_server.viewer.place import AlreadyRunning, Place

Json = dict[str, Any]
WINDOW = {"windowId": "abc-123", "title": f"of {os.getpid()}", "alwaysOnTop": False, "size": "m"}


async def unanswered(_: Json) -> Json:
    """Say that it was asked, and nothing more."""
    note("asked")
    await asyncio.Event().wait()
    return WINDOW


def note(word: str) -> None:
    """Write a word down, beside the socket."""
    with Path(f"{Place.of().socket}.{word}").open("a") as file:
        file.write(f"{word}\n")


async def answered(_: Json) -> Json:
    """Answer at once, whatever was asked."""
    return WINDOW | {"closed": 1, "windows": [WINDOW]}


async def serve(place: Place, how: str) -> None:
    actions = dict.fromkeys(("update_markdown", "close_viewer", "list_viewers"), answered)
    with listening(place) as door:
        async with control.serve(door, actions | {"open_markdown": unanswered if how == "slow" else answered}):
            await asyncio.Event().wait()


def look(place: Place) -> None:
    seen = {
        "cwd": str(Path.cwd()),
        "descriptors": sorted(int(one.name) for one in [*Path("/proc/self/fd").iterdir()] if one.exists()),
        "leads": os.getsid(0) == os.getpid(),
        "streams": [str(Path(f"/proc/self/fd/{one}").readlink()) for one in (0, 1, 2)],
        "socket": place.socket,
    }
    draft = Path(place.socket + ".seen.new")
    draft.write_text(json.dumps(seen), "utf-8")
    draft.rename(place.socket + ".seen")


if __name__ == "__main__":
    here = Place.of()
    if sys.argv[1] == "look":
        look(here)
    else:
        with suppress(AlreadyRunning), here.held():
            asyncio.run(serve(here, sys.argv[1]))
