"""What a page says of itself, in Korean and in English. What the tools answer is in `texts`."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from mcp_server.viewer.documents.folder import Why


class Notice(NamedTuple):
    """What a page says instead of a document."""

    heading: str
    text: str


class Labels(NamedTuple):
    """The words of one language."""

    language: str
    skip: str
    documents: str
    contents: str
    back: str
    forward: str
    theme: str
    print: str
    pin: str
    pinned: str
    unpin: str
    keys: str
    close: str
    copy: str
    copied: str
    writing: str
    away: str
    gone: str
    key_help: tuple[tuple[str, str], ...]
    closed: Notice
    used: Notice
    missing: Notice
    nowhere: Notice
    refused: str
    reasons: Mapping[Why, str]
    failed: Notice


KOREAN: Final = Labels(
    language="ko",
    skip="본문으로",
    documents="문서",
    contents="목차",
    back="뒤로",
    forward="앞으로",
    theme="밝게 / 어둡게",
    print="인쇄",
    pin="항상 위에",
    pinned="이 문서는 다른 창 위에 떠 있습니다.",
    unpin="이 창으로 되돌리기",
    keys="단축키",
    close="닫기",
    copy="복사",
    copied="복사됨",
    writing="쓰는 중…",
    away="뷰어와 연결이 끊겼습니다. 마지막으로 본 내용입니다. 뷰어가 끝났다면 문서를 다시 열어 주세요.",
    gone="파일을 찾을 수 없습니다. 마지막으로 읽은 내용을 보여 드리며, 파일이 돌아오면 이어집니다.",
    key_help=(
        ("?", "이 도움말"),
        ("t", "목차"),
        ("s", "문서 목록"),
        ("d", "밝게 / 어둡게"),
        ("p", "항상 위에"),
        ("j k", "아래로 · 위로"),
        ("[ ]", "이전 제목 · 다음 제목"),
        ("Alt+← Alt+→", "뒤로 · 앞으로"),
        ("Esc", "닫기"),
    ),
    closed=Notice("닫힌 창입니다", "이 창은 닫혔습니다. 이 탭은 닫으셔도 됩니다."),
    used=Notice("이미 쓰인 주소입니다", "창을 여는 주소는 한 번만 쓸 수 있습니다. 문서를 다시 열어 주세요."),
    missing=Notice(
        "문서를 찾을 수 없습니다", "이 문서의 폴더에 그런 파일이 없습니다. 파일이 생기면 여기에 나타납니다."
    ),
    nowhere=Notice("여기에는 아무것도 없습니다", "창마다 주소가 따로 있습니다. 보려면: strictcall view --list"),
    refused="열 수 없습니다",
    reasons={
        "outside": "열린 문서의 폴더 안에 있는 파일만 볼 수 있습니다.",
        "other": "Markdown 문서(.md, .markdown, .txt)와 그림만 볼 수 있습니다.",
        "unused": "문서에 들어 있는 그림만 볼 수 있습니다.",
        "large": "파일이 너무 큽니다. 문서는 10 MB까지, 그림은 50 MB까지 볼 수 있습니다.",
        "alone": "이 창은 파일이 아니라 글을 보여 줍니다. 그 곁에는 아무것도 없습니다.",
    },
    failed=Notice("보여 드리지 못했습니다", "뷰어에 문제가 생겼습니다. 새로 고쳐 보시고, 그래도 같으면 알려 주세요."),
)
ENGLISH: Final = Labels(
    language="en",
    skip="Skip to the text",
    documents="Documents",
    contents="Contents",
    back="Back",
    forward="Forward",
    theme="Light or dark",
    print="Print",
    pin="Keep on top",
    pinned="This document floats above the other windows.",
    unpin="Bring it back here",
    keys="Keys",
    close="Close",
    copy="Copy",
    copied="Copied",
    writing="writing…",
    away="The viewer is not answering. This is what it showed last; if it has ended, open the document again.",
    gone="The file is gone. This is what it said last; it goes on when the file is back.",
    key_help=(
        ("?", "This help"),
        ("t", "Contents"),
        ("s", "Documents"),
        ("d", "Light or dark"),
        ("p", "Keep on top"),
        ("j k", "Down · up"),
        ("[ ]", "Previous heading · next heading"),
        ("Alt+← Alt+→", "Back · forward"),
        ("Esc", "Close"),
    ),
    closed=Notice("This window is closed", "You can close this tab."),
    used=Notice("This address has been used", "An address that opens a window works once. Open the document again."),
    missing=Notice(
        "No such document", "There is no such file in the document's folder. It appears here once there is."
    ),
    nowhere=Notice("Nothing is here", "Each window has an address of its own. To see them: strictcall view --list"),
    refused="This cannot be opened",
    reasons={
        "outside": "Only files in the opened document's folder are shown.",
        "other": "Only Markdown documents (.md, .markdown, .txt) and images are shown.",
        "unused": "Only images that a document uses are shown.",
        "large": "The file is too large: a document may have 10 MB, an image 50 MB.",
        "alone": "This window shows a text, not a file: there is nothing beside it.",
    },
    failed=Notice(
        "This could not be shown", "Something went wrong in the viewer. Reload the page; if it stays, report it."
    ),
)


def choose(accepted: str) -> Labels:
    """The words that a browser would rather have: `ko-KR,ko;q=0.9,en`."""
    for asked in accepted.lower().split(","):
        for labels in (KOREAN, ENGLISH):
            if asked.strip().startswith(labels.language):
                return labels
    return ENGLISH
