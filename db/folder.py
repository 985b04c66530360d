"""A folder of Python files that the user has put there. Each is run, and run again when it has changed.

What is run has the user's rights. So file and folder must belong to the user (or to root), and not everybody may write
them: whoever may write the folder could put a link there, to a file of the user's that is no tool.
"""

import os
import sys
import threading
from stat import S_ISREG
from types import ModuleType
from typing import Final

from db import workers
from db.offer import BadOffer, Offer, in_a_line, tools_of

File = tuple[str, int, int, int]
"""A name, and what tells that it is another: when it was written, when its rights were changed, its size."""
State = tuple[File, ...]

PATIENCE = 30.0
"""Seconds that a file may take: large libraries take their time, and so long everybody waits who lists the tools."""
_MODULES: Final = "strictcall_tools_of_the_user"
_OTHERS_MAY_WRITE: Final = 0o002


class Folder:
    """The files, and what they offer."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._offers: dict[File, Offer] = {}

    def state(self) -> State:
        """What is in it now; nothing, if it is not there."""
        try:
            names = sorted(filter(_is_offered, os.listdir(self.path)))
        except OSError:
            return ()
        return tuple(file for name in names if (file := _seen(self.path, name)))

    def offers(self, state: State) -> list[Offer]:
        """What the files of this state offer; one that is as it was is not run again."""
        self._offers = {file: self._offers.get(file) or _offer(os.path.join(self.path, file[0])) for file in state}
        return [*self._offers.values()]


def _is_offered(name: str) -> bool:
    return name.endswith(".py") and not name.startswith((".", "_"))


def _seen(folder: str, name: str) -> File | None:
    try:
        found = os.stat(os.path.join(folder, name))
    except OSError:  # it has just gone
        return None
    return (name, found.st_mtime_ns, found.st_ctime_ns, found.st_size) if S_ISREG(found.st_mode) else None


def _offer(path: str) -> Offer:
    """What a file offers. It is run on a thread of its own: one that never ends is left there."""
    offers: list[Offer] = []
    ended = threading.Semaphore(0)

    def run() -> None:
        offers.append(_made(path))
        ended.release()

    workers.run(run)
    if ended.acquire(timeout=PATIENCE):
        return offers[0]
    stuck = f"{path}: it has not come to its end after {PATIENCE:g} s"
    return Offer(path, problem=f"{stuck}; do what takes long inside the tool, or take it out of the folder")


def _made(path: str) -> Offer:
    try:
        return Offer(path, tools_of(_run(path)))
    except BadOffer as error:
        return Offer(path, problem=f"{path}: {error}")
    except BaseException as error:  # noqa: BLE001 - what others have written may do anything
        where = f"{path}, line {_line(path, error)}"
        return Offer(path, problem=f"{where}: {in_a_line(error)}; mend it, or take it out of the folder")


def _run(path: str) -> ModuleType:
    """The module that a file is. No bytecode is kept: it would not see a change within the same second."""
    folder = os.path.dirname(path)
    _check_rights(folder, os.stat(folder))
    with open(path, "rb") as file:
        _check_rights(path, os.fstat(file.fileno()))
        code = compile(file.read(), path, "exec")
    module = ModuleType(f"{_MODULES}.{os.path.basename(path).removesuffix('.py')}")
    module.__file__ = path
    sys.modules[module.__name__] = module  # where typing looks for the names in annotations
    exec(code, module.__dict__)  # noqa: S102 - which is what it is there for
    return module


def _check_rights(path: str, found: os.stat_result) -> None:
    if os.name != "posix":
        return
    if found.st_uid not in {0, os.geteuid()}:
        raise BadOffer(f"{path} belongs to somebody else, and this would run with your rights; make a copy of your own")
    if found.st_mode & _OTHERS_MAY_WRITE:
        raise BadOffer(f"everybody may write {path}, and this would run with your rights; run: chmod o-w '{path}'")


def _line(path: str, error: BaseException) -> int:
    """The last line of the file that had a part in it."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno or 1
    line, trace = 1, error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == path:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
