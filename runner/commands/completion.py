"""`strictcall completion`: the script that lets a shell complete commands, tools and dialects."""

from typing import Final

import click
from click.shell_completion import BashComplete, FishComplete, PowerShellComplete, ZshComplete

from runner.printing import OUT, print_json, print_line

VARIABLE: Final = "_STRICTCALL_COMPLETE"
"""By this variable the script tells `strictcall` that it wants completions."""


class _Bash(BashComplete):
    """Without a space behind `key=`: the value follows."""

    source_template = BashComplete.source_template.replace(
        "COMPREPLY+=($value)", "COMPREPLY+=($value)\n            [[ $value == *= ]] && compopt -o nospace"
    )


_IF_THERE: Final = "command -v strictcall >/dev/null &&"
_IF_FOUND: Final = "if (Get-Command strictcall -ErrorAction Ignore)"
_SHELLS: Final = {
    # In a shell without our environment there is no strictcall: then nothing is done, and nothing said.
    "bash": (_Bash, f'add to ~/.bashrc: {_IF_THERE} eval "$(strictcall completion bash)"'),
    "zsh": (ZshComplete, f'add to ~/.zshrc, below compinit: {_IF_THERE} eval "$(strictcall completion zsh)"'),
    "fish": (FishComplete, "run: strictcall completion fish > ~/.config/fish/completions/strictcall.fish"),
    "powershell": (
        PowerShellComplete,
        f"add to $PROFILE: {_IF_FOUND} {{ strictcall completion powershell | Out-String | Invoke-Expression }}",
    ),
}


_EACH: Final = "\n".join(f"  {name}: {install}" for name, (_, install) in _SHELLS.items())


@click.command(short_help="Let your shell complete commands and tools.", epilog=f"\b\nTo install it:\n{_EACH}")
@click.argument("shell", metavar="SHELL", type=click.Choice(list(_SHELLS)))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def completion(context: click.Context, shell: str, *, as_json: bool) -> None:
    """Print the script that completes commands, tools and dialects in your shell."""
    kind, install = _SHELLS[shell]
    script = kind(context.find_root().command, {}, "strictcall", VARIABLE).source().rstrip()
    if as_json:
        print_json({"shell": shell, "script": script, "install": install})
        return
    print_line(script)
    if OUT.isatty():
        click.echo(f"hint: {install}", err=True)
