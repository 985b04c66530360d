"""Writes the tables that are made from code. `make fix` runs it; a test fails when one is stale."""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from proxy.catalogue import dialects  # noqa: E402 - the project is found by the line above
from proxy.core.dialect import Dialect  # noqa: E402
from proxy.settings import PREFIX, Settings  # noqa: E402
from runner.flags import flag_of  # noqa: E402


def updated(text: str, name: str, table: Callable[[], str]) -> str:
    """A document with today's table."""
    begin, end = f"<!-- {name}: made by docs/update.py -->\n", f"<!-- /{name} -->"
    before, found, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}{table()}{end}{after}" if found else text


def table_of_dialects() -> str:
    """A row for each dialect, its varieties with it."""
    known = sorted(dialects().values(), key=lambda one: one.name)
    rows = ["| dialect | what it is | varieties |", "| --- | --- | --- |"]
    for one in known:
        if not one.family:
            varieties = ", ".join(f"`{other.name}`" for other in known if other.family == one.name)
            rows.append(f"| `{one.name}` | {_about(one)} | {varieties} |")
    return "\n".join(rows) + "\n"


def _about(dialect: Dialect) -> str:
    module = sys.modules[f"proxy.dialects.{dialect.name}"]
    return (module.__doc__ or "").partition("\n")[0].replace("|", "\\|")


def table_of_settings() -> str:
    """A row for each setting."""
    rows = ["| `strictcall.toml` | flag | environment | what it does | default |", "| --- | --- | --- | --- | --- |"]
    hints = get_type_hints(Settings)
    for one in fields(Settings):
        flag = flag_of(one.name)
        kind = hints[one.name]
        values = f" `{'`, `'.join(get_args(kind))}`." if get_origin(kind) is Literal else ""
        default = json.dumps(one.default) if isinstance(one.default, str | int | float) else ""
        shown = "by system" if one.name == "shell" else f"`{default}`" if default not in {"", '""'} else ""
        variable = "" if get_origin(kind) is Mapping else f"`{PREFIX}{one.name.upper()}`"
        rows.append(
            f"| `{one.name}` | {f'`{flag}`' if flag else ''} | {variable} | {one.metadata['about']}{values} | {shown} |"
        )
    return "\n".join(rows) + "\n"


TABLES = {
    ROOT / "README.md": ("dialects", table_of_dialects),
    ROOT / "docs/proxy.md": ("settings", table_of_settings),
}


if __name__ == "__main__":
    for path, (name, table) in TABLES.items():
        path.write_text(updated(path.read_text("utf-8"), name, table), "utf-8", newline="\n")
