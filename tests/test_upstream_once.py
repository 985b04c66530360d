"""A thousand requests that come at once to a proxy that has just started make one control call each kind."""

from concurrent.futures import ThreadPoolExecutor

from running import TOOLS, FakeServer, proxy


def test_requests_that_come_at_once_share_the_control_calls() -> None:
    with FakeServer() as server, proxy(server.url) as running, ThreadPoolExecutor(20) as clients:
        answers = list(clients.map(lambda _: running.post(tools=TOOLS).status_code, range(40)))
        assert answers == [200] * 40
        paths = [request.path for request in server.requests]
        assert paths.count("/api/show") == 1
        assert paths.count("/api/tags") == 1
