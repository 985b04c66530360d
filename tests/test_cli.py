"""The `strictcall` command, as a real process."""

import json
import os
import sys
from pathlib import Path

import pytest
from command import ROOT, on_a_terminal, strictcall

from proxy.catalogue import dialects

TOOLS = str(ROOT / "tests/answer/tools.json")
ANSWER = str(ROOT / "tests/answer/answer.txt")


def test_the_demonstration_shows_calls_content_reasoning_and_repairs() -> None:
    shown = strictcall("parse", ANSWER, "--tools", TOOLS, "--chunk", "4")
    text = shown.stdout.decode()
    assert shown.returncode == 0
    for part in (
        "find_ferry",
        '"seats": 2',
        "오반 → 콜",
        "I'll check the timetable.",
        "They want Saturday.",
        "trailing-comma",
    ):
        assert part in text
    assert "\x1b[" not in text, "colours only on a terminal"
    assert not shown.stderr


def test_json_has_what_a_client_would_get() -> None:
    found = json.loads(strictcall("parse", ANSWER, "--tools", TOOLS, "--json").stdout)
    assert [call["name"] for call in found["calls"]] == ["find_ferry", "save_note"]
    assert json.loads(found["calls"][0]["arguments"]) == {
        "from_port": "Oban",
        "to_port": "Coll",
        "day": "Saturday",
        "seats": 2,
    }
    assert found["dialect"] == "hermes"
    assert found["reasoning"].strip() == "They want Saturday. I look it up and keep a note."
    assert {"name": "tool-name", "before": "findFerry", "after": "find_ferry"} in found["repairs"]


def test_explain_shows_every_piece() -> None:
    text = strictcall("parse", ANSWER, "--tools", TOOLS, "--chunk", "16", "--explain").stdout.decode()
    assert "events" in text
    assert "(end)" in text


def test_only_text_is_exit_3_and_comes_back_as_it_was() -> None:
    shown = strictcall("parse", "-", "--tools", TOOLS, "--json", given="그냥 텍스트입니다.\n".encode())
    assert shown.returncode == 3
    assert json.loads(shown.stdout)["content"] == "그냥 텍스트입니다.\n"


def test_a_call_that_was_cut_off_is_told_apart() -> None:
    given = b'<tool_call>{"name": "save_note", "arguments": {"title": "half'
    found = json.loads(strictcall("parse", "-", "--tools", TOOLS, "--json", "--finish", "length", given=given).stdout)
    assert found["calls"] == []
    assert found["cut"] == [{"name": "save_note", "arguments": '{"title":"half'}]


def test_one_dialect_only() -> None:
    given = b'[TOOL_CALLS]find_ferry[ARGS]{"from_port": "a", "to_port": "b"}'
    arguments = ("parse", "-", "--tools", TOOLS, "--dialect")
    assert strictcall(*arguments, "mistral_v11", given=given).returncode == 0
    assert strictcall(*arguments, "hermes", given=given).returncode == 3


def test_cases_are_answered_in_order_one_line_each(tmp_path: Path) -> None:
    tools = json.loads(Path(TOOLS).read_text("utf-8"))
    raws = ["no call", '{"name": "save_note", "arguments": {"title": "a", "body": "b"}}', "\ud800"]
    path = tmp_path / "cases.jsonl"
    lines = [
        json.dumps({"id": str(at), "dialect": "bare-json", "raw": raw, "tools": tools}) for at, raw in enumerate(raws)
    ]
    path.write_text("\n".join(lines), "utf-8")
    for options in ((), ("--chunk", "1"), ("--hint",)):
        shown = strictcall("parse", "--cases", str(path), *options)
        found = [json.loads(line) for line in shown.stdout.splitlines()]
        assert shown.returncode == 0
        assert [one["id"] for one in found] == ["0", "1", "2"]
        assert [len(one["calls"]) for one in found] == [0, 1, 0]
        assert [one["content"] for one in found] == ["no call", "", "\ud800"]


def test_output_is_utf8_whatever_the_system_says() -> None:
    environ = os.environ | {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    shown = strictcall("parse", ANSWER, "--tools", TOOLS, environ=environ)
    assert "오반" in shown.stdout.decode("utf-8")


def test_dialects_lists_all_of_them() -> None:
    listed = json.loads(strictcall("dialects", "--json").stdout)
    assert [one["name"] for one in listed] == sorted(dialects())
    assert all(one["models"] and one["grammars"] and one["example"] for one in listed)
    assert "qwen3_coder" in strictcall("dialects").stdout.decode()


def test_a_long_answer_in_small_pieces_takes_no_longer_than_its_length() -> None:
    """The pieces are put together once: a text of twice the length is not four times the work."""
    text = b"The ferry sails at nine. " * 40_000
    shown = strictcall("parse", "-", "--tools", TOOLS, "--json", "--chunk", "4", given=text)
    assert json.loads(shown.stdout)["content"] == text.decode()


def test_every_command_explains_itself() -> None:
    assert strictcall().stdout == strictcall("--help").stdout
    for command in ((), ("parse",), ("dialects",), ("connect",), ("completion",)):
        assert strictcall(*command, "--help").stdout


@pytest.mark.parametrize("group", [(), ("tools",), ("db",), ("config",)])
def test_every_summary_fits_a_terminal(group: tuple[str, ...]) -> None:
    shown = strictcall(*group, "--help", environ=os.environ | {"COLUMNS": "80"}).stdout.decode()
    assert "..." not in shown.partition("Commands:")[2]


@pytest.mark.skipif(os.name != "posix", reason="a terminal of POSIX")
@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_a_terminal_gets_colours_unless_its_user_wants_none(no_color: str, *, coloured: bool) -> None:
    command = [sys.executable, "-m", "runner.cli", "dialects"]
    _, seen = on_a_terminal(command, environ=os.environ | {"NO_COLOR": no_color})
    assert ("\x1b[" in seen) is coloured


WRONG = {
    "no file": (("parse",), "name a FILE"),
    "no tools": (("parse", ANSWER), "--tools"),
    "a file that is not there": (("parse", "nowhere.txt", "--tools", TOOLS), "nowhere.txt"),
    "tools that are not there": (("parse", ANSWER, "--tools", "nowhere.json"), "nowhere.json"),
    "tools that are not JSON": (("parse", ANSWER, "--tools", ANSWER), "not JSON"),
    "tools that are none": (("parse", ANSWER, "--tools", str(ROOT / "tests/answer")), "tests/answer"),
    "a dialect that is almost right": (
        ("parse", ANSWER, "--tools", TOOLS, "--dialect", "hermess"),
        "did you mean hermes",
    ),
    "a dialect that is nowhere near": (
        ("parse", ANSWER, "--tools", TOOLS, "--dialect", "xyzzy"),
        "strictcall dialects",
    ),
    "a chunk of nothing": (("parse", ANSWER, "--tools", TOOLS, "--chunk", "0"), "--chunk"),
    "an unknown option": (("parse", "--bogus"), "--bogus"),
    "an option that is almost right": (("parse", "--chnk", "3"), "no option --chnk; did you mean --chunk"),
    "an unknown command": (("bogus",), "there is no command bogus; see: strictcall --help"),
    "a command that is almost right": (("tool",), "there is no command tool; did you mean tools?"),
    "a word for a number": (("demo", "--port", "abc"), "--port cannot be abc; it is a whole number from 0 to 65535"),
    "a number that is too large": (("demo", "--port", "99999"), "a whole number from 0 to 65535"),
    "a setting that is no number": (("serve", "--port", "abc"), "--port cannot be abc; it is a whole number"),
    "too many words": (("dialects", "extra"), "extra"),
    "no client to connect": (("connect",), "CLIENT is missing; name one of claude-desktop, "),
    "an unknown client": (("connect", "vim"), "CLIENT cannot be vim; it is one of claude-desktop, "),
    "a client that is almost right": (("connect", "viod"), "CLIENT cannot be viod; did you mean void"),
    "two contrary actions": (("connect", "void", "--write", "--undo"), "--write and --undo cannot both be done"),
    "an unknown shell": (("completion", "tcsh"), "powershell"),
    "a hint without cases": (("parse", ANSWER, "--tools", TOOLS, "--hint"), "--cases"),
    "cases and a text": (("parse", ANSWER, "--cases", "x.jsonl"), "leave out"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_usage_is_one_line_with_the_fix_and_exit_2(what: str) -> None:
    arguments, named = WRONG[what]
    shown = strictcall(*arguments)
    assert shown.returncode == 2
    assert not shown.stdout
    (line,) = shown.stderr.decode().splitlines()
    assert named in line
    assert ";" in line, "what is wrong; what to do"


def test_a_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes("é".encode("latin-1"))
    shown = strictcall("parse", str(path), "--tools", TOOLS)
    assert shown.returncode == 2
    assert b"not UTF-8 (byte 0xe9 at 0)" in shown.stderr


@pytest.mark.parametrize("text", ["[1]", '"x"', '[{"type": "function"}]', "3", "[]", '{"tools": []}'])
def test_a_tools_file_with_something_else_in_it_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "tools.json"
    path.write_text(text, "utf-8")
    shown = strictcall("parse", ANSWER, "--tools", str(path))
    assert shown.returncode == 2
    assert b"wanted a list of" in shown.stderr


def test_a_case_that_is_none_is_named_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('{"id": "a", "raw": "x", "tools": []}\n{"id": "b"}\n', "utf-8")
    shown = strictcall("parse", "--cases", str(path))
    assert shown.returncode == 2
    assert b"line 2 is no case" in shown.stderr
