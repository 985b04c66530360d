"""Shell mode: a call to a tool of the registry becomes a command to paste, in a code block of its own.

    ```bash
    /usr/bin/python3 /opt/strictcall/runner/mcp_tools_runner.py get_employee_info '{"employee_id":"EMP001"}'
    ```

The arguments were written by a model, which may have read them in a hostile document, so nothing in them may end its
quotes:

- bash: single quotes, inside which only the single quote means anything.
- PowerShell: single quotes as well (doubled inside), and by standard input, because its versions disagree on how a
  double quote reaches a program. In plain ASCII: typographic quotes are quotes there, and pipes have a legacy encoding.
- cmd: everything but the structure of JSON as an escape of JSON, so that no character is left that cmd knows.
"""

import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from proxy.core.events import ArgsDelta, CallEnd, CallStart, Event, Text
from proxy.core.schema import Json

Shell = Literal["bash", "powershell", "cmd"]

_SINGLE_QUOTE: Final = re.compile("['\u2018-\u201b]")
"""All that PowerShell takes for one."""
_CMD_ACTIVE: Final = re.compile(r"[&|<>^%!()'`;=]")


@dataclass(frozen=True, slots=True)
class Runner:
    """The program that runs a tool: an interpreter and a script, both with their whole path."""

    python: str
    script: str
    shell: Shell

    def command(self, tool: str, arguments: Json) -> str:
        """The command line of a call."""
        return _COMMANDS[self.shell](self, tool, arguments)

    def block(self, tool: str, arguments: Json) -> str:
        """The command in a code block."""
        return f"```{self.shell}\n{self.command(tool, arguments)}\n```"


def _bash(runner: Runner, tool: str, arguments: Json) -> str:
    return shlex.join([runner.python, runner.script, tool, _visible(arguments)])


def _visible(arguments: Json) -> str:
    """JSON in which every character can be seen: what a terminal would obey or hide is an escape."""
    text = json.dumps(arguments, ensure_ascii=False)
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)


def _powershell(runner: Runner, tool: str, arguments: Json) -> str:
    python, script, name = (_single(word) for word in (runner.python, runner.script, tool))
    return f"{_single(json.dumps(arguments))} | & {python} {script} {name} -"


def _single(word: str) -> str:
    return "'" + _SINGLE_QUOTE.sub(r"\g<0>\g<0>", word) + "'"


def _cmd(runner: Runner, tool: str, arguments: Json) -> str:
    text = _CMD_ACTIVE.sub(lambda found: f"\\u{ord(found.group()):04x}", json.dumps(arguments))
    # For the C runtime a backslash counts only before a quote: JSON's own are doubled there, and its quotes escaped.
    quoted = re.sub(r'(\\*)"', lambda found: found.group(1) * 2 + '\\"', text)
    return f'"{runner.python}" "{runner.script}" {tool} "{quoted}"'


_COMMANDS: Final[Mapping[Shell, Callable[[Runner, str, Json], str]]] = {
    "bash": _bash,
    "powershell": _powershell,
    "cmd": _cmd,
}


class ShellCalls:
    """Replaces calls to some tools by code blocks; everything else passes."""

    def __init__(self, runner: Runner, tools: Iterable[str]) -> None:
        self._runner = runner
        self._tools = frozenset(tools)
        self._name = ""
        self._pieces: list[str] = []
        self._spoken = ""

    def __call__(self, events: Iterable[Event]) -> Iterator[Event]:
        """The events with blocks in place of calls."""
        for event in events:
            match event:
                case CallStart(name) if name in self._tools:
                    self._name = name
                case ArgsDelta(text) if self._name:
                    self._pieces.append(text)
                case CallEnd(complete) if self._name:
                    yield self._said(self._replaced(complete=complete))
                    self._name, self._pieces = "", []
                case Text(text):
                    yield self._said(text)
                case _:
                    yield event

    def _replaced(self, *, complete: bool) -> str:
        written = "".join(self._pieces)
        lead = "" if not self._spoken else "\n\n" if self._spoken != "\n" else "\n"
        if not complete:
            return f"{lead}{self._name} {written}"  # cut off: shown, but nothing that could be run
        return f"{lead}{self._runner.block(self._name, json.loads(written))}\n"

    def _said(self, text: str) -> Text:
        self._spoken = text[-1:] or self._spoken
        return Text(text)
