"""The tools that the user has added: by files in a folder, by packages. A built-in tool is called without them.

Who comes first has the name: strictcall itself, then the files by name, then the packages.
"""

import threading
from collections.abc import Collection

from db import packages
from db.folder import Folder, State
from db.location import tools_folder
from db.offer import Offer
from db.tool import Tool


class Added:
    """What was added. `tools` and `problems` are what is known of it; `find` and `all` look again."""

    def __init__(self, taken: Collection[str], database: str) -> None:
        self.tools: dict[str, Tool] = {}
        self.problems: list[str] = []
        self._taken = taken
        self._database = database
        self._folder: Folder | None = None
        self._state: State = ()
        self._settings: list[Offer] = []
        self._files: list[Offer] = []
        self._packages: list[Offer] | None = None
        self._lock = threading.RLock()

    def find(self, name: str) -> Tool | None:
        """The tool of this name. The folder is cheaper to look at than what is installed."""
        self.refresh()
        return self.tools.get(name) or self.all().get(name)

    def all(self) -> dict[str, Tool]:
        """All of them, by name."""
        with self._lock:
            self.refresh()
            if self._packages is None:
                self._packages = packages.offers()
                self._settle()
            return self.tools

    def state(self) -> State:
        """What is in the folder; it has changed if this has. Does not wait for a file that is being run."""
        return (self._folder or self._opened()).state()

    def refresh(self) -> None:
        """Read the folder again, if it has changed."""
        with self._lock:
            folder = self._opened()
            state = folder.state()
            if state != self._state:
                self._state = state
                self._files = folder.offers(state)
                self._settle()

    def _opened(self) -> Folder:
        with self._lock:
            if self._folder is None:
                try:
                    self._folder = Folder(tools_folder(self._database))
                except ValueError as error:
                    self._folder = Folder("")
                    self._settings = [Offer("settings", problem=str(error))]
                    self._settle()
            return self._folder

    def _settle(self) -> None:
        """Who has which name, and what is wrong; it is logged when it is new."""
        before, owners = self.problems, dict.fromkeys(self._taken, "strictcall itself")
        tools, problems = {}, []
        for offer in (*self._settings, *self._files, *(self._packages or ())):
            if offer.problem:
                problems.append(offer.problem)
            for tool in offer.tools:
                if tool.name in owners:
                    taken = f"the name {tool.name} is taken by {owners[tool.name]}"
                    problems.append(f"{offer.where}: {taken}; give the function another name")
                else:
                    owners[tool.name], tools[tool.name] = offer.where, tool
        self.tools, self.problems = tools, problems
        _log([one for one in problems if one not in before])


def _log(problems: list[str]) -> None:
    if problems:
        import logging  # noqa: PLC0415 - slow to import, and rarely needed

        for problem in problems:
            logging.getLogger("strictcall").warning("%s", problem)
