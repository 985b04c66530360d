"""Who may import whom. Change the table in the same commit as the reason."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAY_IMPORT = {
    # package: what it may import from the project; the longest name that fits a module counts
    "proxy.core": {"proxy.core"},
    "proxy.dialects": {"proxy.core", "proxy.dialects"},
    "db": {"db"},
    "mcp_server.tools": {
        "db",
        "mcp_server.tools",
        "mcp_server.viewer.client",
        "mcp_server.viewer.limits",
        "mcp_server.viewer.texts",
    },
    "mcp_server": {"db", "mcp_server"},
    "proxy": {"proxy", "db"},
    "runner": {"proxy", "db", "mcp_server", "runner"},
}
PROJECT = {name.partition(".")[0] for name in MAY_IMPORT}
NOT_IN_THE_CORE = {"asyncio", "socket", "ssl", "http", "subprocess", "threading", "time", "random", "uuid", "os"}
CORE_THIRD_PARTY = {"orjson"}
STANDARD = sys.stdlib_module_names


def modules() -> Iterator[Path]:
    for package in sorted(PROJECT):
        yield from sorted((ROOT / package).rglob("*.py"))


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports by dots; name the module"
            yield node.module or ""


def within(module: str, packages: set[str]) -> bool:
    return any(module == package or module.startswith(package + ".") for package in packages)


@pytest.mark.parametrize("path", list(modules()), ids=name_of)
def test_a_module_imports_only_what_its_package_may(path: Path) -> None:
    name = name_of(path)
    package = max((one for one in MAY_IMPORT if within(name, {one})), key=len)
    wrong = [one for one in imports(path) if within(one, PROJECT) and not within(one, MAY_IMPORT[package])]
    assert not wrong, f"{name} imports {wrong}; {package} may import {sorted(MAY_IMPORT[package])}"


@pytest.mark.parametrize("path", sorted((ROOT / "proxy/core").rglob("*.py")), ids=name_of)
def test_the_core_does_no_io(path: Path) -> None:
    roots = {one.partition(".")[0] for one in imports(path)} - PROJECT
    assert not roots & NOT_IN_THE_CORE
    assert roots - STANDARD <= CORE_THIRD_PARTY


def test_every_module_says_what_it_is_for() -> None:
    silent = [name_of(path) for path in modules() if not ast.get_docstring(ast.parse(path.read_text("utf-8")))]
    assert not silent
