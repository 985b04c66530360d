"""What words mean to a scripted model: enough to know that 날씨, forecast and `get_weather` are about one thing."""

import re
from functools import lru_cache
from typing import Final

_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_TOKEN: Final = re.compile(r"[a-z]+|\d+|[가-힣]+")
_HANGUL: Final = re.compile(r"[가-힣]")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SAME: Final = {
    # concept: other words for it; Korean ones are looked for inside a word, because particles stick to it
    "weather": "forecast temperature climate 날씨 기온 예보",
    "employee": "emp staff worker colleague 직원 사원",
    "vacation": "leave holiday pto 휴가 연차",
    "document": "doc documentation 문서",
    "search": "find lookup look google seek 검색 찾",
    "list": "all every 목록 전체 모든 모두 리스트",
    "calculate": "compute calculator math evaluate expression 계산",
    "add": "plus sum addition total 더하 더해 합계",
    "subtract": "minus subtraction 빼",
    "multiply": "product multiplication 곱",
    "divide": "division quotient 나누 나눠",
    "time": "clock 시간 시각 몇시",
    "timezone": "tz",
    "file": "filename 파일",
    "read": "content 읽",
    "open": "view 열어 열기",
    "write": "save store 저장 기록",
    "create": "make 만들 생성",
    "delete": "remove 삭제 지워",
    "update": "change edit modify 수정 변경",
    "email": "mail 메일",
    "send": "보내 전송",
    "info": "information detail profile 정보",
    "year": "년",
    "date": "날짜",
    "day": "며칠 일수",
    "city": "도시",
    "location": "place where 위치 장소",
    "web": "internet online site website 웹 인터넷",
    "translate": "translation 번역",
    "summary": "summarize summarise 요약",
    "price": "cost 가격",
    "stock": "share ticker 주식 주가",
    "news": "headline 뉴스",
    "directory": "folder 폴더 디렉토리 디렉터리",
    "command": "shell terminal bash 명령",
    "run": "execute 실행",
    "code": "코드",
    "remind": "reminder alarm 알림",
    "event": "calendar schedule meeting appointment 일정 회의",
    "user": "customer account 사용자 고객",
    "department": "team 부서",
    "note": "memo 메모 노트",
    "ping": "핑",
}
_STOP: Final = _set(
    # words that every request and every description has
    "a an the and or of in on at for to from with by as is are was be been do does did can could would should will may "
    "i me my we us our you your it its this that these those what which who how when why there here if then so but not "
    "no any some get give tell show let want need know like please use using tool function call invoke return given "
    "provided specified specific current value string object name s t m re ve d ll hi hello hey thanks thank ok yes "
    "help about into out up via per one two just only also more most today tomorrow now right"
)
_ENDINGS: Final = (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""))


def concepts(text: str) -> list[str]:
    """The words of `text` that mean something, each as the one word for its idea."""
    return [*_concepts(text[:_LONGEST])]


@lru_cache(maxsize=512)
def _concepts(text: str) -> tuple[str, ...]:
    return (*(_CONCEPTS.get(stem, stem) for stem in stems(text)), *_korean(text), *_arithmetic(text))


def stems(text: str) -> list[str]:
    """The words of `text` without their endings and without those that say nothing; names are taken apart."""
    tokens = _TOKEN.findall(_CAMEL.sub(" ", text[:_LONGEST]).lower())
    return [_stem(token) for token in tokens if token not in _STOP and not _HANGUL.match(token)]


def is_common(word: str) -> bool:
    """Is this a word of the language, as far as we know any, and no name of something?"""
    return word.lower() in _STOP or word.lower() in _COMMON or _stem(word.lower()) in _CONCEPTS or bool(_korean(word))


def is_korean(text: str) -> bool:
    """Is any of it in Hangul?"""
    return _HANGUL.search(text) is not None


def _stem(word: str) -> str:
    if word == "news":  # of which there is no `new`
        return word
    for ending, short in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) > 2 and not word.endswith("ss"):
            word = word.removesuffix(ending) + short
            break
    return word.rstrip("e") if len(word) > 3 else word


def _korean(text: str) -> list[str]:
    return [concept for word, concept in _KOREAN.items() if word in text]


def _arithmetic(text: str) -> list[str]:
    """`2 + 3` says add, and calculate."""
    found = _OPERATION.search(text)
    return ["calculate", _OPERATORS[found[1]]] if found else []


_LONGEST: Final = 2000
"""How much of a text is looked at: the words that say what is wanted come early."""
_CONCEPTS: Final = {
    _stem(word): concept for concept, words in _SAME.items() for word in (concept, *words.split()) if word.isascii()
}
_KOREAN: Final = {
    word: concept for concept, words in _SAME.items() for word in words.split() if _HANGUL.match(word) is not None
}
_OPERATORS: Final = {
    "+": "add", "-": "subtract", "−": "subtract", "*": "multiply", "x": "multiply", "×": "multiply", "/": "divide",
    "÷": "divide", "times": "multiply", "plus": "add", "minus": "subtract",
}  # fmt: skip
_OPERATION: Final = re.compile(r"\d\s*([-+−*x×/÷]|times|plus|minus)\s*\d(?![\d/-]*[-/]\d)")
_COMMON: Final = _set(
    "monday tuesday wednesday thursday friday saturday sunday january february march april june july august september "
    "october november december celsius fahrenheit json api url pdf html utc gmt am pm check see set start stop go "
    "say write ask answer reply compare between both"
)
