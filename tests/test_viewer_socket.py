"""The socket of the viewer's app: many who ask, and what they get wrong."""

import asyncio
import json
import logging
import os
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from serving import SOON
from viewer_running import Json, Raw, listening, own_place

from mcp_server.viewer import control
from mcp_server.viewer.control import MAX_LINE
from mcp_server.viewer.door import UNIX, Door
from mcp_server.viewer.door import listening as door_of
from mcp_server.viewer.failure import Failed
from mcp_server.viewer.place import Place

WAYS = [pytest.param(True, marks=pytest.mark.skipif(not UNIX, reason="a Unix socket")), False]


class Doings:
    """Actions for tests."""

    def __init__(self) -> None:
        self.waiting = threading.Semaphore(0)
        self._gates: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def echo(self, params: Json) -> Json:
        return params

    async def wait(self, params: Json) -> Json:
        """Wait until the test opens the gates."""
        gate = asyncio.Event()
        self._gates.append((asyncio.get_running_loop(), gate))
        self.waiting.release()
        await gate.wait()
        return params

    async def fail(self, _: Json) -> Json:
        raise Failed("not_open", "Window not found: 7")

    async def break_down(self, _: Json) -> Json:
        raise RuntimeError("hunter2")

    async def shout(self, params: Json) -> Json:
        return {"text": "x" * params["bytes"]}

    def open_gates(self) -> None:
        for loop, gate in self._gates:
            loop.call_soon_threadsafe(gate.set)

    def by_name(self) -> dict[str, Any]:
        return {one.__name__: one for one in (self.echo, self.wait, self.fail, self.break_down, self.shout)}


@pytest.fixture
def doings() -> Doings:
    return Doings()


@pytest.fixture(params=WAYS, ids=["unix", "loopback"])
def place(request: pytest.FixtureRequest, doings: Doings) -> Iterator[Place]:
    with own_place() as one, listening(one, doings.by_name(), unix=request.param):
        yield one


def asking(action: str, id_: Any = "1", **params: Any) -> Json:
    return {"id": id_, "action": action, "params": params}


def test_a_line_asks_and_a_line_answers(place: Place) -> None:
    with Raw(place) as client:
        assert client.ask(asking("echo", title="한글 🎉\n")) == {"id": "1", "result": {"title": "한글 🎉\n"}}
        assert client.ask({"id": 7, "action": "echo"}) == {"id": 7, "result": {}}


@pytest.mark.parametrize(
    ("line", "id_", "code"),
    [
        (b"nonsense", None, "bad_frame"),
        (b"{", None, "bad_frame"),
        (b'{"id": "1", "action": "echo", "params": {"a": "\xff"}}', None, "bad_frame"),
        (rb'{"id": "1", "action": "echo", "params": {"a": "\ud800"}}', None, "bad_frame"),
        (b"[" * 100_000, None, "bad_frame"),
        (b"[]", None, "bad_frame"),
        (b"null", None, "bad_frame"),
        (b'{"action": "echo", "params": {}}', None, "bad_frame"),
        (b'{"id": null, "action": "echo", "params": {}}', None, "bad_frame"),
        (b'{"id": true, "action": "echo", "params": {}}', None, "bad_frame"),
        (b'{"id": ["1"], "action": "echo", "params": {}}', None, "bad_frame"),
        (b'{"id": "1", "params": {}}', "1", "bad_frame"),
        (b'{"id": "1", "action": 3}', "1", "bad_frame"),
        (b'{"id": "1", "action": "ech"}', "1", "unknown_action"),
        (b'{"id": "1", "action": "__init__"}', "1", "unknown_action"),
        (b'{"id": "1", "action": "echo", "params": []}', "1", "bad_params"),
        (b'{"id": "1", "action": "echo", "params": null}', "1", "bad_params"),
        (b'{"id": "1", "action": "fail"}', "1", "not_open"),
        (b'{"id": "1", "action": "break_down"}', "1", "internal"),
    ],
)
def test_a_broken_line_gets_an_error_and_the_next_one_works(place: Place, line: bytes, id_: Any, code: str) -> None:
    with Raw(place) as client:
        refused = client.ask(line)
        assert refused.keys() == {"id", "error"}
        assert (refused["id"], refused["error"]["code"]) == (id_, code)
        assert refused["error"]["message"]
        assert "hunter2" not in refused["error"]["message"]
        assert client.ask(b"\r\n\n" + json.dumps(asking("echo", "2")).encode()) == {"id": "2", "result": {}}


def test_ten_megabytes_of_what_is_escaped_the_longest_pass_and_a_line_that_is_longer_does_not(place: Place) -> None:
    with Raw(place) as client:
        worst = "\u0001" * 10_485_760
        answer = client.ask(asking("echo", content=worst))
        assert answer["result"]["content"] == worst
        refused = client.ask(b"x" * (MAX_LINE + 1))
        assert (refused["id"], refused["error"]["code"]) == (None, "too_long")
        assert client.ask(asking("echo", "2")) == {"id": "2", "result": {}}


def test_who_is_quick_need_not_wait_for_who_is_slow(place: Place, doings: Doings) -> None:
    with Raw(place) as client:
        client.send(asking("wait", "slow"))
        assert client.ask(asking("echo", "quick"))["id"] == "quick"
        with Raw(place) as another:
            assert another.ask(asking("echo", "slow")) == {"id": "slow", "result": {}}
        doings.open_gates()
        assert client.receive() == {"id": "slow", "result": {}}


def test_every_answer_goes_to_its_own_request(place: Place) -> None:
    def converse(number: int) -> None:
        with Raw(place) as client:
            asked = {f"{number}-{one}": {"who": number, "what": one} for one in range(50)}
            for id_, params in asked.items():
                client.send(asking("echo", id_, **params))
            answers = [client.receive() for _ in asked]
            assert {answer["id"]: answer["result"] for answer in answers} == asked

    with ThreadPoolExecutor(20) as clients:
        list(clients.map(converse, range(20)))


def test_a_client_that_leaves_harms_nobody(place: Place, doings: Doings) -> None:
    with Raw(place) as client:
        client.socket.sendall(b'{"id": "1", "acti')
    with Raw(place) as client:
        client.send(asking("wait"))
        assert doings.waiting.acquire(timeout=SOON)
    doings.open_gates()
    with Raw(place) as client:
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")  # not by the door
        client.send(asking("shout", bytes=1_000_000))
    with Raw(place) as client:
        assert client.ask(asking("echo", "2")) == {"id": "2", "result": {}}


def test_a_client_that_does_not_read_stops_nobody_but_itself(place: Place) -> None:
    with Raw(place) as deaf, Raw(place) as client:
        deaf.socket.settimeout(0.2)
        with suppress(TimeoutError):  # it is no longer read, either
            while True:
                deaf.send(asking("shout", bytes=1_000_000, filler="x" * 10_000))
        assert client.ask(asking("echo")) == {"id": "1", "result": {}}


def test_the_log_has_nothing_but_action_and_id(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "strictcall")
    with Raw(place) as client:
        client.ask(asking("echo", "one\ntwo", content="비밀", filePath="/home/secret.md"))
        client.ask(b'{"id": "3", "action": "secret"}')
    assert caplog.messages == ["echo 'one\\ntwo'"]


def test_at_its_end_nobody_is_kept_waiting(doings: Doings) -> None:
    with own_place() as place:
        with listening(place, doings.by_name()):
            client = Raw(place)
            client.send(asking("wait"))
            assert doings.waiting.acquire(timeout=SOON)
        with client:
            assert client.has_ended()
        assert not Path(place.socket).exists()


@pytest.mark.parametrize("unix", [True, False])
def test_an_app_that_ends_leaves_no_socket_before_it_leaves_its_place(doings: Doings, *, unix: bool) -> None:
    async def end(opened: Door) -> None:
        async with control.serve(opened, doings.by_name()):
            pass

    with own_place() as place, place.held(), door_of(place, unix=unix) as opened:
        asyncio.run(end(opened))
        assert not Path(place.socket).exists(), "one that comes now waits for the place"


@pytest.mark.parametrize("said", [b'{"token": "guess"}', b'{"token": 7}', b"[]", b"nonsense", b'{"id": "1"}'])
def test_who_does_not_know_the_token_of_loopback_is_refused(doings: Doings, said: bytes) -> None:
    with own_place() as place, listening(place, doings.by_name(), unix=False):
        port = json.loads(Path(place.socket).read_text("utf-8"))["strictcall_viewer"]["port"]
        with socket.create_connection(("127.0.0.1", port), timeout=SOON) as client, client.makefile("rb") as answers:
            client.sendall(said + b'\n{"id": "1", "action": "echo", "params": {}}\n')
            assert json.loads(answers.readline())["error"]["code"] == "bad_token"
            assert answers.readline() == b""


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
@pytest.mark.parametrize("unix", [True, False])
def test_only_the_user_may_open_it(doings: Doings, *, unix: bool) -> None:
    with own_place() as place:
        before = os.umask(0)
        try:
            with listening(place, doings.by_name(), unix=unix):
                assert {one.name: one.stat().st_mode & 0o777 for one in Path(place.socket).parent.iterdir()} == {
                    "v.sock": 0o600,
                    "v.lock": 0o600,
                }
        finally:
            os.umask(before)
