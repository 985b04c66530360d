"""MCP over standard input and output (P13), and how it ends."""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from mcp_running import (
    INITIALIZED,
    TOOLS,
    Stdio,
    call,
    complaints,
    environment,
    initialize,
    notification,
    request,
    started,
)
from serving import SOON, until


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stdio]:
    """One that has shaken hands, for tests that leave it as it was."""
    with Stdio(tmp_path_factory.mktemp("stdio")) as one:
        one.begin()
        yield one


def test_every_line_is_a_message_whatever_the_tools_print(tmp_path: Path) -> None:
    with Stdio(tmp_path) as client:
        client.begin()
        result = client.ask(call("chatter"))["result"]
        assert result["structuredContent"] == {"success": True, "result": "''"}, "standard input is the client's"
        code, rest, logged = client.end()
        assert (code, rest) == (0, [])
        assert "this is not JSON" in logged
        assert "nor this" in logged


def test_it_says_that_it_has_started_and_not_on_standard_output(tmp_path: Path) -> None:
    with Stdio(tmp_path) as client:
        client.begin()
        until(lambda: bool(client.logged))
        assert client.logged[0].endswith(" [strictcall-mcp] Server started\n")
        assert client.end() == (0, [], "")


def test_it_says_nothing_of_what_is_said(tmp_path: Path) -> None:
    with Stdio(tmp_path) as client:
        client.begin()
        client.ask(call("search_docs", query="비밀"))
        client.ask(call("get_employee_info", employee_id="비밀"))
        assert client.end() == (0, [], "")


def test_the_first_message_decides_the_era(tmp_path: Path) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    with Stdio(tmp_path) as client:
        found = client.ask(request("server/discover", {"_meta": meta}))["result"]
        assert found["supportedVersions"] == ["2026-07-28"]
        tools = client.ask(request("tools/list", {"_meta": meta}))["result"]["tools"]
        assert "search_docs" in [tool["name"] for tool in tools]


def test_an_unknown_first_message_gets_an_answer(tmp_path: Path) -> None:
    with Stdio(tmp_path) as client:
        assert client.ask(request("server/discover"))["error"]["code"] == -32601
        assert client.begin()["serverInfo"]["name"] == "strictcall"


@pytest.mark.parametrize("line", ["{", "nonsense", "[]", '{"id": 1}', "[" * 100_000])
def test_a_broken_line_gets_an_error_and_the_next_one_works(client: Stdio, line: str) -> None:
    refused = client.ask(line)
    assert refused["id"] is None
    assert refused["error"]["code"] in {-32700, -32600}
    client.send("")
    assert client.ask(request("ping", id_="x")) == {"jsonrpc": "2.0", "id": "x", "result": {}}


@pytest.mark.parametrize("id_", ["null", "1.5", "true", "[1]", "{}"])
def test_a_request_with_an_id_that_is_none_is_refused_and_not_forgotten(client: Stdio, id_: str) -> None:
    refused = client.ask(f'{{"jsonrpc": "2.0", "id": {id_}, "method": "ping"}}')
    assert (refused["id"], refused["error"]["code"]) == (None, -32600)


@pytest.mark.parametrize("params", ["[]", "7", '"text"', "[" * 500 + "]" * 500])
def test_who_asks_in_a_wrong_way_is_told_which_request_it_was(client: Stdio, params: str) -> None:
    refused = client.ask(f'{{"jsonrpc": "2.0", "id": "mine", "method": "ping", "params": {params}}}')
    assert (refused["id"], refused["error"]["code"]) == ("mine", -32600)


@pytest.mark.parametrize(
    "line",
    ['\ufeff{"jsonrpc": "2.0", "id": 5, "method": "ping"}\r', r'{"jsonrpc": "2.0", "id": 5, "method": "\ud800"}'],
    ids=["as Windows writes it", "half a character"],
)
def test_what_python_would_read_is_read(client: Stdio, line: str) -> None:
    answer = client.ask(line)
    assert answer["id"] == 5
    assert answer.get("error", {"code": -32601})["code"] == -32601


def test_a_megabyte_goes_in_and_korean_comes_out(client: Stdio) -> None:
    error = client.ask(call("search_docs", query="연" * 1_000_000))["result"]
    assert error["isError"] is True
    assert client.ask(call("get_employee_info", employee_id="EMP001"))["result"]["content"][0]["text"].count("김민준")


def test_everything_can_be_written_before_anything_is_read(tmp_path: Path) -> None:
    """As a script pipes it in: the end of the input comes before the first answer."""
    lines = [initialize(), INITIALIZED, *(call("get_employee_info", n, employee_id="EMP001") for n in range(2, 200))]
    ended = subprocess.run(
        [sys.executable, "-m", "runner.cli", "mcp"],
        input="\n".join(json.dumps(line) for line in lines),
        env=environment(tmp_path),
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=SOON,
    )
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    assert sorted(answer["id"] for answer in answers) == [*range(1, 200)]
    assert all("result" in answer for answer in answers)


def test_at_the_end_of_its_input_a_call_under_way_is_answered(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with Stdio(tmp_path) as client:
        client.begin()
        client.send(call("wait_for", gate=str(gate)))
        wait_until(gate, "waiting")
        assert client.process.stdin
        client.process.stdin.close()
        gate.touch()
        code, rest, _ = client.ended()
        assert code == 0
        assert [answer["result"]["structuredContent"]["result"] for answer in rest] == ["the gate is open"]


@pytest.mark.parametrize("signals", [[signal.SIGTERM], [signal.SIGINT]])
def test_at_a_signal_a_call_under_way_is_answered(tmp_path: Path, signals: list[signal.Signals]) -> None:
    gate = tmp_path / "gate"
    with Stdio(tmp_path) as client:
        client.begin()
        client.send(call("wait_for", gate=str(gate)))
        wait_until(gate, "waiting")
        for one in signals:
            client.process.send_signal(one)
        gate.touch()
        code, rest, logged = client.ended()
        assert (code, len(rest), logged) == (0, 1, "")
        assert rest[0]["result"]["isError"] is False


def test_a_call_that_never_ends_does_not_keep_it_alive(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with Stdio(tmp_path) as client:
        client.begin()
        client.send(call("wait_for", gate=str(gate)))
        wait_until(gate, "waiting")
        code, rest, _ = client.end()
        assert code == 0
        assert [set(answer) for answer in rest] in ([], [{"jsonrpc", "id", "error"}])


@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes streams")
@pytest.mark.parametrize(("closed", "answers"), [("2>&-", 1), ("<&- >&-", 0)])
def test_streams_that_are_closed_from_the_start_do_no_harm(tmp_path: Path, closed: str, answers: int) -> None:
    ended = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-m", "runner.cli", "mcp"],
        input=json.dumps(initialize()),
        env=environment(tmp_path),
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=SOON,
    )
    assert (ended.returncode, len(ended.stdout.splitlines()), complaints(ended.stderr)) == (0, answers, "")


def test_a_client_that_does_not_read_can_end_it(tmp_path: Path) -> None:
    with started(tmp_path, "mcp") as process:
        assert process.stdin
        assert process.stdout
        print(json.dumps(initialize()), file=process.stdin, flush=True)
        assert json.loads(process.stdout.readline())["result"]
        for number in range(2, 500):  # far more than any buffer on the way takes
            print(json.dumps(request("tools/list", id_=number)), file=process.stdin)
        process.stdin.flush()
        select.select([process.stdout], [], [], SOON)
        process.terminate()
        assert process.wait(SOON) == 0


def test_it_ends_without_a_word_while_it_is_asked(tmp_path: Path) -> None:
    with Stdio(tmp_path) as client, ThreadPoolExecutor() as threads:
        client.begin()
        asking = threads.submit(ask_on, client)
        while "result" not in client.receive():
            pass
        client.process.terminate()
        assert client.process.wait(SOON) == 0
        assert isinstance(asking.exception(SOON), BrokenPipeError)
        assert client.complaints == ""


def test_a_client_that_dies_ends_it(tmp_path: Path) -> None:
    with started(tmp_path, "mcp") as process:
        assert process.stdin
        assert process.stdout
        print(json.dumps(initialize()), file=process.stdin, flush=True)
        assert json.loads(process.stdout.readline())["result"]
        process.stdout.close()
        print(json.dumps(request("ping")), file=process.stdin, flush=True)
        assert process.wait(SOON) == 0


def test_the_first_call_of_a_tool_has_the_tools_own_time(tmp_path: Path) -> None:
    quick = "\nTOOLS = [Tool.of(wait_for, timeout=0.1)]\n"
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "odd.py").write_text(TOOLS + quick, "utf-8")
    with Stdio(tmp_path) as client:
        client.begin()
        result = client.ask(call("wait_for", gate=str(tmp_path / "gate")))["result"]
        assert "wait_for had no answer after 0.1 s" in result["structuredContent"]["error"]


def test_progress_comes_in_order_and_before_the_answer(client: Stdio) -> None:
    client.send(call("count", to=5, follow="t"))
    told = [client.receive() for _ in range(5)]
    assert [one["params"]["progress"] for one in told] == [1, 2, 3, 4, 5]
    assert {one["method"] for one in told} == {"notifications/progress"}
    assert {one["params"]["progressToken"] for one in told} == {"t"}
    assert told[2]["params"] == {"progressToken": "t", "progress": 3, "total": 5, "message": "셋 3"}
    assert client.receive()["result"]["structuredContent"]["result"] == 5


def test_half_a_character_ends_neither_the_answer_nor_the_server(client: Stdio) -> None:
    client.send(call("halves", follow="t"))
    assert client.receive()["params"]["message"] == "half \ufffd"
    assert [block["text"] for block in client.receive()["result"]["content"]] == ["half \ufffd", "\ufffd"]


def test_who_did_not_ask_for_progress_gets_none(client: Stdio) -> None:
    assert client.ask(call("count", to=5))["id"] == 2


def test_a_cancelled_call_stops_and_is_not_answered(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with Stdio(tmp_path) as client:
        client.begin()
        client.send(call("wait_for", gate=str(gate)))
        wait_until(gate, "waiting")
        client.send(notification("notifications/cancelled", {"requestId": 2}))
        wait_until(gate, "stopped")
        assert client.ask(request("ping", id_=3)) == {"jsonrpc": "2.0", "id": 3, "result": {}}
        assert client.end() == (0, [], "")


def ask_on(client: Stdio) -> None:
    assert client.process.stdin
    while True:
        os.write(client.process.stdin.fileno(), b"%s\n" % json.dumps(call("count", to=3, follow="t")).encode())


def wait_until(gate: Path, state: str) -> None:
    """Until the tool has written down that it waits, or was stopped."""
    seen = gate.with_name(gate.name + ".seen")
    until(lambda: seen.exists() and seen.read_text() == state)
