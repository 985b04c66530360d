"""What a request mentions that may be an argument: addresses, paths, ids, numbers, names, quoted words.

A thing is found as the most special kind that it can be, and then as no other: the 1 of EMP001 is no number.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from proxy.upstream.demo.words import is_common

Kind = Literal["email", "url", "zone", "path", "date", "id", "number", "name", "quoted"]

_LONGEST: Final = 2000
"""How much of a request is looked at."""
_NO_WORD: Final = re.compile(r"\S{200,}")
"""What no one means as an argument, and would take long to look into."""
_PATTERNS: Final[dict[Kind, re.Pattern[str]]] = {
    "url": re.compile(r"https?://[^\s\"'<>)]*[^\s\"'<>).,;?!]"),
    "email": re.compile(r"[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"),
    "date": re.compile(r"\d{4}[-/]\d{2}[-/]\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?Z?)?"),
    "zone": re.compile(
        r"(?<![\w/])(?:(?:Africa|America|Asia|Atlantic|Australia|Europe|Pacific)/[A-Z]\w+|UTC|GMT|[CEMP][SD]T|KST)(?!\w)"
    ),
    "path": re.compile(
        r"(?<![\w/.])(?:[A-Za-z]:\\[\w\\.-]+|(?:~|\.{1,2})?(?:/[\w.@-]*[\w@-])+/?|[\w.-]*[A-Za-z_][\w.-]*(?:/[\w.-]*[\w-])+/?"
        r"|[\w-]{2,}\.[A-Za-z][A-Za-z0-9]{0,4}(?![A-Za-z0-9]))"
    ),
    "id": re.compile(r"(?<![A-Za-z0-9])[A-Z]+[-_]?\d+(?![A-Za-z0-9])|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"),
    "number": re.compile(r"(?<![A-Za-z0-9_.])-?\d+(?:,\d{3})*(?:\.\d+)?"),
}
_QUOTED: Final = re.compile(r"\"([^\"\n]+)\"|(?<!\w)'([^'\n]+)'(?!\w)|“([^”]+)”|‘([^’]+)’|「([^」]+)」|`([^`\n]+)`")
_CAPITALS: Final = re.compile(r"[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*")
_LOWER: Final = re.compile(
    r"\b(in|at|for|near|of|from|to|about) ([a-z]+(?: (?!and )[a-z]+)?(?:(?:, and|,| and) [a-z]+)*)\b"
)
_AND: Final = re.compile(r", and |, | and ")
_WORD_BEFORE: Final = re.compile(r"([A-Za-z_]+|[가-힣]+)\W{0,3}$")
_WORD_AFTER: Final = re.compile(r"\W{0,2}([A-Za-z_]+|[가-힣]+)")
_KOREAN_WORD: Final = re.compile(r"(?<![\w\x00])[가-힣]+")
_PARTICLE: Final = re.compile(
    r"(?<=[가-힣]{2})(에서|까지|부터|에게|한테|으로|이랑|하고|은|는|이|가|을|를|의|에|와|과|랑|께|씨)$"
)
_KOREAN_COMMON: Final = re.compile(
    r"^(오늘|내일|어제|지금|현재|이번|올해|작년|내년|그럼|그리고|좀|뭐|무슨|어떤|어떻|어때|어떄|어디|얼마|몇|남은|대해|관한|위한|제|내|나|저"
    r"|하나만|각각|둘|안녕|반가|고마|감사|도구|함수|툴|사용|호출|이용)"
    r"|(줘|줘요|주세요|해라|할래|하자|해봐|봐|봐요|나요|까요|가요|니까|니|인지|있어|있나|해|해요|하고|하는|야|다|요|합니다|입니다|싶어)$"
)
_ROLES: Final = {"에서": "from", "부터": "from", "까지": "to", "으로": "to", "에게": "to", "한테": "to", "께": "to"}
_AT_START: Final = re.compile(r"(?:^|[.!?:]\s|\n)\W*$")
_ORDER: Final = re.compile(
    r"[A-Z][a-z]+ (?:(?:an?|the|it|in|for|me|all|with|up|to|my|this|these|on|off|from|as)\b|\W?\d)"
)
"""A verb at the start of a sentence: `Book a table`."""
_STATE: Final = re.compile(r"[A-Z]{2}$")


@dataclass(frozen=True, slots=True)
class Clue:
    """One thing that was mentioned."""

    text: str
    start: int
    end: int
    before: str = ""
    """the word that leads to it: `from`, `to`, `limit`"""
    after: str = ""
    """the word behind it: `days`"""


class Clues:
    """All that one request mentions; what has become an argument is mentioned no more."""

    def __init__(self, text: str) -> None:
        reading = _read(text)
        self.text = reading.text
        self._found = reading.found
        self._taken: set[tuple[int, int]] = set()

    def of(self, kind: Kind) -> list[Clue]:
        """What was mentioned of this kind and is not taken yet."""
        return [clue for clue in self._found[kind] if (clue.start, clue.end) not in self._taken]

    def take(self, clue: Clue) -> None:
        """It is taken."""
        self._taken.add((clue.start, clue.end))

    def use(self, text: str) -> None:
        """Whatever says `text` is taken."""
        for clues in self._found.values():
            for clue in clues:
                if clue.text == text:
                    self.take(clue)


@lru_cache(maxsize=8)
def _read(text: str) -> "_Reading":
    """Many tools look into the same request."""
    return _Reading(text)


class _Reading:
    """The search for clues."""

    def __init__(self, text: str) -> None:
        self.text = _NO_WORD.sub("", text[:_LONGEST])
        self.found: dict[Kind, list[Clue]] = {}
        rest = self.text
        for kind, pattern in _PATTERNS.items():
            self.found[kind] = [self._clue(match[0], *match.span()) for match in pattern.finditer(rest)]
            rest = pattern.sub(lambda match: "\x00" * len(match[0]), rest)
        self.found["quoted"] = [
            self._clue(next(filter(None, match.groups())), *match.span()) for match in _QUOTED.finditer(self.text)
        ]
        rest = _QUOTED.sub(lambda match: "\x00" * len(match[0]), rest)
        self.found["name"] = self._capitals(rest) + self._korean_names(rest) or self._lower_names(rest)

    def _clue(self, text: str, start: int, end: int) -> Clue:
        before = _WORD_BEFORE.search(self.text[max(0, start - 40) : start])
        after = _WORD_AFTER.match(self.text[end : end + 40])
        return Clue(text, start, end, before[1].lower() if before else "", after[1].lower() if after else "")

    def _capitals(self, rest: str) -> list[Clue]:
        found = []
        for match in _CAPITALS.finditer(rest):
            if _ORDER.match(self.text, match.start()) and _AT_START.search(self.text[: match.start()]):
                continue
            words = match[0].split(" ")
            start, end = match.span()
            while words and is_common(words[0].partition("'")[0].partition("’")[0]):
                start += len(words.pop(0)) + 1
            while words and is_common(words[-1]):
                end -= len(words.pop()) + 1
            name = " ".join(words).removesuffix("'s").removesuffix("’s")
            if name:
                found.append(self._clue(name, start, start + len(name)))
        return self._with_states(found)

    def _with_states(self, names: list[Clue]) -> list[Clue]:
        """`San Francisco, CA` is one place, and so is `Paris, France`, but not `Paris, London and Rome`."""
        joined: list[Clue] = []
        for name in names:
            last = joined[-1] if joined else None
            near = last is not None and self.text[last.end : name.start] == ", "
            if last and near and (_STATE.match(name.text) or len(names) == 2):
                joined[-1] = self._clue(f"{last.text}, {name.text}", last.start, name.end)
            else:
                joined.append(name)
        return joined

    def _korean_names(self, rest: str) -> list[Clue]:
        found: list[Clue] = []
        for match in _KOREAN_WORD.finditer(rest):
            stands_alone = match.start() == 0 or not (
                rest[match.start() - 1].isalnum() or rest[match.start() - 1] == "\x00"
            )
            if not stands_alone or is_common(match[0]) or _KOREAN_COMMON.search(match[0]):
                continue
            particle = _PARTICLE.search(match[0])
            name = match[0].removesuffix(particle[0]) if particle else match[0]
            role = _ROLES.get(particle[0], "") if particle else ""
            last = found[-1] if found else None
            if last and self.text[last.end : match.start()] == " ":  # two words and no particle between: one name
                found[-1] = Clue(f"{last.text} {name}", last.start, match.start() + len(name), role)
            else:
                found.append(Clue(name, match.start(), match.start() + len(name), role))
        return found

    def _lower_names(self, rest: str) -> list[Clue]:
        found = []
        for match in _LOWER.finditer(rest):
            start = match.start(2)
            for part in _AND.split(match[2]):
                start = rest.index(part, start)
                words = part.split(" ")
                while words and is_common(words[-1]):
                    words.pop()
                while words and is_common(words[0]):
                    words.pop(0)
                if words:
                    found.append(Clue(" ".join(words), start, start + len(part), match[1]))
        return found
