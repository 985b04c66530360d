"""Writes the table of dialects into the README. `make fix` runs it; a test fails when it is stale."""

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from proxy.catalogue import dialects  # noqa: E402 - the project is found by the line above
from proxy.core.dialect import Dialect  # noqa: E402

README = ROOT / "README.md"
BEGIN, END = "<!-- dialects: made by docs/update.py -->\n", "<!-- /dialects -->"


def updated(readme: str) -> str:
    """The README with today's table."""
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{table()}{END}{after}"


def table() -> str:
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


if __name__ == "__main__":
    README.write_text(updated(README.read_text("utf-8")), "utf-8", newline="\n")
