"""Where the viewer's app is: a socket in a folder that is the user's alone, and a lock that keeps apps from being two.

viewer.sock   the app listens here (`door`)
viewer.lock   held by the app as long as it lives; its process id stands in it
viewer.log    what an app that was started by itself has complained of
"""

import os
import stat
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Final, NamedTuple

from db.location import user_data

VARIABLE: Final = "STRICTCALL_VIEWER_SOCKET"
_MARK: Final = b'{"strictcall_viewer":'
"""How the file begins that stands for a socket."""
_TRIES: Final = 200
"""How often an app looks for the lock, twenty times a second, while another holds it and does not listen."""
_FAR: Final = 1 << 20
"""The byte that is locked on Windows, where nobody else can read what is locked."""


class BadPlace(Exception):  # noqa: N818 - what it is
    """The app cannot be here: why not, and what to do."""


class AlreadyRunning(Exception):  # noqa: N818 - what it is
    """Another app is here: its process id."""


class Place(NamedTuple):
    """The path of the socket, and whether the user has chosen it."""

    socket: str
    chosen: bool = False

    @classmethod
    def of(cls, environ: Mapping[str, str] = os.environ) -> "Place":
        """Where `STRICTCALL_VIEWER_SOCKET` says, else in the folder that the system has for what runs."""
        chosen = environ.get(VARIABLE)
        if chosen:
            return cls(os.path.abspath(os.path.expanduser(chosen)), chosen=True)
        return cls(os.path.join(_folder(environ), "viewer.sock"))

    @property
    def lock(self) -> str:
        """The file that is locked."""
        return f"{self.socket.removesuffix('.sock')}.lock"

    @property
    def log(self) -> str:
        """The file for complaints."""
        return f"{self.socket.removesuffix('.sock')}.log"

    def make(self) -> None:
        """Make the folder, but none above it: a path that was chosen may be mistyped."""
        folder = os.path.dirname(self.socket)
        try:
            with suppress(FileExistsError):
                os.mkdir(folder, 0o700)
        except OSError as error:
            raise BadPlace(
                f"cannot make the folder {folder}: {error.strerror}; set {VARIABLE} to another path"
            ) from None
        self.check()

    def check(self) -> None:
        """See that nobody else can put a socket there; of a path that was chosen, the user has."""
        folder = os.path.dirname(self.socket)
        if self.chosen or sys.platform == "win32":
            return
        found = os.lstat(folder)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
            raise BadPlace(
                f"{folder} should be a folder of yours that is closed to others; "
                f"remove it, or set {VARIABLE} to a path in one that is"
            )

    def check_owner(self) -> None:
        """See that what is at the path is the user's; where many may write, another could have been first."""
        if sys.platform != "win32" and os.lstat(self.socket).st_uid != os.getuid():
            raise BadPlace(f"{self.socket} belongs to another user; set {VARIABLE} to a path in a folder of yours")

    @contextmanager
    def held(self) -> Iterator[None]:
        """Be the one app as long as the block lasts; `AlreadyRunning` if there is another."""
        self.make()
        lock = private(self.lock, os.O_RDWR)
        try:
            self._wait_for(lock)
            self._sign(lock)
            self.clear()  # what one has left that was killed
            yield
        finally:
            os.close(lock)

    def is_held(self) -> bool:
        """Is there an app?"""
        try:
            lock = os.open(self.lock, os.O_RDWR)
        except FileNotFoundError:
            return False
        try:
            return not _locked(lock)
        finally:
            os.close(lock)

    def clear(self) -> None:
        """Remove the socket, or what stands for it; not what somebody else has put there."""
        with suppress(FileNotFoundError):
            self.check_owner()
            if not stat.S_ISSOCK(os.stat(self.socket).st_mode) and not _is_ours(self.socket):
                raise BadPlace(f"{self.socket} is no socket; set {VARIABLE} to another path")
            os.unlink(self.socket)

    def _sign(self, lock: int) -> None:
        try:
            os.ftruncate(lock, 0)
            os.write(lock, b"%d\n" % os.getpid())
        except OSError as error:  # the disk is full
            raise _unwritable(self.lock, error) from None

    def _wait_for(self, lock: int) -> None:
        """Wait until the lock is ours. Who holds it and has no socket is about to listen, or to end."""
        for tried in range(_TRIES):
            if _locked(lock):
                return
            # Once it may be a client that has a look.
            if tried and os.path.exists(self.socket):
                raise AlreadyRunning(_owner(lock))
            time.sleep(0.05)
        raise BadPlace(f"process {_owner(lock)} has locked {self.lock} and does not listen; end it")


def private(path: str, flags: int) -> int:
    """Open a file that only the user may read; who can write beside it must not lead us to another."""
    try:
        return os.open(path, flags | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: str, error: OSError) -> BadPlace:
    return BadPlace(f"cannot write {path}: {error.strerror}; set {VARIABLE} to another path")


def _owner(lock: int) -> str:
    os.lseek(lock, 0, os.SEEK_SET)
    return os.read(lock, 20).decode().strip()


def _is_ours(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(len(_MARK)) == _MARK


def _folder(environ: Mapping[str, str]) -> str:
    """A folder that belongs to the user alone, the same for all that the user runs."""
    if sys.platform == "win32":
        return os.path.join(user_data(environ, sys.platform), "strictcall")
    user = os.getuid()
    # MCP clients hand on few variables: it is looked for where it usually is, too, and TMPDIR says nothing.
    for runtime in (environ.get("XDG_RUNTIME_DIR", ""), f"/run/user/{user}"):
        with suppress(OSError):
            if os.path.isabs(runtime) and os.stat(runtime).st_uid == user:
                return os.path.join(runtime, "strictcall")
    return f"/tmp/strictcall-{user}"  # noqa: S108 - it is checked whose it is


if sys.platform == "win32":
    import msvcrt

    def _locked(file: int) -> bool:
        """Lock a file, if nobody else has; it is locked until it is closed."""
        os.lseek(file, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        os.lseek(file, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def _locked(file: int) -> bool:
        """Lock a file, if nobody else has; it is locked until it is closed."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
