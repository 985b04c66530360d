"""What the simulated model says, as text and as the events of both wire forms; made in advance, sent as it is.

A request names its answer in the last user message, which every proxy passes on unchanged:

    answer text 2000 17         2000 events of prose, starting at the 17th piece (so no two streams are alike)
    answer calls 2048 17        one call in Hermes form whose string argument has 2048 characters
    answer text 100 17 paced    the same at 50 events a second
"""

import functools
import json
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

MODEL = "bench"
PIECE = 4
ASKED = re.compile(rb"answer (text|calls) (\d+) (\d+)( paced)?")
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n"
END = b"0\r\n\r\n"

SENTENCES = (
    "At {n} minutes past the hour the harbour was quiet, and nobody on the pier could say why the ferry was late. ",
    "Someone had hung lamp number {n} in the window of the office; it moved a little in the wind.\n\n",
    "You could see {n} boats from there (most of them old), the mole, and, on a clear day, the island. ",
    "부산항에는 배가 {n}척 있었고, 아무도 그 이유를 말하지 않았다. ",
    'The clerk wrote "{n} crates, two of them damaged" and closed the book: it was enough for one day. ',
    "What matters is not whether it rains, but how much; last year it rained on {n} days and the road held.\n\n",
    "그래서 우리는 {n}분 동안 기다렸다. 바람이 조금 불었다. ",
    "Route {n} is the shorter one, 20% on average, yet most drivers take the other because it is lit at night. ",
)


def cut(text: str) -> tuple[str, ...]:
    return tuple(text[at : at + PIECE] for at in range(0, len(text), PIECE))


PROSE = "".join(SENTENCES[n % len(SENTENCES)].format(n=n) for n in range(240))
PIECES = cut(PROSE)

Form = Literal["ollama", "openai"]
Kind = Literal["text", "calls"]


@dataclass(frozen=True, slots=True)
class Answer:
    """Which answer a request asks for."""

    kind: Kind
    size: int  # events of a text, characters of a call's argument
    start: int = 0
    paced: bool = False

    def __str__(self) -> str:
        return f"answer {self.kind} {self.size} {self.start}{' paced' if self.paced else ''}"

    @property
    def events(self) -> int:
        """How many events the upstream sends for it; what costs are divided by."""
        return len(pieces(self))

    @property
    def arguments(self) -> dict[str, str]:
        """The arguments of the call."""
        text = PROSE[self.start % len(PROSE) :] + PROSE * (self.size // len(PROSE) + 1)
        return {"path": f"notes/{self.start}.md", "content": text[: self.size]}


def asked(body: bytes) -> Answer | None:
    """The answer that a request asks for: the last one it names."""
    found = ASKED.findall(body)
    if not found:
        return None
    kind, size, start, paced = found[-1]
    return Answer("calls" if kind == b"calls" else "text", int(size), int(start), bool(paced))


@functools.lru_cache(maxsize=4096)
def pieces(answer: Answer) -> tuple[str, ...]:
    """The deltas of an answer."""
    if answer.kind == "calls":
        call = {"name": "write_file", "arguments": answer.arguments}
        return cut(f"<tool_call>\n{json.dumps(call, ensure_ascii=False)}\n</tool_call>")
    return tuple(PIECES[at % len(PIECES)] for at in range(answer.start, answer.start + answer.size))


@functools.lru_cache(maxsize=4096)
def writes(answer: Answer, form: Form) -> tuple[bytes, ...]:
    """The answer as it goes over the wire: each element is one event and one write.

    The head goes with the first event and the end with the last, as servers do it.
    """
    event, first, last = FORMS[form]
    events = [*first, *map(event, pieces(answer)), *last]
    events[0] = HEAD % (b"text/event-stream" if form == "openai" else b"application/x-ndjson") + events[0]
    events[-1] += END
    return tuple(events)


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@functools.cache
def ollama_line(piece: str) -> bytes:
    """A line as Go writes it: times differ, also in length; `<`, `>` and `&` are escaped."""
    text = dumped(piece).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    time = f"2026-01-31T08:15:{zlib.crc32(piece.encode()) % 10**9 / 10**8:.9f}".rstrip("0")
    line = (
        f'{{"model":"{MODEL}","created_at":"{time}Z","message":{{"role":"assistant","content":{text}}},"done":false}}\n'
    )
    return chunk(line.encode())


@functools.cache
def openai_frame(piece: str) -> bytes:
    return frame({"content": piece})


def frame(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    said = {"id": "chatcmpl-bench", "object": "chat.completion.chunk", "created": 1_786_000_000, "model": MODEL}
    return chunk(f"data: {dumped({**said, 'choices': [choice]})}\n\n".encode())


OLLAMA_DONE = (
    f'{{"model":"{MODEL}","created_at":"2026-01-31T08:59:59.5Z","message":{{"role":"assistant","content":""}},"done":true,'
    '"done_reason":"stop","total_duration":4883583458,"load_duration":1334875,"prompt_eval_count":169,'
    '"prompt_eval_duration":342546000,"eval_count":282,"eval_duration":4535599000}\n'
)
FORMS: dict[Form, tuple[Callable[[str], bytes], list[bytes], list[bytes]]] = {
    # form: how a delta is written, what stands before the first one, what behind the last
    "ollama": (ollama_line, [], [chunk(OLLAMA_DONE.encode())]),
    "openai": (
        openai_frame,
        [frame({"role": "assistant", "content": ""})],
        [frame({}, "stop"), chunk(b"data: [DONE]\n\n")],
    ),
}
