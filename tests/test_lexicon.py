"""The words of all dialects together."""

from reading import ALL

from proxy.core.lexicon import Place, lexicon
from proxy.core.tools import Tools

WORDS = lexicon(ALL, Tools.named(["search"]))


def test_no_word_that_counts_anywhere_begins_like_prose() -> None:
    """A delta of prose goes out unread as long as nothing in it may begin such a word."""
    anywhere = [
        word
        for word in WORDS.listed(Place.MIDDLE)
        if word[0].isalnum() or word[0].isspace() or word[0] in ".,;:!?'\"()-"
    ]
    assert not anywhere


def test_prose_passes_unread_across_lines_and_tags_that_are_nobodys() -> None:
    search, _ = WORDS.run(())
    for delta in (" the ", "a\nb", "x < y", "(z)", "[1] ", "<b> ", "it's", '"q"', "{x}", "\n+ a"):
        assert search(delta) is None, delta
    for delta in ("<t", "\n", "a\n{", "\n```", "[T", "a\n s", "<"):
        assert search(delta), delta
