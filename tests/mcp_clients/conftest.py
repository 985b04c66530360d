"""The clients, and the two processes that serve MCP over HTTP. They run for the whole session."""

import os
from collections.abc import Iterator

import pytest
from fetching import CannotFetchError
from mcp_running import over_http

from mcp_clients.packages import Clients

OVER_HTTP = [
    # transport, path
    pytest.param("sse", "/sse", id="sse"),
    pytest.param("http", "/sse", id="http-on-sse"),
    pytest.param("http", "/mcp", id="http-on-mcp"),
]


@pytest.fixture(scope="session")
def clients() -> Clients:
    """Everything that is not ours."""
    if os.environ.get("STRICTCALL_NO_MCP_CLIENTS"):
        pytest.skip("STRICTCALL_NO_MCP_CLIENTS is set")
    try:
        return Clients()
    except CannotFetchError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None


@pytest.fixture(scope="session")
def proxy_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of the proxy, which serves MCP beside everything else."""
    with over_http(tmp_path_factory.mktemp("serve"), "--no-demo", command="serve") as server:
        yield server.url


@pytest.fixture(scope="session")
def mcp_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of the MCP server alone."""
    with over_http(tmp_path_factory.mktemp("mcp")) as server:
        yield server.url


@pytest.fixture(params=["proxy_url", "mcp_url"])
def url(request: pytest.FixtureRequest) -> str:
    """The one, then the other."""
    found: str = request.getfixturevalue(request.param)
    return found
