"""Who asks the viewer's app: where it is, how it is started, and what becomes of a request."""

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from serving import SOON, until
from viewer_running import ROOT, Json, an_app, app_of, end_app, environ_of, listening, own_place

from db.progress import Cancelled, Progress
from mcp_server.viewer import client, launch
from mcp_server.viewer.client import ViewerError, request
from mcp_server.viewer.door import connect
from mcp_server.viewer.door import listening as door
from mcp_server.viewer.launch import start
from mcp_server.viewer.place import AlreadyRunning, BadPlace, Place

POSIX = pytest.mark.skipif(os.name != "posix", reason="modes and owners of files")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="/proc")


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    with own_place() as one:
        for name, value in environ_of(one, STRICTCALL_VIEWER_APP=an_app("quick")).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        yield one


def failure(action: str = "list_viewers") -> ViewerError:
    with pytest.raises(ViewerError) as caught:
        request(action, {})
    return caught.value


@contextmanager
def answering(place: Place, speak: Callable[[socket.socket], object]) -> Iterator[None]:
    """Something that is no app listens, and speaks with the first who comes, as it likes."""
    listener = socket.socket(socket.AF_UNIX)
    with listener, ThreadPoolExecutor(1) as threads:
        listener.bind(place.socket)
        listener.listen()

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                speak(connection)

        speaking = threads.submit(serve)
        yield
        speaking.result(SOON)


def saying(said: bytes) -> Callable[[socket.socket], None]:
    """Say this, once something was asked."""

    def speak(connection: socket.socket) -> None:
        connection.recv(1000)
        connection.sendall(said)

    return speak


# ---- the place


@POSIX
def test_it_is_in_the_users_runtime_folder_which_is_closed_to_others(tmp_path: Path) -> None:
    place = Place.of({"XDG_RUNTIME_DIR": str(tmp_path)})
    assert place.socket == str(tmp_path / "strictcall" / "viewer.sock")
    with place.held():
        assert (tmp_path / "strictcall").stat().st_mode & 0o777 == 0o700
        assert (tmp_path / "strictcall" / "viewer.lock").read_text() == f"{os.getpid()}\n"


@POSIX
@pytest.mark.parametrize("runtime", ["", "relative", "/", "/nowhere"])
def test_without_a_runtime_folder_of_ones_own_it_is_in_one_with_the_users_name(runtime: str) -> None:
    found = Place.of({"XDG_RUNTIME_DIR": runtime}).socket
    user = os.getuid()
    if runtime == "/" and user == 0:
        assert found == "/strictcall/viewer.sock"
    else:
        assert found.endswith((f"/strictcall-{user}/viewer.sock", f"/run/user/{user}/strictcall/viewer.sock"))


@POSIX
def test_it_is_the_same_for_who_was_not_told_where_temporary_files_are(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from mcp_server.viewer.place import Place; print(Place.of().socket)"]
    few = {"PATH": os.defpath, "PYTHONPATH": str(ROOT)}  # as MCP clients hand them on
    told = few | {"TMPDIR": str(tmp_path)}
    here, there = (subprocess.run(command, env=one, capture_output=True, check=True).stdout for one in (few, told))
    assert here == there


@POSIX
def test_a_folder_that_is_open_to_others_is_refused_by_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STRICTCALL_VIEWER_SOCKET", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "strictcall").mkdir()
    (tmp_path / "strictcall").chmod(0o755)
    with pytest.raises(BadPlace, match="closed to others"), Place.of().held():
        pass
    assert "closed to others" in failure().hint


@POSIX
def test_a_folder_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "strictcall").symlink_to("elsewhere")
    with pytest.raises(BadPlace, match="STRICTCALL_VIEWER_SOCKET"), Place.of({"XDG_RUNTIME_DIR": str(tmp_path)}).held():
        pass


@pytest.mark.skipif(sys.platform == "win32" or os.getuid() != 0, reason="only root gives files away")
def test_what_another_user_has_put_there_hears_nothing_and_stays(place: Place) -> None:
    with socket.socket(socket.AF_UNIX) as planted:
        planted.bind(place.socket)
        planted.listen()
        os.chown(place.socket, 65534, 65534)
        assert failure().hint.startswith(f"{place.socket} belongs to another user; set STRICTCALL_VIEWER_SOCKET")
        with planted.accept()[0] as heard:
            assert heard.recv(1) == b""
        with pytest.raises(BadPlace, match="another user"), place.held():
            pass


@POSIX
def test_a_path_that_is_too_long_for_a_socket_is_named_with_the_way_out(tmp_path: Path) -> None:
    long = Place.of({"STRICTCALL_VIEWER_SOCKET": str(tmp_path / ("x" * 104))})
    with pytest.raises(BadPlace, match="103 bytes are the most; set STRICTCALL_VIEWER_SOCKET"), long.held(), door(long):
        pass


@pytest.mark.parametrize("what", ["a path of which no folder is there", "the file of somebody else"])
def test_a_path_that_cannot_be_a_socket_is_named_with_the_way_out(tmp_path: Path, what: str) -> None:
    (tmp_path / "notes.md").write_text("# notes")
    place = Place(str(tmp_path / ("notes.md" if "file" in what else "a/b/c.sock")), chosen=True)
    with pytest.raises(BadPlace, match="set STRICTCALL_VIEWER_SOCKET to another path"), place.held(), door(place):
        pass
    assert (tmp_path / "notes.md").read_text() == "# notes"


def test_there_is_one_app(place: Place) -> None:
    with place.held():
        Path(place.socket).touch()
        with pytest.raises(AlreadyRunning), place.held():
            pass
        Path(place.socket).unlink()
    with place.held():
        pass


def test_who_comes_while_an_app_ends_waits_for_its_place(place: Place) -> None:
    ending = ExitStack()
    ending.enter_context(place.held())
    with ThreadPoolExecutor(1) as threads:
        coming = threads.submit(lambda: ExitStack().enter_context(place.held()))
        ending.close()
        coming.result(SOON)


@POSIX
def test_who_has_the_port_of_an_app_that_was_killed_hears_nothing(place: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        left = {"strictcall_viewer": {"port": stranger.getsockname()[1], "token": "secret"}}
        Path(place.socket).write_text(json.dumps(left))
        with pytest.raises(ConnectionRefusedError):
            connect(place)
        with place.held():
            Path(place.socket).write_text(json.dumps(left))
            connect(place).close()
            Path(place.socket).unlink()


# ---- the start


def test_an_app_that_is_not_running_is_started_and_stays(place: Place) -> None:
    assert request("list_viewers", {})["windows"]
    app = app_of(place)
    assert request("list_viewers", {})["windows"]
    assert app_of(place) == app


@LINUX
def test_an_app_of_somebody_elses_is_told_where_to_listen(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STRICTCALL_VIEWER_SOCKET")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(Path(place.socket).parent))
    here = Place.of()
    try:
        assert request("list_viewers", {})["windows"]
        told = Path(f"/proc/{app_of(here)}/environ").read_bytes().split(b"\0")
        assert f"STRICTCALL_VIEWER_SOCKET={here.socket}".encode() in told
    finally:
        end_app(here)


def test_a_socket_that_a_killed_app_has_left_is_no_app(place: Place) -> None:
    request("list_viewers", {})
    app = app_of(place)
    os.kill(app, signal.SIGKILL)
    until(lambda: not place.is_held())
    assert Path(place.socket).exists()
    assert request("list_viewers", {})["windows"]
    assert app_of(place) != app


def test_many_who_start_it_at_once_get_one_app(place: Place) -> None:
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: request("list_viewers", {}), range(8)))
    assert {answer["title"] for answer in answers} == {f"of {app_of(place)}"}
    assert Path(place.log).read_text("utf-8") == ""


@LINUX
def test_it_gets_nothing_of_who_starts_it(
    place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STRICTCALL_VIEWER_APP", an_app("look"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(Path(place.socket).parent)
    monkeypatch.setenv("STRICTCALL_VIEWER_SOCKET", Path(place.socket).name)
    here, there = socket.socketpair()
    with here, there:
        os.set_inheritable(here.fileno(), False)
        app = start(Place.of())
        seen = Path(place.socket + ".seen")
        until(seen.exists)
    assert json.loads(seen.read_text("utf-8")) == {
        "cwd": str(tmp_path),
        "descriptors": [0, 1, 2],
        "leads": True,
        "streams": ["/dev/null", "/dev/null", place.log],
        "socket": place.socket,
    }
    assert Path(place.log).stat().st_mode & 0o777 == 0o600
    until(lambda: app.process.returncode is not None)  # nobody need ask for it: it has been seen off
    assert capfd.readouterr() == ("", "")


@POSIX
@pytest.mark.usefixtures("place")
def test_for_a_python_outside_of_all_environments_that_of_the_checkout_runs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    python = tmp_path / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o700)
    monkeypatch.delenv("STRICTCALL_VIEWER_APP")
    monkeypatch.setattr(launch, "ROOT", str(tmp_path))
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    monkeypatch.setattr(sys, "executable", "/nowhere/python3")
    assert request("list_viewers", {}) == {"windows": []}


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("/nowhere/app --now", "No such file"),
        ("'", "No closing quotation"),
        (sys.executable + " -c 'import sys; sys.exit(\"no display\")'", "(코드 1): no display. "),
    ],
)
def test_an_app_that_cannot_be_started_is_unreachable_and_the_hint_says_why(
    place: Place, monkeypatch: pytest.MonkeyPatch, command: str, why: str
) -> None:
    monkeypatch.setattr(client, "_PAUSE", 0.1)
    monkeypatch.setenv("STRICTCALL_VIEWER_APP", command)
    error = failure()
    assert error.code == "unreachable"
    assert why in error.hint
    assert place.log in error.hint
    if "display" in command:
        assert Path(place.log).read_text() == "no display\n"


def test_a_path_with_spaces_is_a_command(place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = tmp_path / "my app.sh"
    script.write_text(f"#!/bin/sh\nexec {an_app('quick')}\n")
    script.chmod(0o755)
    monkeypatch.setenv("STRICTCALL_VIEWER_APP", str(script))
    assert request("list_viewers", {})["windows"]
    assert place.is_held()


# ---- the answer


async def echo(params: Json) -> Json:
    return params


@pytest.mark.parametrize("unix", [True, False])
def test_a_request_gets_its_result(place: Place, *, unix: bool) -> None:
    with listening(place, {"echo": echo}, unix=unix):
        assert request("echo", {"content": "# 한글 🎉\n"}) == {"content": "# 한글 🎉\n"}


def test_answers_to_others_are_ignored(place: Place) -> None:
    def speak(connection: socket.socket) -> None:
        asked = json.loads(connection.makefile().readline())
        connection.sendall(b'{"id": "of another", "result": {"a": 1}}\n{"id": 7, "error": {}}\n')
        connection.sendall(json.dumps({"id": asked["id"], "result": {"a": 2}}).encode() + b"\n")

    with answering(place, speak):
        assert request("echo", {}) == {"a": 2}


@pytest.mark.parametrize(
    ("said", "code", "message"),
    [
        (b'{"id": null, "error": {"code": "too_long", "message": "a line has at most"}}', "too_long", "a line has"),
        (b'{"id": null, "error": {"code": "timeout", "message": "x"}}', "timeout", "요청 시간이 초과되었습니다 (10초)"),
        (b'{"id": null}', "nonsense", "읽을 수 없습니다"),
        (b'{"id": null, "result": []}', "nonsense", ""),
        (b"[]", "nonsense", ""),
        (b"\xff", "nonsense", ""),
    ],
)
def test_an_error_has_its_code_and_its_words(place: Place, said: bytes, code: str, message: str) -> None:
    with answering(place, saying(said + b"\n")):
        error = failure()
    assert error.code == code
    assert message in str(error)


@pytest.mark.parametrize("said", [b"", b'{"id": '])
def test_a_connection_that_ends_before_the_answer_fails_this_request_alone(place: Place, said: bytes) -> None:
    with answering(place, saying(said)):
        assert failure().code == "lost"
    assert request("list_viewers", {})["windows"], "a new app was started"


def test_the_time_is_for_the_whole_answer_not_for_each_piece(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "TIMEOUT", 0.5)
    done = threading.Event()

    def drip(connection: socket.socket) -> None:
        while not done.wait(0.05):
            connection.sendall(b" ")

    with answering(place, drip):
        try:
            assert failure().code == "timeout"
        finally:
            done.set()


def test_who_does_not_even_read_is_not_waited_for_longer(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "TIMEOUT", 0.5)
    done = threading.Event()
    with answering(place, lambda _: done.wait(SOON)):
        with pytest.raises(ViewerError, match="초과"):
            request("echo", {"content": "x" * 10_000_000})
        done.set()


def test_when_nobody_waits_any_more_the_connection_is_broken_off(place: Place) -> None:
    progress, heard = Progress(), threading.Event()

    def listen(connection: socket.socket) -> None:
        file = connection.makefile("rb")
        file.readline()
        heard.set()
        assert file.readline() == b""

    with answering(place, listen), ThreadPoolExecutor(1) as threads:
        asked = threads.submit(request, "echo", {}, progress)
        assert heard.wait(SOON)
        progress.cancel()
        assert isinstance(asked.exception(SOON), Cancelled)


def test_when_nobody_waits_any_more_an_app_is_not_waited_for(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRICTCALL_VIEWER_APP", sys.executable + " -c pass")
    progress = Progress()
    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(request, "echo", {}, progress)
        until(Path(place.log).exists)
        progress.cancel()
        assert isinstance(asked.exception(SOON), Cancelled)


def test_there_is_english_too(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRICTCALL_LANG", "en")
    with answering(place, saying(b"")):
        assert "connection" in str(failure())


@POSIX
def test_what_an_app_did_not_read_before_it_ended_is_asked_again(place: Place) -> None:
    def end_unread(connection: socket.socket) -> None:
        connection.recv(1, socket.MSG_PEEK)
        Path(place.socket).unlink()

    with answering(place, end_unread):
        assert "windows" in request("list_viewers", {})
