"""What a request asks of all calls in its answer: events in, fewer or later events out."""

from collections.abc import Callable, Iterable, Iterator

from proxy.core.events import ArgsDelta, CallEnd, CallStart, Event, Reasoning, Text

Filter = Callable[[Iterable[Event]], Iterable[Event]]


class OnlyFirst:
    """`parallel_tool_calls: false`: the first call, and none after it."""

    def __init__(self) -> None:
        self._calls = 0

    def __call__(self, events: Iterable[Event]) -> Iterator[Event]:
        """The events without those of later calls."""
        for event in events:
            self._calls += isinstance(event, CallStart)
            if self._calls < 2 or not isinstance(event, CallStart | ArgsDelta | CallEnd):
                yield event


class WholeCalls:
    """`--arguments whole`: each call in one piece, once it is complete."""

    def __init__(self) -> None:
        self._start = CallStart("")
        self._pieces: list[str] = []

    def __call__(self, events: Iterable[Event]) -> Iterator[Event]:
        """The events, those of a call not before its end."""
        for event in events:
            match event:
                case CallStart():
                    self._start, self._pieces = event, []
                case ArgsDelta(text):
                    self._pieces.append(text)
                case CallEnd(complete):
                    yield from self._whole() if complete else self._shown()
                case _:
                    yield event

    def _whole(self) -> Iterator[Event]:
        yield self._start
        yield ArgsDelta("".join(self._pieces))
        yield CallEnd()

    def _shown(self) -> Iterator[Event]:
        """A call that was cut off is no call for a client that wants whole ones, but it was said."""
        yield Text(f"{self._start.name} {''.join(self._pieces)}")


class ThinkTags:
    """`--reasoning tags`: reasoning as part of the content, for clients that cut `<think>` out of it themselves."""

    def __init__(self) -> None:
        self._open = False

    def __call__(self, events: Iterable[Event]) -> Iterator[Event]:
        """The events with reasoning as text between tags."""
        for event in events:
            if isinstance(event, Reasoning):
                yield Text(event.text if self._open else f"<think>{event.text}")
                self._open = True
                continue
            if self._open:
                self._open = False
                yield Text("</think>\n\n")
            yield event
