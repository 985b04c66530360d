"""Text pushed in from outside, read from inside as if all of it were there.

A read is a generator: it yields `NEED_DATA` whenever it cannot answer yet, yields what it has to say as soon as
that is certain, and returns its answer. Grammars are built of such reads with `yield from` and never learn that the
text came in pieces.

    feed("<tool_c")    until(...) sees a word that may be beginning: NEED_DATA
    feed("all>")       until(...) returns "<tool_call>"

Invariants:
1. What a read says and returns depends on the text alone, never on how it was cut.
2. A read consumes what it has looked at, or looks at a bounded amount (`BOUND`): no text is scanned twice because
   more of it arrived.
3. Nothing is forgotten behind a mark: `rewind` brings every character back.
"""

import re
from collections.abc import Callable, Generator
from typing import Final, TypeVar

from proxy.core.events import Event, Repair
from proxy.core.words import Words

NEED_DATA: Final = None
"""What a read yields when it needs more text."""

BOUND: Final = 256
"""The most that a read may look at without consuming it: longer than any name, key or tag that models write."""

T = TypeVar("T")
Said = Event | Repair | str
"""What a read says. A bare string is the next piece of the arguments of the call under way, as strict JSON."""

Parse = Generator[Said | None, None, T]
Run = tuple[Callable[[str], object], Callable[[str], Said]]

_SPACE = re.compile(r"\s*")


class Malformed(Exception):  # noqa: N818 - it is an answer ("not mine"), not a mistake
    """This text is not what the grammar reads."""


class Cut(Exception):  # noqa: N818 - likewise: the text ended inside a call
    """The text ended where the model was still writing a call."""


class Unsaid(Cut):
    """The text ended inside a call of which nothing was said yet."""


class Cursor:
    """The place in the text up to which it is understood."""

    __slots__ = ("_kept", "_marks", "_pos", "_text", "base", "closed", "cut", "quiet", "run", "starved", "wasted")

    def __init__(self, text: str = "", *, closed: bool = False, cut: bool = False) -> None:
        self._text = text
        self._pos = 0
        self._kept: list[str] = []
        self._marks: list[int] = []
        self.base = 0
        """How much text lies before `_text`."""
        self.closed = closed
        self.cut = cut
        """Did something else than the model (the token limit) end the text?"""
        self.quiet = 0
        """While a read is being collected, nothing may be said past it (see `run`)."""
        self.starved = False
        """Did a read that was refused get to the end of all text? Whoever asks sets it back."""
        self.wasted = 0
        """How much was read in vain, to be read again."""
        self.run: Run | None = None
        """A read that waits in the middle of plain text leaves here a test for the characters that would matter to
        it, and what to make of a delta that has none of them: such a delta need not wake the read at all."""

    # ---- text comes in

    def feed(self, text: str) -> None:
        """Put `text` behind what is there."""
        if self._pos:
            if self._marks:
                self._kept.append(self._text[: self._pos])
            self.base += self._pos
            self._text = self._text[self._pos :] + text
            self._pos = 0
        else:
            self._text += text

    def close(self, *, cut: bool) -> None:
        """No more text will come."""
        self.closed, self.cut = True, cut

    # ---- places

    @property
    def place(self) -> int:
        """Where the cursor stands in the whole text."""
        return self.base + self._pos

    @property
    def at_end(self) -> bool:
        """Is all of the text understood?"""
        return self.closed and self._pos == len(self._text)

    @property
    def rest(self) -> str:
        """The text that is there and not yet understood."""
        return self._text[self._pos :]

    @property
    def window(self) -> str:
        """As much of the text that is there as a read may look at without consuming it."""
        return self._text[self._pos : self._pos + BOUND]

    @property
    def before(self) -> str:
        """The character before the cursor, as far as text is kept."""
        kept = self._kept[-1] if self._kept and self._marks else ""
        return self._text[self._pos - 1] if self._pos else kept[-1:]

    @property
    def char(self) -> str:
        """The next character of the text that is there, "" if there is none."""
        return self._text[self._pos : self._pos + 1]

    def mark(self) -> int:
        """Remember the text from here on; every mark ends with `release` or `rewind`."""
        if not self._marks:
            self._kept = []
        self._marks.append(self.place)
        return len(self._marks) - 1

    def release(self, mark: int = -1) -> None:
        """Forget a mark, the last one if not told, and all that were made after it."""
        del self._marks[mark:]

    def since(self, mark: int = -1) -> str:
        """The text between a mark and the cursor."""
        begin, base = self._marks[mark], self.base
        chunks = [self._text[max(begin - base, 0) : self._pos]]
        for chunk in reversed(self._kept):
            if base <= begin:
                break
            base -= len(chunk)
            chunks.append(chunk[max(begin - base, 0) :])
        return "".join(reversed(chunks))

    def rewind(self, mark: int = -1) -> None:
        """Go back to a mark and forget it, and all that were made after it."""
        begin = self._marks[mark]
        del self._marks[mark:]
        self.wasted += self.place - begin
        chunks = [self._text]
        while begin < self.base:
            chunks.append(self._kept.pop())
            self.base -= len(chunks[-1])
        self._text = "".join(reversed(chunks))
        self._pos = begin - self.base

    # ---- reads

    def wait(self) -> Parse[bool]:
        """Wait for more text; False if there will be none."""
        if self.closed:
            return False
        yield NEED_DATA
        return True

    def peek(self, count: int = 1) -> Parse[str]:
        """The next `count` characters, fewer at the end, without consuming them."""
        while len(self._text) - self._pos < count and not self.closed:
            yield NEED_DATA
        return self._text[self._pos : self._pos + count]

    def take(self, count: int) -> str:
        """Consume what `peek` has shown."""
        self._pos += count
        return self._text[self._pos - count : self._pos]

    def space(self) -> Parse[str]:
        """Consume white space."""
        taken = ""
        while True:
            taken += self.skim(_SPACE)
            if self._pos < len(self._text) or self.closed:
                return taken
            yield NEED_DATA

    def accept(self, word: str) -> Parse[bool]:
        """Consume `word` if it stands here, in any letter case."""
        ahead = yield from self.peek_while(word)
        if ahead.lower() != word.lower():
            return False
        self._pos += len(word)
        return True

    def peek_while(self, word: str) -> Parse[str]:
        """As much of the text as agrees with `word` so far, no more than is needed to tell."""
        wanted = word.lower()
        while True:
            ahead = self._text[self._pos : self._pos + len(word)]
            if len(ahead) == len(word) or self.closed or not wanted.startswith(ahead.lower()):
                return ahead
            yield NEED_DATA

    def expect(self, word: str) -> Parse[None]:
        """Consume `word`, or this is not ours."""
        if not (yield from self.accept(word)):
            raise Malformed(word)

    def peek_any(self, words: Words) -> Parse[str]:
        """The longest of `words` that stands here, else ""; nothing is consumed."""
        while True:
            word = words.here(self._text, self._pos, final=self.closed)
            if word is not None and (word or self.closed or self._pos < len(self._text)):
                return word
            yield NEED_DATA

    def accept_any(self, words: Words) -> Parse[str]:
        """Consume the longest of `words` that stands here and return it, else ""."""
        word = yield from self.peek_any(words)
        self._pos += len(word)
        return word

    def take_while(self, others: re.Pattern[str]) -> Parse[str]:
        """Consume the characters before the first of `others`; a name that goes on past `BOUND` is none."""
        taken = ""
        while True:
            piece, found = self.find(others)
            taken += piece
            if len(taken) > BOUND:
                raise Malformed(taken)
            if found or self.closed:
                return taken
            yield NEED_DATA

    def until(self, words: Words, wrap: Callable[[str], Said], run: Run | None = None) -> Parse[str | None]:
        """Say the text before the next of `words` as it becomes certain; stop before that word, or at the end (None).

        `run`, where `wrap` changes the text: which deltas it leaves alone, and the event they make.
        """
        while True:
            end, word = words.find(self._text, self._pos, final=self.closed)
            if end > self._pos:
                piece = self._text[self._pos : end]
                self._pos = end
                yield wrap(piece)
            if word is not None or self.closed:
                return word
            yield from self.pause(run or (words.search, wrap))

    def pause(self, run: Run) -> Parse[None]:
        """Wait for text; a delta in which the run's search finds nothing may be said without waking this read."""
        if self._pos == len(self._text) and not self._marks and not self.quiet:
            self.run = run
        yield NEED_DATA
        self.run = None

    def drop(self) -> Parse[None]:
        """Consume all that is left, and say nothing of it."""
        while True:
            self._pos = len(self._text)
            if not (yield from self.wait()):
                return

    def find(self, pattern: re.Pattern[str]) -> tuple[str, re.Match[str] | None]:
        """Consume the text before the next match of a one-character `pattern`, and look at the match."""
        found = pattern.search(self._text, self._pos)
        end = found.start() if found else len(self._text)
        piece = self._text[self._pos : end]
        self._pos = end
        return piece, found

    def skim(self, pattern: re.Pattern[str]) -> str:
        """Consume and return what `pattern` matches of the text that is there, perhaps nothing."""
        found = pattern.match(self._text, self._pos)
        if found is None:
            return ""
        self._pos = found.end()
        return found.group()

    def ahead(self) -> tuple[str, int]:
        """All the text that is there, and where the cursor stands in it: for those who look without consuming."""
        return self._text, self._pos


def collect(parse: Parse[T], cursor: Cursor) -> Parse[tuple[str, T]]:
    """Run `parse`, but keep its pieces instead of saying them."""
    pieces: list[str] = []
    cursor.quiet += 1
    try:
        while True:
            try:
                item = next(parse)
            except StopIteration as stop:
                return "".join(pieces), stop.value
            if isinstance(item, str):
                pieces.append(item)
            else:
                yield item
    finally:
        cursor.quiet -= 1
