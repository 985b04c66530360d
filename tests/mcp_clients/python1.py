"""A client on mcp 1.x."""

from typing import Any

from mcp import ClientSession

from mcp_clients.asking import Json, ask, main, transport


async def connect_and_ask(way: Json, questions: Json) -> Json:
    async with transport(way) as (read, write, *_), ClientSession(read, write) as session:
        hello: Any = await session.initialize()  # not what mcp 2.x, which mypy sees, would return
        seen = {"version": hello.protocolVersion, "server": hello.serverInfo.name}
        return seen | await ask(session, questions)


if __name__ == "__main__":
    main(connect_and_ask)
