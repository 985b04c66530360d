"""The HTTP client: responses in every form and cut, connections kept, closed and replaced."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from proxy.errors import UpstreamError
from proxy.upstream.connection import HIGH_WATER
from proxy.upstream.http import Http

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
BODY = b"Grass, not hay. " * 3
CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: x/y\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nGrass\r\n2b\r\n" + BODY[5:]
RESPONSES = {
    "with a length": b"HTTP/1.1 200 OK\r\nContent-Length: 48\r\n\r\n" + BODY,
    "in chunks": CHUNKED + b"\r\n0\r\n\r\n",
}
RESPONSES["after an announcement"] = b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" + RESPONSES["with a length"]
ENDLESS = b"HTTP/1.1 200 OK\r\nContent-Type: x/y\r\n\r\n" + BODY


@contextlib.asynccontextmanager
async def serving(serve: Serve) -> AsyncIterator[str]:
    tasks = set[asyncio.Task[None] | None]()

    async def careful(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.current_task())
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await serve(reader, writer)
        writer.close()
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            await writer.wait_closed()

    server = await asyncio.start_server(careful, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/x"
    finally:
        server.close()
        for task in tasks:
            if task:
                task.cancel()
        await asyncio.gather(*(task for task in tasks if task))


def always(response: bytes, piece: int = 1 << 20) -> tuple[Serve, list[int]]:
    """A server that answers every request so, in pieces; and how many requests each connection brought."""
    connections: list[int] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(0)
        mine = len(connections) - 1
        while await reader.readuntil(b"\r\n\r\n"):
            connections[mine] += 1
            for at in range(0, len(response), piece):
                writer.write(response[at : at + piece])
                await writer.drain()
                await asyncio.sleep(0)

    return serve, connections


def client() -> Http:
    return Http(connect_timeout=5, idle_timeout=5)


async def got(http: Http, url: str, method: str = "GET") -> bytes:
    response = await http.request(method, url, None, {})
    assert response.status == 200
    try:
        return await response.whole(1 << 20)
    finally:
        response.close()


@pytest.mark.parametrize("piece", [1, 3, 7, 1 << 20])
@pytest.mark.parametrize("form", RESPONSES)
def test_a_response_is_read_in_every_form_and_at_every_cut(form: str, piece: int) -> None:
    async def test() -> None:
        serve, connections = always(RESPONSES[form], piece)
        async with serving(serve) as url, client() as http:
            assert [await got(http, url) for _ in range(3)] == [BODY] * 3
            assert connections == [3], "the connection is kept"

    asyncio.run(test())


def test_a_body_without_a_length_ends_with_its_connection() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(ENDLESS)

    async def test() -> None:
        async with serving(serve) as url, client() as http:
            assert [await got(http, url) for _ in range(2)] == [BODY] * 2

    asyncio.run(test())


def test_a_connection_that_the_server_wants_to_close_is_not_kept() -> None:
    async def test() -> None:
        serve, connections = always(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 48\r\n\r\n" + BODY)
        async with serving(serve) as url, client() as http:
            assert [await got(http, url) for _ in range(2)] == [BODY] * 2
            assert connections == [1, 1]

    asyncio.run(test())


def test_the_head_of_a_resource_has_no_body() -> None:
    async def test() -> None:
        serve, _ = always(b"HTTP/1.1 200 OK\r\nContent-Length: 48\r\n\r\n")
        async with serving(serve) as url, client() as http:
            assert await got(http, url, "HEAD") == b""

    asyncio.run(test())


def test_what_comes_after_the_end_of_a_response_is_of_no_request() -> None:
    async def test() -> None:
        serve, connections = always(RESPONSES["with a length"] + b"HTTP/1.1 408 Too Late\r\nContent-Length: 0\r\n\r\n")
        async with serving(serve) as url, client() as http:
            for _ in range(3):
                assert await got(http, url) == BODY
            assert len(connections) == 3

    asyncio.run(test())


TROUBLE = {
    "nothing": (b"", "broke off"),
    "half a head": (b"HTTP/1.1 200 OK\r\nContent-", "broke off"),
    "half a body": (b"HTTP/1.1 200 OK\r\nContent-Length: 48\r\n\r\nGrass", "broke off"),
    "half a chunk": (CHUNKED[:-4], "broke off"),
    "no HTTP": (b"220 mail.example ESMTP\r\n", "no HTTP"),
}


@pytest.mark.parametrize("kind", TROUBLE)
def test_a_response_that_breaks_off_is_said_to(kind: str) -> None:
    said, words = TROUBLE[kind]

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(said)

    async def test() -> None:
        async with serving(serve) as url, client() as http:
            with pytest.raises(UpstreamError, match=words) as caught:
                await got(http, url)
            assert caught.value.code == "upstream_died"

    asyncio.run(test())


def test_silence_has_an_end() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(CHUNKED)
        await reader.read()

    async def test() -> None:
        async with serving(serve) as url, Http(connect_timeout=5, idle_timeout=0.1) as http:
            response = await http.request("GET", url, None, {})
            assert await response.read()
            with pytest.raises(UpstreamError, match=r"said nothing for 0\.1 s"):
                await response.whole(1 << 20)
            response.close()

    asyncio.run(test())


def test_nobody_there_is_said_with_the_fix() -> None:
    async def test() -> None:
        async with serving(always(b"")[0]) as url:
            pass
        async with client() as http:
            with pytest.raises(UpstreamError, match="start it") as caught:
                await got(http, url)
            assert caught.value.code == "upstream_down"

    asyncio.run(test())


def test_a_response_that_is_let_go_tells_the_server_to_stop() -> None:
    left = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(CHUNKED)
        with contextlib.suppress(ConnectionError):
            await reader.read()
        left.set()

    async def test() -> None:
        async with serving(serve) as url, client() as http:
            response = await http.request("GET", url, None, {})
            assert await response.read()
            response.close()
            await asyncio.wait_for(left.wait(), 5)

    asyncio.run(test())


def test_what_nobody_reads_stays_with_the_server() -> None:
    sent = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(2000):
            writer.write(b"x" * HIGH_WATER)
            await writer.drain()
            sent += HIGH_WATER

    async def test() -> None:
        async with serving(serve) as url, client() as http:
            response = await http.request("GET", url, None, {})
            before = -1
            while before != sent:  # until it gets no further
                before = sent
                await asyncio.sleep(0.3)
            assert sent < 1000 * HIGH_WATER
            held = await response.read()
            assert len(held) < 20 * HIGH_WATER
            assert await response.read(), "and goes on when it is read"
            response.close()

    asyncio.run(test())


def test_a_line_break_cannot_smuggle_a_header() -> None:
    async def test() -> None:
        async with client() as http:
            with pytest.raises(UpstreamError, match="line break"):
                await http.request("GET", "http://127.0.0.1:1/", None, {"Authorization": "a\r\nX-Evil: 1"})

    asyncio.run(test())


def test_what_a_burst_has_left_is_closed_while_requests_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        serve, connections = always(RESPONSES["with a length"])
        async with serving(serve) as url, client() as http:
            burst = [await http.request("GET", url, None, {}) for _ in range(5)]
            for response in burst:
                await response.whole(1 << 20)
                response.close()
            first = await http.request("GET", url, None, {})
            monkeypatch.setattr("proxy.upstream.http._KEEP", 0.0)  # all that waits is old now
            await first.whole(1 << 20)
            first.close()
            assert sum(map(len, http._kept.values())) == 1  # noqa: SLF001 - nothing else shows what is kept
            assert len(connections) == 5

    asyncio.run(test())
