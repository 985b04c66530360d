"""The proxy on a real socket, in a thread of the test's process."""

import contextlib
import json
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
from fake_server import FakeServer
from serving import served

from proxy.app import create_app
from proxy.service import ShellTools
from proxy.settings import load

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "find_ferry",
            "description": "Find a ferry.",
            "parameters": {
                "type": "object",
                "properties": {"to": {"type": "string"}, "seats": {"type": "integer"}},
                "required": ["to"],
            },
        },
    },
    {"type": "function", "function": {"name": "ping_depot", "parameters": {"type": "object", "properties": {}}}},
]
CALL = '<tool_call>\n{"name": "find_ferry", "arguments": {"to": "Coll", "seats": "2"}}\n</tool_call>'
_CERTIFICATES = ssl.create_default_context()  # not needed, but httpx would load them for every request
USER = [{"role": "user", "content": "Find a ferry to Coll."}]


@dataclass
class Proxy:
    url: str
    client: httpx.Client

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def post(
        self, path: str = "/v1/chat/completions", *, headers: dict[str, str] | None = None, **body: Any
    ) -> httpx.Response:
        """A request with our model and message unless the test says otherwise."""
        said = {"model": "fake", "messages": USER} | body
        return self.client.post(self.url + path, json=said, headers=headers)

    def stream(self, path: str = "/v1/chat/completions", **body: Any) -> list[dict[str, Any]]:
        """The chunks of a streamed answer; checks the frame of the stream itself (S14, S15)."""
        response = self.post(path, stream=True, **body)
        assert response.status_code == 200, response.text
        frames = response.text.split("\n\n")
        assert frames[-2:] == ["data: [DONE]", ""], frames[-3:]
        assert all(frame.startswith("data: {") for frame in frames[:-2])
        return [json.loads(frame.removeprefix("data: ")) for frame in frames[:-2]]


@contextlib.contextmanager
def proxy(*upstreams: str, demo_url: str = "", shell: ShellTools | None = None, **flags: Any) -> Iterator[Proxy]:
    """A proxy in front of these servers, with these settings."""
    settings, _ = load({"upstreams": upstreams, "port": 0} | flags, env={})
    with (
        served(create_app(settings, demo_url=demo_url, shell=shell)) as url,
        httpx.Client(timeout=20, trust_env=False, limits=httpx.Limits(max_connections=None)) as client,
    ):
        yield Proxy(url, client)


def joined_call(chunks: list[dict[str, Any]], index: int = 0) -> tuple[str, Any]:
    """The name and the arguments of a streamed call."""
    pieces = [
        call
        for chunk in chunks
        for choice in chunk["choices"]
        for call in choice["delta"].get("tool_calls", [])
        if call["index"] == index
    ]
    return pieces[0]["function"]["name"], json.loads("".join(piece["function"]["arguments"] for piece in pieces))


def content_of(chunks: list[dict[str, Any]], key: str = "content") -> str:
    """All text of a streamed answer."""
    return "".join(choice["delta"].get(key) or "" for chunk in chunks for choice in chunk["choices"])


__all__ = ["CALL", "TOOLS", "USER", "FakeServer", "Proxy", "content_of", "joined_call", "proxy"]
