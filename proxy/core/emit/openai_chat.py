"""OpenAI's chat completions, in a stream of chunks or whole, as strictly as the strictest client reads them.

    {"role":"assistant","content":null}                                    once, first
    {"reasoning_content":"..."}   {"content":"..."}                        one kind in a chunk
    {"tool_calls":[{"index":0,"id":...,"type":"function","function":{"name":...,"arguments":""}}]}
    {"tool_calls":[{"index":0,"function":{"arguments":"..."}}]}            one call in a chunk, one call after another
    {}  with finish_reason                                                 a chunk of its own, then usage if asked for

Chunks are put together from bytes that are made once for an answer: one is written for every token.
"""

from collections.abc import Iterable
from typing import Any, assert_never

import orjson

from proxy.core.emit.emitter import Ids, Label, encoded
from proxy.core.events import ArgsDelta, CallEnd, CallStart, Event, Reasoning, Text
from proxy.core.wire.parts import Usage

_SUFFIX = b'},"finish_reason":null}]}\n\n'
_DONE = b"data: [DONE]\n\n"


def failed(error: dict[str, object]) -> bytes:
    """The end of a stream that went wrong."""
    return b"data: " + orjson.dumps({"error": error}) + b"\n\n" + _DONE


class ChatStream:
    """Chunks of `text/event-stream`."""

    media_type = "text/event-stream"

    def __init__(self, label: Label, ids: Ids, *, usage: bool) -> None:
        head = {"id": label.id, "object": "chat.completion.chunk", "created": label.created, "model": label.model}
        self._head = b"data: " + orjson.dumps(head)[:-1]
        self._delta = self._head + b',"choices":[{"index":0,"delta":{'
        self._content = self._delta + b'"content":'
        self._spliced, self._splice_end = self._content + b'"', b'"' + _SUFFIX
        self._reasoning = self._delta + b'"reasoning_content":'
        self._arguments = b""
        self._ids = ids
        self._usage = usage
        self._calls = 0
        self._begun = False

    def splice(self, encoded: bytes) -> bytes:
        """A chunk of text that is already encoded."""
        chunk = self._spliced + encoded + self._splice_end
        return chunk if self._begun else self._begin() + chunk

    def emit(self, events: Iterable[Event]) -> bytes:
        """One chunk for each event."""
        chunks = b"".join(map(self._chunk, events))
        return chunks if self._begun or not chunks else self._begin() + chunks

    def end(self, finish: str, usage: Usage) -> bytes:
        """The finish in a chunk of its own, the usage if it was asked for, and the end of the stream."""
        begin = b"" if self._begun else self._begin()
        reason = self._delta + b'},"finish_reason":' + encoded(finish) + b"}]}\n\n"
        tokens = b""
        if self._usage:
            tokens = self._head + b',"choices":[],"usage":' + orjson.dumps(_usage(usage)) + b"}\n\n"
        return begin + reason + tokens + _DONE

    def fail(self, error: dict[str, object]) -> bytes:
        """An error in a frame of its own: clients show its message."""
        return failed(error)

    def _begin(self) -> bytes:
        self._begun = True
        return self._delta + b'"role":"assistant","content":null' + _SUFFIX

    def _chunk(self, event: Event) -> bytes:
        match event:
            case Text(text):
                return self._content + encoded(text) + _SUFFIX
            case ArgsDelta(text):
                return self._arguments + encoded(text) + b"}}]" + _SUFFIX
            case Reasoning(text):
                return self._reasoning + encoded(text) + _SUFFIX
            case CallStart():
                index, self._calls = self._calls, self._calls + 1
                call = self._delta + b'"tool_calls":[{"index":%d,' % index
                self._arguments = call + b'"function":{"arguments":'
                call_id, name = encoded(self._ids.of(event.id)), encoded(event.name)
                begun = b'"id":%b,"type":"function","function":{"name":%b,"arguments":""}}]' % (call_id, name)
                return call + begun + _SUFFIX
            case CallEnd():
                return b""
            case _:
                assert_never(event)


class ChatAnswer:
    """One JSON object."""

    media_type = "application/json"

    def __init__(self, label: Label, ids: Ids) -> None:
        self._label = label
        self._ids = ids
        self._content: list[str] = []
        self._reasoning: list[str] = []
        self._calls: list[dict[str, Any]] = []

    def splice(self, encoded: bytes) -> bytes:
        """Keep a piece of text: it has no escapes, so it is what it is."""
        self._content.append(encoded.decode())
        return b""

    def emit(self, events: Iterable[Event]) -> bytes:
        """Keep what was said."""
        for event in events:
            match event:
                case Text(text):
                    self._content.append(text)
                case Reasoning(text):
                    self._reasoning.append(text)
                case CallStart():
                    function = {"name": event.name, "arguments": []}
                    self._calls.append({"id": self._ids.of(event.id), "type": "function", "function": function})
                case ArgsDelta(text):
                    self._calls[-1]["function"]["arguments"].append(text)
                case CallEnd():
                    function = self._calls[-1]["function"]
                    function["arguments"] = "".join(function["arguments"])
                case _:
                    assert_never(event)
        return b""

    def end(self, finish: str, usage: Usage) -> bytes:
        """All of it."""
        content = "".join(self._content)
        message: dict[str, Any] = {"role": "assistant", "content": content if content or not self._calls else None}
        if self._reasoning:
            message["reasoning_content"] = "".join(self._reasoning)
        if self._calls:
            message["tool_calls"] = self._calls
        whole = {
            "id": self._label.id,
            "object": "chat.completion",
            "created": self._label.created,
            "model": self._label.model,
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": _usage(usage),
        }
        return encoded(whole)

    def fail(self, error: dict[str, object]) -> bytes:
        """The error alone: half an answer that nobody reads as one is no answer."""
        return orjson.dumps({"error": error})


def _usage(usage: Usage) -> dict[str, int]:
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.prompt + usage.completion,
    }
