"""An answer as it came over the wire, decoded and held against what was sent."""

import re
from dataclasses import dataclass, field

import orjson

from bench import answers
from bench.answers import Answer

LENGTH = re.compile(rb"\r\ncontent-length: ?(\d+)", re.IGNORECASE)


@dataclass(slots=True)
class Said:
    """What a client has when it has joined all events."""

    content: str = ""
    names: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    finish: str | None = None


def read(raw: bytes) -> Said:
    """Decode an answer; a ValueError says what is no event stream about it."""
    head, _, body = raw.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise ValueError(f"wanted 200, found {raw[:300]!r}")
    frames = (body if LENGTH.search(head) else dechunked(body)).split(b"\n\n")
    if frames[-2:] != [b"data: [DONE]", b""]:
        raise ValueError(f"wanted data: [DONE] at the end, found {frames[-2:]!r}")
    said = Said()
    content: list[str] = []
    for frame in frames[:-2]:
        if frame.startswith(b":"):
            continue  # a comment, which keeps the connection alive
        if not frame.startswith(b"data: "):
            raise ValueError(f"wanted a frame with data, found {frame[:200]!r}")
        chunk = orjson.loads(frame[6:])
        if "error" in chunk:
            raise ValueError(f"an error in mid-stream: {chunk['error']}")
        for choice in chunk["choices"]:
            delta = choice["delta"]
            content.append(delta.get("content") or "")
            said.finish = choice.get("finish_reason") or said.finish
            for call in delta.get("tool_calls") or ():
                if call["index"] == len(said.names):
                    said.names.append(call["function"]["name"])
                    said.arguments.append("")
                said.arguments[call["index"]] += call["function"]["arguments"]
    said.content = "".join(content)
    return said


def length(data: bytes) -> int | None:
    """How many bytes an answer will have in all, if its head, which the first read brought, says so."""
    head, end, _ = data.partition(b"\r\n\r\n")
    found = LENGTH.search(head)
    return len(head) + len(end) + int(found[1]) if found else None


def dechunked(body: bytes) -> bytes:
    parts: list[bytes] = []
    at = 0
    while True:
        line = body.index(b"\r\n", at)
        size = int(body[at:line], 16)
        if not size:
            return b"".join(parts)
        parts.append(body[line + 2 : line + 2 + size])
        at = line + 2 + size + 2


def difference(said: Said, answer: Answer, *, rewritten: bool) -> str | None:
    """How an answer differs from what was sent, if it does. Arguments are compared as the values they stand for."""
    if answer.kind == "calls" and rewritten:
        wanted = [("write_file", answer.arguments)], "tool_calls", ""
        called = [orjson.loads(text) for text in said.arguments]
        found = list(zip(said.names, called, strict=True)), said.finish, said.content.strip()
    else:
        text = "".join(answers.pieces(answer))
        wanted, found = (
            ([], "stop", text),
            (list(zip(said.names, said.arguments, strict=True)), said.finish, said.content),
        )
    return None if wanted == found else f"{answer}: wanted {wanted!r:.300}, found {found!r:.300}"
