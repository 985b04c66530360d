"""Ollama's own chat protocol: lines of JSON, or one object. Calls are whole there, arguments are objects."""

import json
from collections.abc import Iterable
from typing import Any, assert_never

import orjson

from proxy.core.emit.emitter import Ids, Label, encoded
from proxy.core.events import ArgsDelta, CallEnd, CallStart, Event, Reasoning, Text
from proxy.core.wire.parts import Usage


class OllamaAnswer:
    """Lines, or (`stream` false) the same in one object at the end."""

    def __init__(self, label: Label, ids: Ids, *, created_at: str, stream: bool) -> None:
        self.media_type = "application/x-ndjson" if stream else "application/json"
        self._head = {"model": label.model, "created_at": created_at}
        self._ids = ids
        self._stream = stream
        self._calls = 0
        self._call: dict[str, Any] = {}
        self._arguments: list[str] = []
        self._whole: dict[str, list[str]] = {"content": [], "thinking": []}
        self._all_calls: list[dict[str, Any]] = []

    def splice(self, encoded: bytes) -> bytes:
        """A piece of text."""
        return self.emit([Text(encoded.decode())])

    def emit(self, events: Iterable[Event]) -> bytes:
        """A line for each piece of text and each whole call."""
        return b"".join(self._line(event) for event in events)

    def _line(self, event: Event) -> bytes:
        match event:
            case Text(text):
                return self._said("content", text)
            case Reasoning(text):
                return self._said("thinking", text)
            case CallStart():
                self._call = {"index": self._calls, "name": event.name}
                self._calls += 1
                self._arguments = []
                self._id = self._ids.of(event.id)
                return b""
            case ArgsDelta(text):
                self._arguments.append(text)
                return b""
            case CallEnd():
                arguments = "".join(self._arguments)
                if not event.complete:
                    return self._said("content", f"{self._call['name']} {arguments}")  # no half calls here
                self._call["arguments"] = json.loads(arguments)
                call = {"id": self._id, "function": self._call}
                self._all_calls.append(call)
                return self._message({"content": "", "tool_calls": [call]}) if self._stream else b""
            case _:
                assert_never(event)

    def _said(self, kind: str, text: str) -> bytes:
        if self._stream:
            return self._message({"content": "", kind: text})
        self._whole[kind].append(text)
        return b""

    def _message(self, message: dict[str, Any]) -> bytes:
        line = self._head | {"message": {"role": "assistant"} | message, "done": False}
        return encoded(line) + b"\n"

    def end(self, finish: str, usage: Usage) -> bytes:
        """The last line, or all of it."""
        message: dict[str, Any] = {"role": "assistant", "content": ""}
        if not self._stream:
            message |= {key: "".join(said) for key, said in self._whole.items() if said or key == "content"}
            if self._all_calls:
                message["tool_calls"] = self._all_calls
        last = self._head | {
            "message": message,
            "done": True,
            "done_reason": "length" if finish == "length" else "stop",
            "prompt_eval_count": usage.prompt,
            "eval_count": usage.completion,
        }
        return encoded(last) + (b"\n" if self._stream else b"")

    def fail(self, error: dict[str, object]) -> bytes:
        """Ollama's errors are text."""
        return orjson.dumps({"error": error["message"]}) + (b"\n" if self._stream else b"")
