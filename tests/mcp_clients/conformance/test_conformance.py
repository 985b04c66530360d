"""The suite for both eras of the protocol, on both of our paths.

What it finds fault with is exactly what `not_offered.toml` says: a failure more is a mistake, and so is one less.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp_running import ROOT, environment

from mcp_clients.packages import Clients

NOT_OFFERED = Path(__file__).with_name("not_offered.toml")
PATIENCE = 120
"""Seconds for the suite; it takes one when the machine has nothing else to do."""
SUITES = [
    # package, what it is told, the revision of the protocol
    pytest.param("@modelcontextprotocol/conformance", ("--suite", "all"), "2025-11-25", id="2025-all"),
    pytest.param("conformance-of-2026", ("--requirements", "2025-11-25"), "2025-11-25", id="2025-required"),
    pytest.param("conformance-of-2026", ("--requirements", "2026-07-28"), "2026-07-28", id="2026-required"),
]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("conformance")
    command = [sys.executable, "-m", "mcp_clients.conformance.server"]
    env = environment(home, PYTHONPATH=os.pathsep.join([str(ROOT), str(ROOT / "tests")]))
    with subprocess.Popen(command, cwd=home, env=env, stdout=subprocess.PIPE) as process:
        assert process.stdout
        try:
            yield json.loads(process.stdout.readline())["url"]
        finally:
            process.kill()


@pytest.mark.parametrize("path", ["/mcp", "/sse"])
@pytest.mark.parametrize(("package", "told", "revision"), SUITES)
def test_only_what_we_do_not_offer_fails(
    package: str, told: tuple[str, ...], revision: str, path: str, url: str, clients: Clients, tmp_path: Path
) -> None:
    suite = clients.node_modules / package / "dist/index.js"
    command = [clients.node, str(suite), "server", "--url", url + path, *told, "--output-dir", str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE)
    found = dict(results(tmp_path))
    assert len(found) > 30, ran.stdout.decode()[-2000:] + ran.stderr.decode()[-2000:]
    failed = {f"{scenario}:{check}": why for scenario, checks in found.items() for check, why in checks.items()}
    expected = [one for one in not_offered(f"{revision} {path}") if one.partition(":")[0] in found]
    unexpected = [f"{name}: {why}" for name, why in failed.items() if not any(covers(one, name) for one in expected)]
    assert not unexpected, "\n".join(unexpected)
    passed = [one for one in expected if not any(covers(one, name) for name in failed)]
    assert not passed, "these no longer fail: take them out of not_offered.toml"


def results(directory: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Each scenario that was run, with the checks that failed or were warned of, and why."""
    for path in directory.glob("*/checks.json"):
        scenario = re.fullmatch(r"server-(.+)-\d{4}-\d\d-\d\dT.*", path.parent.name)
        assert scenario, path
        checks = json.loads(path.read_text("utf-8"))
        yield (
            scenario[1],
            {one["id"]: one.get("errorMessage", "") for one in checks if one["status"] in {"FAILURE", "WARNING"}},
        )


def not_offered(where: str) -> list[str]:
    """The scenarios, or checks of one (`scenario:check`), that fail there."""
    features = tomllib.loads(NOT_OFFERED.read_text("utf-8"))
    return [one for feature in features.values() if where in feature.get("on", [where]) for one in feature["fails"]]


def covers(expected: str, name: str) -> bool:
    return expected in {name, name.partition(":")[0]}
