"""Whose process it is that asks for a page, as far as the system tells.

Linux has a table of connections, with the user of each:

      sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
       3: 0100007F:A1B2 0100007F:8235 01 00000000:00000000 00:00000000 00000000  1000        0 81244 …
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from starlette.requests import Request

_TABLES: Final = [table for table in map(Path, ("/proc/net/tcp", "/proc/net/tcp6")) if os.access(table, os.R_OK)]
"""The second has connections to IPv4 addresses, too, if whoever made them likes to write these as IPv6."""
_ROOT: Final = 0
"""May see everything anyway, and is who passes on what the Windows asks that a Linux runs inside of."""


def may_be_ours(request: Request) -> bool:
    """False if a process of another user asks; true where the system does not tell."""
    if not _TABLES:
        return True
    theirs, ours = (f":{port:04X}" for _, port in (request.scope["client"], request.scope["server"]))
    users = set(_users(theirs, ours))
    return users <= {os.getuid(), _ROOT}


def _users(theirs: str, ours: str) -> Iterator[int]:
    for table in _TABLES:
        for line in table.read_text("ascii").splitlines()[1:]:
            _, local, remote, _, _, _, _, user, *_ = line.split()
            if local.endswith(theirs) and remote.endswith(ours):
                yield int(user)
