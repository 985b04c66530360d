"""The one door through which tools are called: by the proxy, the MCP server, the runner, the web form.

A call always comes back as a `ToolResult`. Whatever a tool or the database does, nothing else comes out of here.
All of it happens on a worker thread, so that an event loop may start one: what waits for it is the caller's choice.
"""

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Self

from db import workers
from db.added import Added
from db.arguments import BadArguments, fitted, signature
from db.calls import Call
from db.changes import changes
from db.database import Database, ReadOnly, Unusable
from db.folder import State
from db.progress import Cancelled, Progress, Report
from db.recorder import Recorder
from db.result import MAX_OUTPUT, ToolFailed, ToolResult
from db.running import Running
from db.schema import Json
from db.switches import switch, switched_off
from db.tool import MAX_NAME, TIMEOUT, Tool


class Version(NamedTuple):
    """What is offered, in three values; who has seen others should look again."""

    switches: int
    documents: int
    files: State


class Registry:
    """The tools, those that the user has added, and the database that they ask."""

    def __init__(self, tools: Iterable[Tool], database: Database, added: Added | None = None) -> None:
        self.database = database
        self._read_only = ReadOnly(database)
        self._recorder = Recorder(database)
        self._built_in = {tool.name: tool for tool in tools}
        self._added = added

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database, once the calls are written down."""
        self._recorder.flush()
        self.database.close()

    def tools(self) -> list[Tool]:
        """The tools that may be called, by name."""
        off = switched_off(self.database)
        return [tool for tool in self.all_tools() if tool.name not in off]

    def all_tools(self) -> list[Tool]:
        """The tools that there are, by name."""
        added = self._added.all() if self._added else {}
        return [tool for _, tool in sorted({**self._built_in, **added}.items())]

    def openai_tools(self) -> list[Json]:
        """The tools that may be called, as an OpenAI request has them."""
        return [tool.as_openai() for tool in self.tools()]

    def known(self, name: str) -> Tool | None:
        """The tool of this name, as far as is known without looking at what was added: for an event loop."""
        return self._built_in.get(name) or (self._added.tools.get(name) if self._added else None)

    def find(self, name: str) -> Tool | None:
        """The tool of this name. Only if it is not built in one looks at what was added."""
        return self._built_in.get(name) or (self._added.find(name) if self._added else None)

    def switch(self, name: str, *, enabled: bool) -> None:
        """Switch a tool on or off; `KeyError` if there is none of this name."""
        if not self.find(name):
            raise KeyError(name)
        switch(self.database, name, enabled=enabled)

    @property
    def problems(self) -> list[str]:
        """What is wrong with what the user has added: where, why, and what to do."""
        if not self._added:
            return []
        self._added.all()
        return self._added.problems

    def version(self) -> Version:
        """What a server compares once a second, say, to know whether what it offers has changed."""
        return Version(*changes(self.database), self._added.state() if self._added else ())

    def call(self, name: str, arguments: Any, caller: str, report: Report | None = None) -> ToolResult:
        """Call a tool, and write it down. The arguments are an object, or one written as JSON."""
        self.find(str(name))  # what it takes to read a user's file is not the tool's time
        answers: list[ToolResult] = []
        answered = threading.Lock()
        answered.acquire()

        def done(result: ToolResult) -> None:
            answers.append(result)
            answered.release()

        running = self.start(name, arguments, caller, done, report)
        try:
            if not answered.acquire(timeout=running.timeout):
                running.expire()
                answered.acquire()
        except KeyboardInterrupt:
            running.cancel()
            if not answers:
                answered.acquire()  # until it is written down
            raise
        return answers[0]

    def start(
        self,
        name: str,
        arguments: Any,
        caller: str,
        done: Callable[[ToolResult], None],
        report: Report | None = None,
    ) -> Running:
        """Begin a call and return at once. A worker thread calls `done`, once, when the call is written down."""
        began = time.perf_counter()
        name = str(name)  # whatever a client has sent

        def finish(result: ToolResult) -> None:
            self._record(name, arguments, caller, result, (time.perf_counter() - began) * 1000)
            done(result)

        progress = Progress(report)
        tool = self.known(name)
        running = Running(name, tool.timeout if tool else TIMEOUT, progress, finish)
        workers.run(lambda: running.end(self._answer(name, arguments, progress)))
        return running

    def _answer(self, name: str, arguments: Any, progress: Progress) -> ToolResult:
        """What comes of it, whatever happens, and no longer than anybody reads."""
        result = self._outcome(name, arguments, progress)
        if len(result.text) <= MAX_OUTPUT:
            return result
        found = f"{name} answered with {len(result.text):,} characters, and {MAX_OUTPUT:,} is the most"
        return ToolResult.failed("too_long", f"{found}; ask for less")

    def _outcome(self, name: str, arguments: Any, progress: Progress) -> ToolResult:
        try:
            return self._result(name, arguments, progress)
        except ToolFailed as error:
            return ToolResult.failed("failed", str(error), error.text, error.blocks)
        except (Unusable, sqlite3.Error) as error:
            return ToolResult.failed("failed", self._database_trouble(error))
        except Cancelled:
            return ToolResult.failed("cancelled", f"{name} gave up")
        except BaseException as error:  # noqa: BLE001 - a tool that calls sys.exit has failed, too
            return self._bug(name, error)

    def _result(self, name: str, arguments: Any, progress: Progress) -> ToolResult:
        tool = self.find(name)
        if tool is None:
            return ToolResult.failed("unknown_tool", self.unknown(name))
        if name in switched_off(self.database):
            return ToolResult.failed("switched_off", f"tool {name} is switched off; {self._offer()}")
        try:
            ready = fitted(_object(arguments), tool.lenient or tool.input_schema)
        except BadArguments as error:
            return ToolResult.failed("bad_arguments", f"{name}: {error}. It takes: {signature(tool.input_schema)}")
        if progress.cancelled:
            raise Cancelled
        database = self._read_only if tool.hints.read_only else self.database
        return ToolResult.of(tool.run(ready, database, progress))

    def unknown(self, name: str) -> str:
        """What to say to who asks for a tool that there is not."""
        from difflib import get_close_matches  # noqa: PLC0415 - only needed here

        name = name[:MAX_NAME]  # none is longer
        near = get_close_matches(name, [tool.name for tool in self.all_tools()], n=2)
        hint = f"did you mean {' or '.join(near)}?" if near else self._offer()
        return f"there is no tool {name!r}; {hint}"

    def _offer(self) -> str:
        return f"tools that can be called: {', '.join(tool.name for tool in self.tools())}"

    def _database_trouble(self, error: Exception) -> str:
        if isinstance(error, Unusable):
            return str(error)
        return f"the database {self.database.path} did not answer: {error}; try again, or mend it"

    def _bug(self, name: str, error: BaseException) -> ToolResult:
        """What a caller may know of a fault of ours: not more than that. The log has the traceback."""
        import logging  # noqa: PLC0415 - slow to import, and rarely needed

        logging.getLogger(__name__).error("tool %s is faulty", name, exc_info=error)
        return ToolResult.failed("bug", f"{name} is faulty, and what happened was logged; do without it for now")

    def _record(self, name: str, arguments: Any, caller: str, result: ToolResult, milliseconds: float) -> None:
        outcome = result.failure.reason if result.failure else "ok"
        try:
            given = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
            self._recorder.record(Call(name, caller, given, outcome, result.text, milliseconds))
        except Unusable:
            pass  # a file that cannot be written is no fault; of one that cannot be read the answer tells
        except Exception as error:  # noqa: BLE001 - whatever it is
            import logging  # noqa: PLC0415 - slow to import, and rarely needed

            # A full disk, or arguments that no JSON can say, must not take the answer away from who asked.
            logging.getLogger(__name__).warning("a call of %s was not recorded: %s", name, error)


def _object(arguments: Any) -> Json:
    """The arguments as an object; models and clients also send them as text."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except (ValueError, RecursionError) as error:
            raise BadArguments(f"the arguments are not JSON ({error})") from None
    if arguments is None:
        return {}
    if not isinstance(arguments, dict):
        raise BadArguments(f"the arguments must be a JSON object, not {type(arguments).__name__}")
    return arguments
