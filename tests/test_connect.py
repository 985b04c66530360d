"""`strictcall connect`: a client gets our tools, and its file is left as it was in all else."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import ROOT, on_a_terminal, strictcall

from proxy.settings import Settings
from runner.connect.clients import CLIENTS, System
from runner.connect.ways import Ways, ways
from runner.problem import Problem

CLIENT_FILE = """{
    "theme": "dark",
    "mcpServers": {
        "files": {"command": "npx", "args": ["-y", "files"], "env": {"A": "한글"}}
    },
    "numbers": [1.50, 2e3]
}
"""
URL = {"url": "http://127.0.0.1:8787/sse"}


class Home:
    """A user's directory in which commands are run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.void = path / ".void-editor" / "mcp.json"
        self.backup = path / ".void-editor" / "mcp.json.before-strictcall"
        self.void.parent.mkdir()

    def run(self, *words: str, **environ: str) -> subprocess.CompletedProcess[bytes]:
        home = str(self.path)
        places = {"HOME": home, "USERPROFILE": home, "APPDATA": home, "LOCALAPPDATA": home, "XDG_CONFIG_HOME": home}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("STRICTCALL_")}
        return strictcall("connect", *words, cwd=self.path, environ=kept | places | environ)

    def told(self, *words: str, **environ: str) -> Any:
        ended = self.run(*words, "--json", **environ)
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    directory = tmp_path / "김 민준"
    directory.mkdir()
    return Home(directory)


ROAMING, LOCAL = "AppData/Roaming", "AppData/Local"
PLACES = {
    ("claude-desktop", "win32"): f"{ROAMING}/Claude/claude_desktop_config.json",
    ("claude-desktop", "darwin"): "Library/Application Support/Claude/claude_desktop_config.json",
    ("claude-desktop", "linux"): ".config/Claude/claude_desktop_config.json",
    ("vscode", "win32"): f"{ROAMING}/Code/User/mcp.json",
    ("vscode", "darwin"): "Library/Application Support/Code/User/mcp.json",
    ("vscode", "linux"): ".config/Code/User/mcp.json",
    **{("cursor", platform): ".cursor/mcp.json" for platform in ("win32", "darwin", "linux")},
    **{("void", platform): ".void-editor/mcp.json" for platform in ("win32", "darwin", "linux")},
    **{("claude-code", platform): "project/.mcp.json" for platform in ("win32", "darwin", "linux")},
}


@pytest.mark.parametrize(("name", "platform"), PLACES)
def test_each_client_has_its_place_on_each_system(name: str, platform: str, tmp_path: Path) -> None:
    system = System(platform, {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path)}, tmp_path / "project")
    assert CLIENTS[name].place(system) == tmp_path / PLACES[name, platform]


def test_the_places_that_a_system_names_count(tmp_path: Path) -> None:
    windows = System("win32", {"APPDATA": str(tmp_path / "D")}, tmp_path)
    linux = System("linux", {"XDG_CONFIG_HOME": str(tmp_path / "X")}, tmp_path)
    assert CLIENTS["vscode"].place(windows) == tmp_path / "D/Code/User/mcp.json"
    assert CLIENTS["vscode"].place(linux) == tmp_path / "X/Code/User/mcp.json"


def test_a_packaged_claude_desktop_is_found_in_its_package(tmp_path: Path) -> None:
    package = tmp_path / LOCAL / "Packages" / "Claude_pzs8sxrjxfjjc"
    package.mkdir(parents=True)
    place = CLIENTS["claude-desktop"].place(System("win32", {"USERPROFILE": str(tmp_path)}, tmp_path))
    assert place == package / "LocalCache/Roaming/Claude/claude_desktop_config.json"


@pytest.mark.parametrize("name", CLIENTS)
def test_what_to_paste_is_shown_and_nothing_is_written(home: Home, name: str) -> None:
    told = home.told(name)
    shown = home.run(name).stdout.decode()
    pasted, _, _ = shown[shown.index("{") :].partition("\nThen:")
    assert json.loads(pasted) == told["config"]
    assert told["file"] in shown
    assert all(step["paste"] in shown for step in told["steps"])
    assert not Path(told["file"]).exists()


def test_the_command_in_an_entry_speaks_mcp_without_a_path_and_from_anywhere(home: Home, tmp_path: Path) -> None:
    entry = home.told("vscode")["config"]["servers"]["strictcall"]
    assert entry["type"] == "stdio"
    asked = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    }
    question = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked})
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PATH"))}
    ended = subprocess.run(
        [entry["command"], *entry["args"]],
        input=f"{question}\n".encode(),
        cwd=tmp_path,
        env=bare | {"STRICTCALL_DB": str(tmp_path / "data.db")},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert json.loads(ended.stdout)["result"]["serverInfo"]["name"] == "strictcall", ended.stderr


def test_where_no_command_is_installed_python_starts_us_and_no_namesake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    command = ways(Settings(), {}, "linux").command
    assert command == (str(tmp_path / "python"), "-P", "-m", "runner.cli", "mcp")
    (tmp_path / "strictcall.exe").touch()
    assert ways(Settings(), {}, "win32").command == (str(tmp_path / "strictcall.exe"), "mcp")


def test_the_places_that_are_set_here_are_told_to_the_client(home: Home) -> None:
    database, folder = str(home.path / "내 자료.db"), str(home.path / "tools")
    Path(folder).mkdir()
    told = home.told("claude-code", STRICTCALL_DB=database, STRICTCALL_TOOLS_DIR="tools")
    chosen = {"STRICTCALL_DB": database, "STRICTCALL_TOOLS_DIR": folder}
    assert told["config"]["mcpServers"]["strictcall"]["env"] == chosen
    command = next(step["paste"] for step in told["steps"] if step["paste"])
    assert command.startswith("claude mcp add --scope user --env")
    assert database in command
    assert "env" not in home.told("claude-code")["config"]["mcpServers"]["strictcall"]


def test_what_is_set_for_the_viewer_is_told_to_the_client(home: Home) -> None:
    chosen = {"STRICTCALL_LANG": "en", "STRICTCALL_VIEWER_BROWSER": "firefox %s", "STRICTCALL_VIEWER_APP": "an app"}
    told = home.told("cursor", STRICTCALL_VIEWER_SOCKET="viewer.sock", **chosen)
    socket = {"STRICTCALL_VIEWER_SOCKET": str(home.path / "viewer.sock")}
    assert told["config"]["mcpServers"]["strictcall"]["env"] == chosen | socket


@pytest.mark.parametrize(
    ("environ", "says"),
    [
        ({"STRICTCALL_DB": "data.db"}, "set it to the whole path"),
        ({"STRICTCALL_TOOLS_DIR": "nowhere"}, "should name a folder"),
    ],
)
def test_a_place_that_a_client_would_not_find_is_refused(home: Home, environ: dict[str, str], says: str) -> None:
    ended = home.run("cursor", "--write", **environ)
    assert ended.returncode == 2
    (line,) = ended.stderr.decode().splitlines()
    assert says in line
    assert not (home.path / ".cursor").exists()


def test_void_gets_the_address_and_what_its_models_need(home: Home) -> None:
    told = home.told("void", STRICTCALL_PORT="9000")
    assert told["config"]["mcpServers"]["strictcall"] == {"url": "http://127.0.0.1:9000/sse"}
    pasted = [step["paste"] for step in told["steps"]]
    assert "http://127.0.0.1:9000/v1" in pasted
    assert '{"specialToolFormat": "openai-style"}' in pasted


def test_void_starts_us_itself_where_a_key_is_wanted(home: Home) -> None:
    entry = home.told("void", STRICTCALL_API_KEY="secret")["config"]["mcpServers"]["strictcall"]
    assert entry["args"][-1] == "mcp"
    assert "secret" not in json.dumps(entry)


@pytest.mark.parametrize(
    ("host", "url"),
    [("::", "http://127.0.0.1:8787"), ("::1", "http://[::1]:8787"), ("localhost", "http://localhost:8787")],
)
def test_the_address_can_be_called(host: str, url: str) -> None:
    assert Ways(("strictcall",), {}, Settings(host=host), "linux").url == url


def test_an_address_that_changes_at_each_start_is_refused(home: Home) -> None:
    ended = home.run("void", STRICTCALL_PORT="0")
    assert ended.returncode == 2
    assert b"set a port" in ended.stderr
    with pytest.raises(Problem):
        _ = Ways(("strictcall",), {}, Settings(port=0), "linux").url


def test_a_command_is_quoted_for_the_shell_of_the_system() -> None:
    def typed(platform: str) -> str:
        return Ways(("C:\\Program Files\\strictcall.exe", "mcp"), {}, Settings(), platform).typed("add")

    assert typed("win32") == 'add "C:\\Program Files\\strictcall.exe" mcp'
    assert typed("linux") == "add 'C:\\Program Files\\strictcall.exe' mcp"


def test_an_entry_is_written_and_every_other_byte_stays(home: Home) -> None:
    home.void.write_bytes(CLIENT_FILE.encode())
    assert home.told("void", "--write")["done"] == "written"
    written = home.void.read_bytes().decode()
    entry = ',\n        "strictcall": {\n            "url": "http://127.0.0.1:8787/sse"\n        }'
    assert written.replace(entry, "") == CLIENT_FILE
    assert json.loads(written)["mcpServers"]["strictcall"] == URL
    assert home.backup.read_bytes() == CLIENT_FILE.encode()
    assert sorted(home.void.parent.iterdir()) == [home.void, home.backup]


def test_writing_twice_changes_nothing(home: Home) -> None:
    home.void.write_text(CLIENT_FILE, "utf-8")
    home.told("void", "--write")
    written = home.void.read_bytes()
    ended = home.run("void", "--write")
    assert b"already there" in ended.stdout
    assert home.void.read_bytes() == written


def test_an_entry_that_is_out_of_date_is_updated_and_the_first_backup_stays(home: Home) -> None:
    home.void.write_text(CLIENT_FILE, "utf-8")
    home.told("void", "--write")
    assert home.told("void", "--write", STRICTCALL_PORT="9000")["done"] == "updated"
    assert json.loads(home.void.read_bytes())["mcpServers"]["strictcall"] == {"url": "http://127.0.0.1:9000/sse"}
    assert home.told("void", "--undo")["done"] == "put back"
    assert home.void.read_text("utf-8") == CLIENT_FILE


def test_a_file_is_made_where_there_is_none_and_removed_again(home: Home) -> None:
    home.void.parent.rmdir()
    ended = home.run("void", "--write")
    assert ended.returncode == 0
    assert b"Void seems not to be installed" in ended.stderr
    assert json.loads(home.void.read_bytes()) == {"mcpServers": {"strictcall": URL}}
    assert home.told("void", "--undo")["done"] == "file removed"
    assert not list(home.void.parent.iterdir())


@pytest.mark.parametrize(
    "before",
    ["", " \n", "{}", '{"mcpServers": {}}', '\ufeff{\r\n\t"mcpServers": {}\r\n}', '{"b": 1, "a": {"mcpServers": 2}}'],
)
def test_what_is_written_is_undone_to_the_byte(home: Home, before: str) -> None:
    home.void.write_bytes(before.encode())
    home.told("void", "--write")
    assert json.loads(home.void.read_bytes().decode("utf-8-sig"))["mcpServers"] == {"strictcall": URL}
    assert home.told("void", "--undo")["done"] == "put back"
    assert home.void.read_bytes() == before.encode()
    assert [*home.void.parent.iterdir()] == [home.void]


CHANGES: dict[str, Callable[[str], str]] = {
    "another server": lambda text: text.replace('"files":', '"more": {}, "files":'),
    "another setting": lambda text: text.replace("dark", "light"),
    "another order": lambda text: text.replace('    "theme": "dark",\n', "").replace(
        "2e3]", '2e3],\n    "theme": "dark"'
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_somebody_changed_since_is_not_undone(home: Home, what: str) -> None:
    home.void.write_text(CLIENT_FILE, "utf-8")
    home.told("void", "--write")
    home.void.write_text(CHANGES[what](home.void.read_text("utf-8")), "utf-8")
    assert home.told("void", "--undo")["done"] == "entry removed"
    assert home.void.read_text("utf-8") == CHANGES[what](CLIENT_FILE)
    assert [*home.void.parent.iterdir()] == [home.void]


def test_who_undoes_is_told_to_restart_the_client(home: Home) -> None:
    home.told("void", "--write")
    assert b"\n  1. Restart Void.\n" in home.run("void", "--undo").stdout
    assert home.told("void", "--undo")["steps"] == []


def test_the_help_lists_each_client_once_with_what_it_does(home: Home) -> None:
    shown = home.run("--help").stdout.decode()
    assert "connect [OPTIONS] CLIENT\n" in shown
    for client in CLIENTS.values():
        assert shown.count(f"  {client.name} ") == 1
    assert "  void            Void: asks `strictcall serve`\n" in shown


@pytest.mark.skipif(os.name != "posix", reason="a terminal of POSIX")
def test_steps_fit_the_terminal(home: Home) -> None:
    environ = os.environ | {"HOME": str(home.path), "PYTHONPATH": str(ROOT)}
    _, seen = on_a_terminal([sys.executable, "-m", "runner.cli", "connect", "void"], home.path, environ, 60)
    assert max(map(len, seen.partition("Then:")[2].splitlines())) <= 60
    assert '\n     "Override model defaults" on, and replace the text by:\n' in seen


def test_there_is_nothing_to_undo_where_nothing_was_done(home: Home) -> None:
    assert home.told("void", "--undo")["done"] == "not there"
    home.void.write_text(CLIENT_FILE, "utf-8")
    assert home.told("void", "--undo")["done"] == "not there"
    assert home.void.read_text("utf-8") == CLIENT_FILE


@pytest.mark.parametrize(
    "text",
    [
        '{\n  // mine\n  "mcpServers": {}\n}',
        '{"mcpServers": {},}',
        "{",
        "[]",
        '{"mcpServers": []}',
        "[" * 100_000,
        '{"mcpServers": ' * 50_000,
    ],
)
def test_a_file_that_would_not_survive_is_refused_with_what_to_paste(home: Home, text: str) -> None:
    home.void.write_text(text, "utf-8")
    for action, says in (("--write", 'strictcall": {"url": "http'), ("--undo", "by hand")):
        ended = home.run("void", action)
        assert ended.returncode == 2
        (line,) = ended.stderr.decode().splitlines()
        assert says in line
        assert home.void.read_text("utf-8") == text
        assert [*home.void.parent.iterdir()] == [home.void]


def test_a_file_in_another_encoding_is_refused(home: Home) -> None:
    home.void.write_bytes('{"이름": 1}'.encode("cp949"))
    ended = home.run("void", "--write")
    assert ended.returncode == 2
    assert b"not UTF-8" in ended.stderr


@pytest.mark.skipif(os.name != "posix", reason="links and permissions of POSIX")
def test_a_link_stays_a_link_and_permissions_stay(home: Home, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles.json"
    kept.write_text(CLIENT_FILE, "utf-8")
    kept.chmod(0o620)
    home.void.symlink_to(kept)
    for action in ("--write", "--undo"):
        home.told("void", action)
        assert home.void.is_symlink()
        assert kept.stat().st_mode & 0o777 == 0o620
        assert ("strictcall" in kept.read_text("utf-8")) == (action == "--write")
        if action == "--write":
            assert home.backup.stat().st_mode & 0o777 == 0o620
    assert kept.read_text("utf-8") == CLIENT_FILE


def test_what_cannot_be_written_is_said_and_nothing_is_left_behind(home: Home) -> None:
    home.void.write_text(CLIENT_FILE, "utf-8")
    home.backup.mkdir()
    ended = home.run("void", "--write")
    assert ended.returncode == 2
    (line,) = ended.stderr.decode().splitlines()
    assert f"cannot write {home.backup}" in line
    assert home.void.read_text("utf-8") == CLIENT_FILE
    assert sorted(home.void.parent.iterdir()) == [home.void, home.backup]
