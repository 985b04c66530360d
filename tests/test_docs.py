"""What the documents say is so."""

import pkgutil
import runpy
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

from running import proxy
from serving import served

from mcp_server.registry import TOOLS
from proxy.catalogue import dialects
from proxy.core import grammars
from proxy.upstream.demo.app import make_app
from runner.connect.clients import CLIENTS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def test_the_tables_that_are_made_from_code_are_up_to_date() -> None:
    update = runpy.run_path(str(ROOT / "docs/update.py"))
    for path, (name, table) in update["TABLES"].items():
        text = path.read_text("utf-8")
        assert f"<!-- {name}: made by" in text
        assert update["updated"](text, name, table) == text, "run: make fix"


def test_every_dialect_is_in_the_readme() -> None:
    assert not [name for name in dialects() if f"`{name}`" not in README]


def test_every_grammar_is_in_the_guide() -> None:
    guide = (ROOT / "docs/dialects.md").read_text("utf-8")
    modules = [import_module(f"{grammars.__name__}.{one.name}") for one in pkgutil.iter_modules(grammars.__path__)]
    classes = {name for module in modules for name, one in vars(module).items() if hasattr(one, "openings")}
    assert classes
    assert not [name for name in classes if f"`{name}`" not in guide]


def test_every_client_that_can_be_connected_is_in_its_guide() -> None:
    guide = (ROOT / "docs/connect.md").read_text("utf-8")
    assert not [
        one for one in CLIENTS.values() if f"| `{one.name}` |" not in guide or f"\n## {one.title}\n" not in guide
    ]


def test_the_dialect_that_the_guide_shows_is_the_real_one() -> None:
    guide = (ROOT / "docs/dialects.md").read_text("utf-8")
    shown = guide.partition("```python\n")[2].partition("```")[0]
    real = (ROOT / "proxy/dialects/longcat.py").read_text("utf-8")
    assert "".join(line.removeprefix("   ") for line in shown.splitlines(keepends=True)).strip() == real.strip()


def test_the_first_screen_of_the_readme_is_true_to_the_letter() -> None:
    command = README.partition("```sh\ncurl")[2].partition("```")[0]
    shown = README.partition("```json\n")[2].partition("```")[0]
    with served(make_app()) as demo_url, proxy(demo_url=demo_url) as running:
        asked = f"curl{command}".replace("http://127.0.0.1:8787", running.url)
        assert asked.count(running.url) == 1
        assert pasted(asked) == shown


def test_the_session_of_the_readme_works_when_pasted(tmp_path: Path) -> None:
    _, _, section = README.partition("### What would a client get from this text?")
    session, shown = (section.partition(f"```{kind}\n")[2].partition("```")[0] for kind in ("sh", "text"))
    assert pasted(session.replace("strictcall ", f"'{sys.executable}' -m runner.cli "), tmp_path) == shown


def test_the_session_of_the_tools_guide_works_when_pasted(tmp_path: Path) -> None:
    _, _, section = (ROOT / "docs/tools.md").read_text("utf-8").partition("## Your own data")
    session, shown = (section.partition(f"```{kind}\n")[2].partition("```")[0] for kind in ("sh", "text"))
    script = session.replace("strictcall ", f"'{sys.executable}' -m runner.cli ")
    assert pasted(script, tmp_path, STRICTCALL_DB=str(tmp_path / "mcp_data.db")) == shown


def pasted(script: str, where: Path = ROOT, **environment: str) -> str:
    """What a terminal shows when this is pasted into it."""
    ran = subprocess.run(
        ["bash", "-c", script],  # noqa: S607 - bash is what the reader pastes it into
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", **environment},
        cwd=where,
        check=False,
        timeout=60,
    )
    return ran.stdout


def test_the_versions_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["requires-python"] == ">=3.11"
    assert "Python 3.11" in README


def test_every_tool_is_in_the_guide() -> None:
    guide = (ROOT / "docs/tools.md").read_text("utf-8")
    assert not [
        tool.name for tool in TOOLS if f"`{tool.name}({', '.join(tool.input_schema['properties'])})`" not in guide
    ]


def test_the_tool_that_the_guide_shows_is_the_real_one() -> None:
    guide = (ROOT / "docs/tools.md").read_text("utf-8")
    shown = guide.partition("This is the tool in it:\n\n```python\n")[2].partition("```")[0]
    assert shown
    assert shown in (ROOT / "docs/examples/receipt_printer.py").read_text("utf-8")
