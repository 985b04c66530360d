"""A client on mcp 2.x, in either era of the protocol: it looks for the new one unless told otherwise."""

from mcp import Client

from mcp_clients.asking import Json, ask, main, transport


async def connect_and_ask(way: Json, questions: Json) -> Json:
    async with Client(transport(way), mode=way["era"]) as client:
        assert client.server_info
        seen = {"version": client.protocol_version, "server": client.server_info.name}
        return seen | await ask(client, questions)


if __name__ == "__main__":
    main(connect_and_ask)
