"""What people and models are told of the viewer: each text in Korean and in English.

It is Korean that is said, unless `STRICTCALL_LANG` is `en`.
"""

import os
from collections import defaultdict
from typing import Any, Final

_TEXTS: Final = {
    "opened": (
        "뷰어가 열렸습니다.\n- Window ID: {windowId}\n- 제목: {title}",
        "The viewer is open.\n- Window ID: {windowId}\n- Title: {title}",
    ),
    "updated": (
        "뷰어가 업데이트되었습니다.\n- Window ID: {windowId}\n- 제목: {title}",
        "The viewer was updated.\n- Window ID: {windowId}\n- Title: {title}",
    ),
    "closed": ("뷰어를 닫았습니다. (Window ID: {windowId})", "The viewer was closed. (Window ID: {windowId})"),
    "closed_all": ("모든 뷰어를 닫았습니다. ({closed}개)", "All viewers were closed. ({closed})"),
    "listed": ("열린 뷰어: {number}개\n{lines}", "Open viewers: {number}\n{lines}"),
    "viewer": ("{place}. {title} (ID: {windowId})", "{place}. {title} (ID: {windowId})"),
    "pinned_viewer": ("{place}. {title} (ID: {windowId}, 항상 위)", "{place}. {title} (ID: {windowId}, always on top)"),
    "no_viewers": ("(없음)", "(none)"),
    "error": ("오류: {message}", "Error: {message}"),
    "reach_it": (
        "직접 시작하려면: strictcall viewer. 다른 앱은 STRICTCALL_VIEWER_APP에 그 명령을 지정하세요. 로그: {log}",
        "To start it by hand: strictcall viewer. For another app, set STRICTCALL_VIEWER_APP to its command. Log: {log}",
    ),
    "look_again": (
        "열린 창의 ID는 list_viewers로 확인하세요.",
        "list_viewers has the IDs of the windows that are open.",
    ),
    "not_started": ("{command}: 시작하지 못했습니다 ({why})", "{command} could not be started ({why})"),
    "ended": ("{command}: 종료되었습니다 (코드 {code})", "{command} has ended (exit code {code})"),
    "silent": ("{command}: 5초 안에 응답하지 않았습니다", "{command} did not answer within 5 seconds"),
    "not_shown": (
        "창을 띄울 브라우저가 없습니다. STRICTCALL_VIEWER_BROWSER로 지정하거나 주소를 여세요: strictcall view --list",
        "No browser can show it. Name one by STRICTCALL_VIEWER_BROWSER, or open its address: strictcall view --list",
    ),
}
_ERRORS: Final = {
    "nothing": ("content 또는 filePath 중 하나는 필수입니다", "content or filePath is required"),
    "no_window": ("windowId는 필수입니다", "windowId is required"),
    "too_large": ("콘텐츠 크기가 10MB를 초과합니다", "The content is larger than 10MB"),
    "refused": ("10MB까지의 .md, .markdown, .txt 파일만 열 수 있습니다: {filePath}", ""),
    "unreadable": ("파일이 없거나 읽을 수 없습니다: {filePath}", ""),
    "timeout": ("요청 시간이 초과되었습니다 (10초)", "The request timed out (10 seconds)"),
    "internal": (
        "뷰어 앱에서 문제가 생겼습니다. 내용은 앱의 로그에 있습니다.",
        "Something went wrong in the viewer app. Its log has the details.",
    ),
    "nonsense": ("뷰어 앱의 응답을 읽을 수 없습니다.", "The answer of the viewer app cannot be read."),
    "lost": (
        "뷰어 앱과의 연결이 끊어졌습니다. 다시 시도하면 새로 연결합니다.",
        "The connection to the viewer app was lost. Try again: it connects anew.",
    ),
    "unreachable": (
        "Electron 앱에 연결할 수 없습니다. 앱이 설치되었는지 확인하세요.",
        "Cannot connect to the viewer app. Check that it is installed.",
    ),
}


def say(name: str, **values: Any) -> str:
    """A text, with these values in it."""
    return _chosen(_TEXTS[name]).format_map(values)


def explain(code: str, otherwise: str = "", **values: Any) -> str:
    """What an error means; if there is no text for it, what the app has said."""
    return _chosen(_ERRORS.get(code, ("", ""))).format_map(defaultdict(str, values)) or otherwise


def _chosen(texts: tuple[str, str]) -> str:
    korean, english = texts
    return english if os.environ.get("STRICTCALL_LANG", "").lower().startswith("en") else korean
