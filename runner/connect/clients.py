"""The clients that can be given our tools: where each keeps its MCP servers, what to write there, what to click.

A Claude Desktop that came as a package of Windows (MSIX, all since February 2026) has an %APPDATA% of its own inside of
the package, and does not see the real one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from runner.connect.ways import Ways


@dataclass(frozen=True, slots=True)
class System:
    """The machine, as far as places of files depend on it."""

    platform: str
    environ: Mapping[str, str]
    here: Path

    @property
    def home(self) -> Path:
        """The user's directory."""
        named = self.environ.get("USERPROFILE" if self.platform == "win32" else "HOME")
        return Path(named) if named else Path.home()

    @property
    def settings(self) -> Path:
        """Where programs keep what their user has set."""
        match self.platform:
            case "win32":
                return Path(self.environ.get("APPDATA") or self.home / "AppData" / "Roaming")
            case "darwin":
                return self.home / "Library" / "Application Support"
            case _:
                return Path(self.environ.get("XDG_CONFIG_HOME") or self.home / ".config")

    @property
    def packages(self) -> Path:
        """Where Windows keeps what belongs to packaged programs."""
        return Path(self.environ.get("LOCALAPPDATA") or self.home / "AppData" / "Local") / "Packages"


class Step(NamedTuple):
    """Something to do by hand, and what to paste there."""

    do: str
    paste: str = ""


@dataclass(frozen=True, slots=True)
class Client:
    """A client; `about` says how it reaches us, `steps` are what remains to be done once the entry is in its file."""

    name: str
    title: str
    about: str
    place: Callable[[System], Path]
    steps: Callable[[Ways], list[Step]]
    entry: Callable[[Ways], dict[str, Any]] = Ways.stdio
    key: str = "mcpServers"


def _claude_desktop_place(system: System) -> Path:
    packaged = sorted(system.packages.glob("Claude_*")) if system.platform == "win32" else []
    settings = packaged[0] / "LocalCache" / "Roaming" if packaged else system.settings
    return settings / "Claude" / "claude_desktop_config.json"


def _claude_code_steps(ways: Ways) -> list[Step]:
    given = [word for name, value in ways.environ.items() for word in ("--env", f"{name}={value}")]
    add = ways.typed("claude", "mcp", "add", "--scope", "user", *given, "--transport", "stdio", "strictcall", "--")
    return [
        Step("Start claude in this folder; it asks once whether to use the server. /mcp shows its state."),
        Step("The file names places of this machine: leave it out of version control."),
        Step("Or, in place of the file, for all your projects:", add),
    ]


def _void_entry(ways: Ways) -> dict[str, Any]:
    # Void can send no headers, so no key either.
    return ways.stdio() if ways.settings.api_key else {"url": f"{ways.url}/sse"}


def _void_steps(ways: Ways) -> list[Step]:
    key = "the key of the server" if ways.settings.api_key else "anything"
    return [
        Step("Start the server, and leave it running:", "strictcall serve"),
        Step("Void's Settings, MCP: strictcall has a green light."),
        Step(f"Settings, Main Providers, OpenAI-Compatible: {key} as API Key, and as baseURL:", f"{ways.url}/v1"),
        Step("Settings, Models, Add a model: OpenAI-Compatible, and the name of your model."),
        Step(
            "Void sends a local model no tools unless told to. Point at the model, click the gear beside it, switch "
            '"Override model defaults" on, and replace the text by:',
            '{"specialToolFormat": "openai-style"}',
        ),
    ]


_CLIENTS: Final = (
    Client(
        "claude-desktop",
        "Claude Desktop",
        "starts strictcall itself",
        place=_claude_desktop_place,
        steps=lambda _: [
            Step("Quit Claude Desktop by its menu (closing the window is not enough), and start it again."),
            Step("Settings, Developer: strictcall is running. The tools are behind the + below the message."),
        ],
    ),
    Client(
        "claude-code",
        "Claude Code",
        "starts strictcall itself, for the current folder",
        place=lambda system: system.here / ".mcp.json",
        steps=_claude_code_steps,
    ),
    Client(
        "void",
        "Void",
        "asks `strictcall serve`",
        place=lambda system: system.home / ".void-editor" / "mcp.json",
        steps=_void_steps,
        entry=_void_entry,
    ),
    Client(
        "cursor",
        "Cursor",
        "starts strictcall itself",
        place=lambda system: system.home / ".cursor" / "mcp.json",
        steps=lambda _: [
            Step("Restart Cursor, and switch strictcall on: Customize, MCPs (formerly: Settings, Tools & MCP)."),
        ],
    ),
    Client(
        "vscode",
        "VS Code",
        "starts strictcall itself",
        place=lambda system: system.settings / "Code" / "User" / "mcp.json",
        steps=lambda _: [
            Step('Command Palette, "MCP: List Servers", strictcall, Start Server; VS Code asks whether you trust it.'),
            Step("The tools are there in Chat, in agent mode."),
        ],
        entry=lambda ways: {"type": "stdio"} | ways.stdio(),
        key="servers",
    ),
)
CLIENTS: Final = {client.name: client for client in _CLIENTS}
