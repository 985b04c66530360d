"""What kind of string a parameter takes, told by its name, and where a request mentions such a thing."""

import re
from typing import Final, Literal

from proxy.upstream.demo.clues import Clue, Clues, Kind

_KINDS: Final[dict[Kind | Literal["text"], str]] = {
    "zone": "timezone tz zone",
    "email": "email recipient cc bcc",
    "url": "url link website href",
    "path": "path file filename filepath directory folder uri",
    "date": "date deadline due when",
    "id": "id identifier code sku",
    "text": (
        "query q search keyword question prompt input text message content body command expression topic term subject "
        "title note description reason thought pattern script sql formula summary"
    ),
    "name": (
        "city location place country town region address destination origin source target from to person employee "
        "customer author department company port airport language currency symbol ticker owner repo item product name"
    ),
}
"""the words that tell, the most telling kind first"""
_PLACES: Final = frozenset(("city", "location", "place", "town", "region", "destination", "address"))
_INVENTED: Final[dict[str, str]] = {
    "email": "someone@example.com",
    "url": "https://example.com",
    "path": "README.md",
    "zone": "UTC",
    "date": "2025-01-01",
    "id": "1",
}
_ZONES: Final = {
    "seoul": "Asia/Seoul",
    "서울": "Asia/Seoul",
    "korea": "Asia/Seoul",
    "한국": "Asia/Seoul",
    "tokyo": "Asia/Tokyo",
    "도쿄": "Asia/Tokyo",
    "shanghai": "Asia/Shanghai",
    "beijing": "Asia/Shanghai",
    "delhi": "Asia/Kolkata",
    "london": "Europe/London",
    "런던": "Europe/London",
    "paris": "Europe/Paris",
    "파리": "Europe/Paris",
    "berlin": "Europe/Berlin",
    "madrid": "Europe/Madrid",
    "rome": "Europe/Rome",
    "new york": "America/New_York",
    "뉴욕": "America/New_York",
    "chicago": "America/Chicago",
    "los angeles": "America/Los_Angeles",
    "san francisco": "America/Los_Angeles",
    "sydney": "Australia/Sydney",
}
_ROLES: Final = {
    "from": "from",
    "origin": "from",
    "source": "from",
    "to": "to",
    "destination": "to",
    "target": "to",
}
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD: Final = re.compile(r"[a-z]+")


def words_of(name: str) -> list[str]:
    """The words that a parameter's name is made of."""
    return _WORD.findall(_CAMEL.sub(" ", name).lower())


def kind_of(name: str) -> Kind | Literal["text"] | None:
    """What kind of string a parameter of this name takes; None: its name does not tell."""
    words = set(words_of(name))
    return next((kind for kind, telling in _KINDS.items() if words & set(telling.split())), None)


def mentioned(clues: Clues, name: str, kind: Kind) -> list[Clue]:
    """What a parameter of this name and kind can take, the likeliest first."""
    found = clues.of(kind)
    if kind == "path":
        return found or clues.of("url")
    if kind == "url":
        return found or clues.of("path")
    if kind == "id":
        return found or clues.of("quoted") or clues.of("number")
    if kind == "zone":
        return found or [clue for clue in clues.of("name") if clue.text.lower() in _ZONES]
    if kind == "name":
        return _named(clues, words_of(name), found)
    return found


def _named(clues: Clues, words: list[str], names: list[Clue]) -> list[Clue]:
    if words == ["to"] and (emails := clues.of("email")):
        return emails
    if words[-1:] == ["name"]:
        names = clues.of("quoted") or names
    role = next((_ROLES[word] for word in words if word in _ROLES), "")
    return [clue for clue in names if clue.before == role] or names


def as_kind(text: str, kind: Kind | Literal["text"]) -> str:
    """`text` as a value of this kind: a city as its time zone."""
    return _ZONES.get(text.lower(), text) if kind == "zone" else text


def invented(name: str) -> str:
    """A value for a parameter of this name, if there is one that fits any request; else ""."""
    if set(words_of(name)) & _PLACES:
        return "Seoul"
    return _INVENTED.get(kind_of(name) or "", "")
