"""Phrases of a request: what stands behind a parameter's name, and what the request is about without the asking."""

import re
from typing import Final

from proxy.upstream.demo.kinds import words_of

_SAYING: Final = {
    # what leads to a text in a sentence
    "subject": "subject|titled|제목",
    "title": "title|titled|called|named|제목",
    "body": "body|saying|says|message|text|내용",
    "message": "message|saying|says|say|내용",
    "content": "contents?|saying|with the text|내용",
    "text": "text|saying",
    "name": "name|named|called|이름",
}
_QUOTED: Final = r"[\"'“「`]([^\"'”」`\n]+)[\"'”」`]"
_EXPRESSION: Final = re.compile(r"[(\d][\d\s.()]*(?:[-+*/×÷^%][\d\s.()]+)+")
_ASKING: Final = re.compile(
    r"^\W*(?:(?:please|(?:can|could|would|will) you|i want(?: you)? to|i need to|i'd like to|let's|now)\s+)*"
    r"(?:(?:search|look|find|google|query|tell|show|give|get|fetch|calculate|compute|translate|run|execute|check|use)\b"
    r"(?:\s+(?:me|us|up|for|about|out|(?:in|on|through|the)\s+(?:web|internet|docs?|documents?|documentation|files?))\b)*"
    r"\s*)?",
    re.IGNORECASE,
)
_KOREAN_ASKING: Final = re.compile(
    r"\s*\S*(?:검색|찾아|알려|보여|계산|번역|요약|실행|조회|확인|부탁)\S*(?:\s+(?:줘|주세요|줄래|봐)\S*)?\W*$"
)
_POLITE_END: Final = re.compile(r"[\s,]*(?:please)?[\s.?!]*$", re.IGNORECASE)


def labelled(text: str, name: str) -> str:
    """What is written behind the name of a parameter: `unit: celsius`, `titled "Tides"`; else ""."""
    words = words_of(name)
    if not words:
        return ""
    saying = _SAYING.get(name.lower())
    label = rf"(?<![\w-])(?:{saying or '[ _-]?'.join(words)})"
    found = re.search(rf"{label}\s*(?:=|:|is\b|은|는)?\s*{_QUOTED}", text, re.IGNORECASE)
    found = found or re.search(rf"{label}\s*[=:]\s*([^\s,;?!]+)", text, re.IGNORECASE)
    if not found and saying:
        another = "|".join(_SAYING)
        found = re.search(rf"{label}\s+(?:is\s+)?((?:(?! and (?:{another})\b)[^,;\n])+)", text, re.IGNORECASE)
    return found[1].strip().rstrip(".") if found else ""


def subject(text: str) -> str:
    """What a request is about: `tide tables` of `search for tide tables, please`."""
    text = text.strip()
    text = _KOREAN_ASKING.sub("", text) or text
    text = _ASKING.sub("", text, count=1) or text
    return _POLITE_END.sub("", text)


def expression(text: str) -> str:
    """The arithmetic in a request, else ""."""
    found = _EXPRESSION.search(text)
    return found[0].strip() if found else ""
