"""`strictcall completion`: the script that lets a shell complete commands, tools and dialects."""

from typing import Final

import click
from click.shell_completion import BashComplete, FishComplete, PowerShellComplete, ZshComplete

from runner.printing import OUT, print_json, print_line

VARIABLE: Final = "_STRICTCALL_COMPLETE"
"""By this variable the script tells `strictcall` that it wants completions."""

_SHELLS: Final = {
    "bash": (BashComplete, 'add to ~/.bashrc: eval "$(strictcall completion bash)"'),
    "zsh": (ZshComplete, 'add to ~/.zshrc, below compinit: eval "$(strictcall completion zsh)"'),
    "fish": (FishComplete, "run: strictcall completion fish > ~/.config/fish/completions/strictcall.fish"),
    "powershell": (
        PowerShellComplete,
        "add to the file $PROFILE: strictcall completion powershell | Out-String | Invoke-Expression",
    ),
}


@click.command(short_help="Let your shell complete commands and tools.")
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
