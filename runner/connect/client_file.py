"""The file in which a client keeps its MCP servers: our entry is put in and taken out, all else stays as it is.

Before the first change a backup is laid beside the file. Undoing puts its bytes back, unless somebody has changed the
file since: then only our entry goes. A file that held nothing else goes with it.
"""

import contextlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from runner.connect.json_members import put, without
from runner.problem import Problem

NAME: Final = "strictcall"
"""Our name among the servers."""
_BYTE_ORDER_MARK: Final = "\ufeff"

Done = Literal["written", "updated", "already there", "put back", "entry removed", "file removed", "not there"]


@dataclass(frozen=True, slots=True)
class ClientFile:
    """A file of JSON; `key` names the object that holds the servers."""

    path: Path
    key: str

    @property
    def backup(self) -> Path:
        """The file as it was before."""
        return self.path.with_name(f"{self.path.name}.before-{NAME}")

    def write(self, entry: dict[str, Any]) -> Done:
        """Put the entry in."""
        text = _read(self.path)
        by_hand = f"add by hand, in {json.dumps(self.key)}: {json.dumps(NAME)}: {json.dumps(entry, ensure_ascii=False)}"
        servers = self._servers(text, by_hand)
        if servers.get(NAME) == entry:
            return "already there"
        if text is not None and (NAME not in servers or not self.backup.exists()):
            _write(self.backup, text, like=self.path)
        self._write(self._with(text, entry))
        return "updated" if NAME in servers else "written"

    def undo(self) -> Done:
        """Take the entry out."""
        text = _read(self.path) or ""
        entry = self._servers(text, f"take {json.dumps(NAME)} out by hand").get(NAME)
        if entry is None:
            return "not there"
        before = _read(self.backup)
        if before is not None and self._all_that_came(entry, before, text):
            self._write(before)
            self.backup.unlink()
            return "put back"
        rest = without(text, (self.key, NAME))
        if before is None and _loaded(rest) == {self.key: {}}:
            Path(os.path.realpath(self.path)).unlink()
            return "file removed"
        self._write(rest)
        self.backup.unlink(missing_ok=True)
        return "entry removed"

    def _with(self, text: str | None, entry: dict[str, Any]) -> str:
        return put(text if text and _bare(text) else "{}\n", (self.key, NAME), entry)

    def _all_that_came(self, entry: dict[str, Any], before: str, text: str) -> bool:
        """Is the entry all that is new? Members in another order are, too."""
        try:
            return json.dumps(_loaded(self._with(before, entry))) == json.dumps(_loaded(text))
        except (ValueError, LookupError):  # the backup is no longer what it was
            return False

    def _servers(self, text: str | None, by_hand: str) -> dict[str, Any]:
        try:
            document = _loaded(text)
        except (ValueError, RecursionError) as error:
            raise Problem(f"{self.path} is not plain JSON ({error}); {by_hand}") from None
        servers = document.get(self.key, {}) if isinstance(document, dict) else None
        if not isinstance(servers, dict):
            raise Problem(f"{self.path} has no object of servers as {json.dumps(self.key)}; {by_hand}")
        return servers

    def _write(self, text: str) -> None:
        # The file may be a link to where its owner keeps such files: then it stays one.
        _write(Path(os.path.realpath(self.path)), text, like=self.path)


def _loaded(text: str | None) -> Any:
    """What a file says; one that is empty or not there says nothing."""
    return json.loads(_bare(text or "") or "{}")


def _bare(text: str) -> str:
    return text.removeprefix(_BYTE_ORDER_MARK).strip()


def _read(path: Path) -> str | None:
    """The text of a file, None if there is none."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise Problem(f"{path} is not UTF-8; save it as UTF-8") from None
    except OSError as error:
        raise Problem(f"cannot read {path}: {error.strerror}; mend that, or edit it by hand") from None


def _write(path: Path, text: str, *, like: Path) -> None:
    """Write a file whole or not at all. What another may not read, nobody reads here either, not for a moment."""
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = like.stat().st_mode & 0o777 if like.exists() else None
        with open(new, "xb", opener=lambda name, flags: os.open(name, flags, mode or 0o666)) as file:
            file.write(text.encode("utf-8", "surrogateescape"))  # a path in an entry is what the system calls it
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            new.chmod(mode)
        new.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            new.unlink()
        raise Problem(f"cannot write {path}: {error.strerror}; end the client if it runs, or edit by hand") from None
