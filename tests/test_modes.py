"""What becomes of a call: a strict call, a command to paste, or whatever the model server says."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from fake_server import DONE, chunk, done, line
from hypothesis import example, given, settings
from hypothesis import strategies as st
from running import CALL, TOOLS, FakeServer, Proxy, content_of, joined_call, proxy

from mcp_server.registry import default_registry
from proxy.core.events import ArgsDelta, CallEnd, CallStart, Event, Text
from proxy.core.shell import Runner, Shell, ShellCalls
from proxy.settings import Settings
from runner.serve import shell_tools

EMPLOYEE = '<tool_call>{"name": "get_employee_info", "arguments": {"employee_id": "EMP001"}}</tool_call>'
BLOCK = "```bash\n"


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    with FakeServer() as one:
        yield one


@pytest.fixture(scope="module")
def one(server: FakeServer) -> Iterator[Proxy]:
    """A proxy with the real registry; two of its models have a mode of their own."""
    models = {"shelly*": {"mode": "shell"}, "offy*": {"mode": "off"}}
    server.models += ["shelly", "offy"]
    with proxy(server.url, shell=shell_tools(default_registry(), Settings(shell="bash")), models=models) as found:  # noqa: S604 - a setting
        yield found


# ---- which mode

CHOICES: list[tuple[str, dict[str, str], str, str]] = [
    # path, headers, model, mode: the first that says so counts
    ("/v1", {}, "fake", "strict"),
    ("/v1", {}, "shelly", "shell"),
    ("/v1", {}, "shelly@strict", "strict"),
    ("/v1", {}, "fake@shell", "shell"),
    ("/v1", {}, "fake@off", "off"),
    ("/v1", {"X-Strictcall-Mode": "off"}, "fake@shell", "off"),
    ("/v1", {"x-strictcall-mode": "SHELL"}, "offy", "shell"),
    ("/shell/v1", {"X-Strictcall-Mode": "off"}, "fake@strict", "shell"),
    ("/strict/v1", {"X-Strictcall-Mode": "off"}, "shelly@shell", "strict"),
    ("/off/v1", {"X-Strictcall-Mode": "shell"}, "shelly", "off"),
    ("/off/v1", {"X-Strictcall-Mode": "nonsense"}, "shelly", "off"),
]


@pytest.mark.parametrize(("path", "headers", "model", "mode"), CHOICES)
def test_the_first_that_names_a_mode_counts(
    server: FakeServer, one: Proxy, path: str, headers: dict[str, str], model: str, mode: str
) -> None:
    server.says("Hello.")
    got = one.post(f"{path}/chat/completions", headers=headers, model=model)
    assert got.headers["x-strictcall-mode"] == mode
    assert server.chats[-1].body["model"] == model.partition("@")[0], "the server knows the model without the mode"
    assert server.chats[-1].path == ("/v1/chat/completions" if mode == "off" else "/api/chat")


@pytest.mark.parametrize("mode", ["strict", "shell", "off"])
def test_the_mode_of_the_server_is_for_who_says_nothing(server: FakeServer, mode: str) -> None:
    server.says("Hello.")
    with proxy(server.url, mode=mode, shell=shell_tools(default_registry(), Settings())) as found:
        assert found.post().headers["x-strictcall-mode"] == mode
        assert found.post(model="fake@strict").headers["x-strictcall-mode"] == "strict"


def test_a_mode_that_is_none_is_named(one: Proxy) -> None:
    got = one.post(headers={"X-Strictcall-Mode": "loud"})
    assert got.status_code == 400
    assert "strict, shell, off" in got.json()["error"]["message"]


def test_an_at_sign_may_belong_to_the_model(server: FakeServer, one: Proxy) -> None:
    server.says("Hello.")
    one.post(model="fake@v2")
    assert server.chats[-1].body["model"] == "fake@v2"


# ---- off


@pytest.mark.parametrize("stream", [True, False])
def test_off_is_what_the_server_says_byte_for_byte(server: FakeServer, one: Proxy, stream: bool) -> None:
    said = [
        b": hi\n\n",
        chunk({"content": CALL}, odd=1),
        b"data:  {}\r\n\r\n",
        b"event: x\n\n",
        chunk({}, "stop"),
        DONE,
    ]
    server.plays(*said)
    got = one.post("/off/v1/chat/completions", tools=TOOLS, stream=stream, odd={"key": [1, None]})
    assert got.content == b"".join(said)
    assert got.headers["content-type"] == "text/event-stream"
    assert server.chats[-1].body["odd"] == {"key": [1, None]}
    assert server.chats[-1].body["tools"] == TOOLS


def test_off_is_the_same_for_ollamas_clients(server: FakeServer, one: Proxy) -> None:
    said = [line(CALL), b'{"odd": 1}\n', done()]
    server.plays(*said)
    got = one.post("/off/api/chat", tools=TOOLS)
    assert got.content == b"".join(said)
    assert server.chats[-1].path == "/api/chat"


# ---- shell


def test_a_block_stands_in_place_of_the_call_and_the_text_around_it_stays(server: FakeServer, one: Proxy) -> None:
    server.says("I look her up.\n", EMPLOYEE[:30], EMPLOYEE[30:], "\nThat is all.")
    got = one.post("/shell/v1/chat/completions").json()["choices"][0]
    before, block, after = got["message"]["content"].partition(BLOCK)
    assert before == "I look her up.\n\n"
    assert after.partition("\n```\n")[2].strip() == "That is all."
    assert block
    assert "tool_calls" not in got["message"]
    assert got["finish_reason"] == "stop"


def test_a_streamed_block_is_the_same(server: FakeServer, one: Proxy) -> None:
    server.says("I look her up.\n", EMPLOYEE[:30], EMPLOYEE[30:], "\nThat is all.")
    whole = one.post("/shell/v1/chat/completions").json()["choices"][0]["message"]["content"]
    chunks = one.stream("/shell/v1/chat/completions")
    assert content_of(chunks) == whole
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop"


def test_every_call_has_a_block_of_its_own(server: FakeServer, one: Proxy) -> None:
    server.says(EMPLOYEE, "\n", EMPLOYEE.replace("EMP001", "EMP002"))
    text = content_of(one.stream("/shell/v1/chat/completions"))
    blocks = text.split(BLOCK)[1:]
    assert [block.count("\n```\n") for block in blocks] == [1, 1]
    assert "EMP001" in blocks[0]
    assert "EMP002" in blocks[1]


def test_the_registrys_tools_are_offered_beside_the_clients(server: FakeServer, one: Proxy) -> None:
    server.says("Hello.")
    one.post("/shell/v1/chat/completions", tools=TOOLS)
    offered = [tool["function"]["name"] for tool in server.chats[-1].body["tools"]]
    assert offered[:2] == ["find_ferry", "ping_depot"]
    assert {"get_employee_info", "search_docs"} <= set(offered)
    one.post("/v1/chat/completions", tools=TOOLS)
    assert len(server.chats[-1].body["tools"]) == 2, "but only in this mode"


def test_the_clients_own_tools_stay_calls(server: FakeServer, one: Proxy) -> None:
    server.says(EMPLOYEE, "\n", CALL)
    chunks = one.stream("/shell/v1/chat/completions", tools=TOOLS)
    assert joined_call(chunks) == ("find_ferry", {"to": "Coll", "seats": 2})
    assert BLOCK in content_of(chunks)
    assert chunks[-1]["choices"][0]["finish_reason"] == "tool_calls"


def test_a_tool_that_both_have_is_the_clients(server: FakeServer, one: Proxy) -> None:
    server.says(EMPLOYEE)
    own = {"type": "function", "function": {"name": "get_employee_info", "parameters": {"type": "object"}}}
    chunks = one.stream("/shell/v1/chat/completions", tools=[own])
    assert joined_call(chunks) == ("get_employee_info", {"employee_id": "EMP001"})
    assert [tool["function"]["name"] for tool in server.chats[-1].body["tools"]].count("get_employee_info") == 1


@pytest.mark.parametrize("choice", ["none", "required", {"type": "function", "function": {"name": "find_ferry"}}])
def test_a_choice_of_tools_is_a_choice_among_the_clients(server: FakeServer, one: Proxy, choice: Any) -> None:
    server.says("Hello.")
    one.post("/shell/v1/chat/completions", tools=TOOLS, tool_choice=choice)
    offered = [tool["function"]["name"] for tool in server.chats[-1].body.get("tools", [])]
    assert "get_employee_info" not in offered


@pytest.mark.parametrize("whole", [True, False])
def test_a_call_that_was_cut_gives_nothing_to_run(server: FakeServer, one: Proxy, whole: bool) -> None:
    server.says("Sure.\n", EMPLOYEE[:-20], reason="length")
    got = one.post("/shell/v1/chat/completions", stream=not whole).text
    assert "```" not in got
    assert "mcp_tools_runner" not in got
    assert '"length"' in got
    assert "get_employee_info" in got, "but it was said"


def test_shell_mode_answers_ollamas_clients_too(server: FakeServer, one: Proxy) -> None:
    server.says(EMPLOYEE)
    lines = [json.loads(said) for said in one.post("/shell/api/chat").text.splitlines()]
    assert BLOCK in "".join(said["message"]["content"] for said in lines)
    assert not [said for said in lines if said["message"].get("tool_calls")]


def test_the_block_runs_when_it_is_pasted(server: FakeServer, one: Proxy, tmp_path: Path) -> None:
    server.says(EMPLOYEE)
    text = content_of(one.stream("/shell/v1/chat/completions"))
    command = text.partition(BLOCK)[2].partition("\n```")[0]
    ran = pasted(command, tmp_path, STRICTCALL_DB=str(tmp_path / "data.db"))
    found = json.loads(ran)
    assert found["success"] is True
    assert found["result"]["id"] == "EMP001"


# ---- quotes

PRINTS_ARGUMENTS = "import json, sys; sys.stdout.buffer.write(json.dumps(sys.argv[1:]).encode())"


def pasted(command: str, where: Path, **environment: str) -> str:
    """What a bash that is somewhere else prints; it gets the text as if it were typed."""
    ran = subprocess.run(
        ["/bin/bash", "--norc", "--noprofile"],
        input=command.encode() + b"\n",
        cwd=where,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **environment},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (ran.returncode, ran.stderr) == (0, b""), ran.stderr
    return ran.stdout.decode()


HOSTILE = [
    "'; rm -rf ~; '",
    '"; rm -rf ~; "',
    "$(touch x) `touch x` ${HOME} $HOME !!",
    "a\nb\r\nc\td\x00e\x1b[31m\x7f\x85\u2028",
    "```\nrm -rf ~\n```",
    "연차 '규정' ‘x’ “y” „z‚",
    "\\' \\\\' \\\" \\",
    "%PATH% ^& | > < && || (x) !x! %%",
    "-rf --help - @x",
    "\ud7ff\ue000\ufffd😀\u202e\u200b",
]
VALUES = st.recursive(
    st.text(max_size=12) | st.sampled_from(HOSTILE) | st.none() | st.booleans() | st.integers() | st.floats(-1e9, 1e9),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
ARGUMENTS = st.dictionaries(st.text(max_size=6) | st.sampled_from(HOSTILE), VALUES, max_size=4)
HOSTILE_ARGUMENTS = {f"key {text}": text for text in HOSTILE}


@pytest.fixture(scope="module")
def echo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A runner that prints its arguments, in a folder with a name that wants quotes."""
    script = tmp_path_factory.mktemp('it\'s a "folder" $HOME') / "run me.py"
    script.write_text(PRINTS_ARGUMENTS)
    return script


def test_bash_gives_the_runner_what_the_model_wrote(tmp_path: Path) -> None:
    """Many calls in one bash: to start one for each would take a minute."""

    @settings(max_examples=150, deadline=None)
    @example([HOSTILE_ARGUMENTS])
    @given(st.lists(ARGUMENTS, min_size=1, max_size=2))
    def check(several: list[dict[str, Any]]) -> None:
        runner = Runner("/usr/bin/env", "printf", "bash")
        # printf as the runner: its format is the name of the tool, and it says its argument as it is.
        commands = [runner.command("%s\\n", one) for one in several]
        lines = pasted("\n".join(commands), tmp_path).splitlines()
        assert [json.loads(said) for said in lines] == several

    check()
    assert not list(tmp_path.iterdir())


def test_bash_finds_the_runner_wherever_it_is(echo: Path, tmp_path: Path) -> None:
    command = Runner(sys.executable, str(echo), "bash").command("get_employee_info", HOSTILE_ARGUMENTS)
    tool, arguments = json.loads(pasted(command, tmp_path))
    assert (tool, json.loads(arguments)) == ("get_employee_info", HOSTILE_ARGUMENTS)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("shell", ["bash", "powershell", "cmd"])
@settings(max_examples=150, deadline=None)
@example(arguments=HOSTILE_ARGUMENTS)
@given(arguments=ARGUMENTS)
def test_a_command_is_one_line_that_can_be_seen(shell: Shell, arguments: dict[str, Any]) -> None:
    """A newline would run half a command, a fence would end the block, a control character would hide the rest."""
    block = Runner("/usr/bin/python3", "/opt/run.py", shell).block("tool", arguments)
    first, command, last = block.splitlines()
    assert (first, last) == (f"```{shell}", "```")
    assert command.isprintable()


# A model of the two shells that are not here, by their documentation.


def powershell_words(command: str) -> tuple[str, list[str]]:
    """What goes down the pipe, and the words of the command behind it (about_Quoting_Rules).

    Inside single quotes everything is literal but the single quote, of which two mean one; the typographic ones
    (U+2018 to U+201B) count as single quotes. Outside, this reads only spaces, `|`, `&` and plain words.
    """
    quotes, words, at = "'‘’‚‛", [], 0
    while at < len(command):
        if command[at] == " ":
            at += 1
        elif command[at] in quotes:
            word, at = "", at + 1
            while command[at] not in quotes or command[at : at + 2][1:] in list(quotes):
                word += command[at]
                at += 1 + (command[at] in quotes)
            at += 1
            assert command[at : at + 1] in {"", " "}, "a word ends where its quotes do"
            words.append(word)
        else:
            end = command.find(" ", at) % (len(command) + 1)
            words.append(command[at:end])
            assert words[-1] in {"|", "&", "-"}, "nothing else stands outside quotes"
            at = end
    assert words[1:3] == ["|", "&"]
    return words[0], words[3:]


@settings(max_examples=300, deadline=None)
@example(arguments=HOSTILE_ARGUMENTS)
@given(arguments=ARGUMENTS)
def test_powershell_gives_the_runner_what_the_model_wrote(arguments: dict[str, Any]) -> None:
    runner = Runner("C:\\Program Files\\it's\\python.exe", "C:\\‘x’ y\\run.py", "powershell")
    piped, words = powershell_words(runner.command("get_info", arguments))
    assert json.loads(piped) == arguments
    assert piped.isascii(), "its pipes have the encoding of the system"
    assert words == [runner.python, runner.script, "get_info", "-"]


def cmd_words(command: str) -> list[str]:
    """The words that a program gets: first cmd reads the line, then the C runtime of the program.

    cmd: a quote switches quoting; outside, `& | < > ^ ( )` mean something; `%` and `!` do everywhere. The runtime
    (Parsing C command-line arguments): 2n backslashes before a quote are n and the quote is one of the line; 2n + 1
    are n and the quote is part of the word; all other backslashes are themselves.
    """
    quoting = False
    for char in command:
        quoting ^= char == '"'
        assert char not in "%!", "a variable would be put in"
        assert quoting or char not in "&|<>^()", "cmd would obey it"
    words, word, quoting, slashes = list[str](), "", False, 0
    for char in command + " ":
        if char == "\\":
            slashes += 1
            continue
        if char == '"':
            word += "\\" * (slashes // 2)
            if slashes % 2:
                word += '"'
            else:
                quoting = not quoting
        else:
            word += "\\" * slashes
            if char == " " and not quoting:
                words.append(word)
                word = ""
            else:
                word += char
        slashes = 0
    assert not quoting
    return words


@settings(max_examples=300, deadline=None)
@example(arguments=HOSTILE_ARGUMENTS)
@given(arguments=ARGUMENTS)
def test_cmd_gives_the_runner_what_the_model_wrote(arguments: dict[str, Any]) -> None:
    runner = Runner("C:\\Program Files\\Python (x86)\\python.exe", "C:\\a & b\\run.py", "cmd")
    python, script, tool, written = cmd_words(runner.command("get_info", arguments))
    assert (python, script, tool) == (runner.python, runner.script, "get_info")
    assert json.loads(written) == arguments


@pytest.mark.parametrize("shell", ["bash", "powershell", "cmd"])
def test_the_runner_takes_the_arguments_in_the_form_of_each_shell(shell: Shell, tmp_path: Path) -> None:
    """What the shells hand over is what the runner reads: an argument, or `-` and standard input."""
    tools = shell_tools(default_registry(), Settings(shell=shell))
    command = tools.runner.command("get_employee_info", {"employee_id": "EMP001"})
    if shell == "bash":
        assert json.loads(pasted(command, tmp_path, STRICTCALL_DB=str(tmp_path / "data.db")))["success"] is True
        return
    piped, words = powershell_words(command) if shell == "powershell" else ("", cmd_words(command))
    ran = subprocess.run(
        words,
        input=b"\xef\xbb\xbf" + piped.encode() + b"\r\n",
        env={"STRICTCALL_DB": str(tmp_path / "data.db")},
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert json.loads(ran.stdout)["success"] is True


# ---- the filter alone


def shelled(*events: Event, tools: Sequence[str] = ("look",)) -> list[Event]:
    return list(ShellCalls(Runner("python", "run.py", "bash"), tools)(events))


def text_of(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, Text))


LOOK: tuple[Event, ...] = (CallStart("look"), ArgsDelta('{"a":'), ArgsDelta("1}"), CallEnd())
COMMAND = "```bash\npython run.py look '{\"a\": 1}'\n```\n"


@pytest.mark.parametrize(
    ("events", "text"),
    [
        (LOOK, COMMAND),
        ((Text("Hm."), *LOOK), f"Hm.\n\n{COMMAND}"),
        ((Text("Hm.\n"), *LOOK), f"Hm.\n\n{COMMAND}"),
        ((Text("Hm."), Text("\n"), Text(""), *LOOK, Text("Done.")), f"Hm.\n\n{COMMAND}Done."),
        ((*LOOK, *LOOK), f"{COMMAND}\n{COMMAND}"),
        ((CallStart("look"), ArgsDelta('{"a":'), CallEnd(complete=False)), 'look {"a":'),
    ],
)
def test_a_block_has_lines_of_its_own(events: tuple[Event, ...], text: str) -> None:
    assert text_of(shelled(*events)) == text


def test_other_calls_pass_untouched() -> None:
    assert shelled(*LOOK, tools=("other",)) == list(LOOK)
