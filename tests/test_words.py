"""Words found at any cut: everything else stands on this."""

import pytest

from proxy.core.words import Words

WORDS = Words(("<tool_call>", "<tool_calls>", "<tool_call", "[x]", "Action:"))


@pytest.mark.parametrize(
    ("text", "final", "expected"),
    [
        ("nothing here", False, (12, None)),
        ("a <tool_calls> b", False, (2, "<tool_calls>")),
        ("a <TOOL_CALL> b", False, (2, "<tool_call>")),
        ("a <tool_call b", False, (2, "<tool_call")),
        # The longest word counts, so a shorter one waits while the longer is possible.
        ("a <tool_call", False, (2, None)),
        ("a <tool_call", True, (2, "<tool_call")),
        ("a <tool", False, (2, None)),
        ("a <tool", True, (7, None)),
        ("a < b [x", False, (6, None)),
        ("a < b [x", True, (8, None)),
        ("<<[x]", False, (2, "[x]")),
        ("action: x", False, (0, "Action:")),
    ],
)
def test_find(text: str, final: bool, expected: tuple[int, str | None]) -> None:
    assert WORDS.find(text, 0, final=final) == expected


@pytest.mark.parametrize(
    ("text", "may"), [("plain", False), ("a < b", False), ("a <t", True), ("a <", True), ("[y]", False), ("[", True)]
)
def test_search_tells_whether_a_word_may_begin(text: str, may: bool) -> None:
    assert bool(WORDS.search(text)) is may


def test_no_words_are_never_found() -> None:
    assert Words(()).find("anything", 0, final=True) == (8, None)
    assert Words(()).search("anything") is None
