"""Shells complete `strictcall`: each shell that is installed here, run as a person runs it."""

import json
import os
import select
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command import ROOT, strictcall

SHELLS = ("bash", "zsh", "fish", "powershell")
TYPED = {
    "strictcall parse --dialect herm": "hermes",
    "strictcall tools show calc": "calculate_vacation_days",
    "strictcall tools call search": "search_docs",
    "strictcall tools disable search_docs get_all": "get_all_employees",
    "strictcall tools log --tool get_emp": "get_employee_info",
    "strictcall connect cur": "cursor",
    "strictcall comp": "completion",
    "strictcall db export empl": "employees",
    "strictcall tools call calculate_vacation_days empl": "employee_id=",
}


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """A home without settings, and `strictcall` on the path."""
    command = tmp_path / "bin" / "strictcall"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m runner.cli "$@"\n')
    command.chmod(0o755)
    return os.environ | {
        "HOME": str(tmp_path),
        "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "STRICTCALL_DB": str(tmp_path / "data.db"),
        "TERM": "dumb",
    }


def shell(name: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(os.name != "posix" or not shutil.which(name), reason=f"{name} is not installed")


def read_soon(terminal: int) -> bytes:
    assert select.select([terminal], [], [], 20)[0], "the shell says nothing more"
    return os.read(terminal, 65536)


def typed_into(command: list[str], environ: dict[str, str], set_up: str, typed: str, wanted: str) -> str:
    """What a terminal shows of an interactive shell when this is typed and Tab is pressed, up to what is wanted."""
    pty: Any = pytest.importorskip("pty")
    parent, child = pty.openpty()
    with subprocess.Popen(command, stdin=child, stdout=child, stderr=child, env=environ, start_new_session=True) as run:
        os.close(child)
        seen = b""
        try:
            # Quoted apart: the terminal repeats what is typed, and only what is printed counts.
            os.write(parent, f"{set_up}\necho rea''dy\n".encode())
            while b"ready" not in seen:
                seen += read_soon(parent)
            seen = b""
            os.write(parent, f"{typed}\t".encode())
            while wanted.encode() not in seen:
                seen += read_soon(parent)
        finally:
            run.kill()
            os.close(parent)
    return seen.decode(errors="replace")


@shell("bash")
@pytest.mark.parametrize("typed", TYPED)
def test_bash_completes(environ: dict[str, str], typed: str) -> None:
    set_up = 'eval "$(strictcall completion bash)"'
    assert TYPED[typed] in typed_into(["bash", "--norc", "--noprofile", "-i"], environ, set_up, typed, TYPED[typed])


@shell("bash")
@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("strictcall tools call search_docs qu\tx", "query=x"),
        ("strictcall tools call search_docs @off", "@office.json"),
        ("strictcall db import off", "office.json"),
        ("strictcall db export -o off", "office.json"),
    ],
)
def test_bash_completes_arguments_and_files(environ: dict[str, str], tmp_path: Path, typed: str, wanted: str) -> None:
    (tmp_path / "office.json").touch()
    set_up = f'cd "{tmp_path}"; eval "$(strictcall completion bash)"'
    assert wanted in typed_into(["bash", "--norc", "--noprofile", "-i"], environ, set_up, typed, wanted)


@shell("zsh")
@pytest.mark.parametrize("typed", TYPED)
def test_zsh_completes(environ: dict[str, str], typed: str) -> None:
    set_up = 'autoload -U compinit; compinit -u; eval "$(strictcall completion zsh)"'
    assert TYPED[typed] in typed_into(["zsh", "-f", "-i"], environ, set_up, typed, TYPED[typed])


@shell("fish")
@pytest.mark.parametrize("typed", TYPED)
def test_fish_completes(environ: dict[str, str], typed: str) -> None:
    script = f'strictcall completion fish | source; complete -C "{typed}"'
    ended = subprocess.run(
        [str(shutil.which("fish")), "--no-config", "-c", script],
        env=environ,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert TYPED[typed] in [line.partition("\t")[0] for line in ended.stdout.decode().splitlines()]


@pytest.mark.parametrize("typed", TYPED)
def test_powershell_is_answered_as_its_script_asks(environ: dict[str, str], typed: str) -> None:
    words = typed.split()
    asked = {"_STRICTCALL_COMPLETE": "powershell_complete", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)}
    answer = strictcall(environ=environ | asked).stdout.decode().splitlines()
    kinds, values, helps = answer[0::3], answer[1::3], answer[2::3]
    assert TYPED[typed] in values
    assert set(kinds) == {"plain"}
    assert all(helps)
    script = strictcall("completion", "powershell").stdout.decode()
    assert "Register-ArgumentCompleter -Native -CommandName strictcall" in script
    assert "$env:_STRICTCALL_COMPLETE = 'powershell_complete'" in script


def test_nothing_but_names_comes_of_broken_files(environ: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "tools"
    folder.mkdir()
    (folder / "broken.py").write_text(
        "print('out'); import sys; print('err', file=sys.stderr); import nothing_so_named"
    )
    asked = {"_STRICTCALL_COMPLETE": "bash_complete", "COMP_WORDS": "strictcall tools show sea", "COMP_CWORD": "3"}
    completed = strictcall(environ=environ | asked)
    assert (completed.stdout, completed.stderr) == (b"plain,search_docs\n", b"")


@pytest.mark.parametrize(
    "typed", ["strictcall parse ans", "strictcall view ans", "strictcall db import ans", "strictcall db export -o ans"]
)
def test_files_are_left_to_the_shell(environ: dict[str, str], typed: str) -> None:
    asked = {"_STRICTCALL_COMPLETE": "bash_complete", "COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}
    assert strictcall(environ=environ | asked).stdout == b"file,ans\n"


def test_a_file_of_arguments_is_completed_behind_its_sign(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "office.json").touch()
    typed = f"strictcall tools call search_docs @{tmp_path}/off"
    asked = {"_STRICTCALL_COMPLETE": "zsh_complete", "COMP_WORDS": typed, "COMP_CWORD": "4"}
    assert f"@{tmp_path}/office.json" in strictcall(environ=environ | asked).stdout.decode().splitlines()


def test_completing_a_table_makes_no_database(environ: dict[str, str]) -> None:
    asked = {"_STRICTCALL_COMPLETE": "bash_complete", "COMP_WORDS": "strictcall db export va", "COMP_CWORD": "3"}
    assert strictcall(environ=environ | asked).stdout == b"plain,vacations\n"
    assert not Path(environ["STRICTCALL_DB"]).exists()


@shell("bash")
def test_the_line_for_bashrc_says_nothing_where_there_is_no_strictcall(environ: dict[str, str], tmp_path: Path) -> None:
    told = json.loads(strictcall("completion", "bash", "--json", environ=environ).stdout)
    line = told["install"].partition(": ")[2]
    bash = str(shutil.which("bash"))
    ended = subprocess.run(
        [bash, "-c", line], env={"PATH": str(tmp_path)}, capture_output=True, check=False, timeout=60
    )
    assert (ended.stdout, ended.stderr) == (b"", b"")
    assert line in strictcall("completion", "--help", environ=environ).stdout.decode()


@pytest.mark.parametrize("name", SHELLS)
def test_the_script_is_data_and_how_to_install_it_is_told_to_a_person(name: str, environ: dict[str, str]) -> None:
    piped = strictcall("completion", name, environ=environ)
    told = json.loads(strictcall("completion", name, "--json", environ=environ).stdout)
    assert told["script"] == piped.stdout.decode().rstrip("\n")
    assert not piped.stderr
    assert f"strictcall completion {name}" in told["install"]


@shell("sh")
def test_a_person_is_told_how_to_install_it(environ: dict[str, str]) -> None:
    pty: Any = pytest.importorskip("pty")
    parent, child = pty.openpty()
    ended = subprocess.run(
        [sys.executable, "-m", "runner.cli", "completion", "zsh"],
        stdout=child,
        stderr=subprocess.PIPE,
        env=environ,
        check=False,
        timeout=60,
    )
    os.close(child)
    os.close(parent)
    assert ended.stderr.startswith(b"hint: add to ~/.zshrc, below compinit: command -v strictcall >/dev/null && ")
    assert ended.stderr.endswith(b'eval "$(strictcall completion zsh)"\n')
