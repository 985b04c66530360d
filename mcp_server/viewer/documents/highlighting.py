"""Code in colours: classes of Pygments, no styles.

A lexer is a list of regular expressions, and some of Pygments' six hundred do not come to an end for code that is none:
lilypond takes the square of the length for letters, easytrieve far longer for tabs. A regular expression cannot be
stopped, and while one runs, nothing else in the process does. So only languages that were tried with such code get
colours. Of those, some take the square too, but say a token now and then: they are stopped there.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import escape
from io import StringIO
from time import thread_time
from typing import Final, TypeVar

from pygments.formatters.html import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

LANGUAGES: Final = frozenset(
    """
    ada awk bash batch c clojure cmake cobol coffeescript common-lisp console cpp cr csharp css cuda d dart delphi
    diff django docker ebnf elixir elm emacs-lisp erb erlang fortran fsharp gas glsl go graphql groovy haml handlebars
    haskell html html+django http ini java javascript json json5 jsx julia kotlin less llvm lua make markdown matlab
    mysql nasm nginx nimrod nixos objective-c ocaml perl php postgresql powershell prolog promql properties protobuf
    pug pycon python racket restructuredtext ruby rust scala scheme scss sed solidity splus sql sqlite3 swift
    terraform tex text toml tsx twig typescript verilog vhdl vim vue xml yaml zig
    """.split()  # noqa: SIM905 - words read better than a list of them
)
"""By the first of their names; Pygments knows the others."""
T = TypeVar("T")
_MOST: Final = 30_000
"""Characters of code that gets colours: it takes ten times as long as all else."""
_SECONDS: Final = 1
"""For one piece of code."""
_FORMATTER: Final = HtmlFormatter[str](nowrap=True)


def highlight(code: str, language: str) -> str:
    """Code as HTML; plain if nothing is known of its language, or if there is too much of it."""
    return (language and len(code) <= _MOST and coloured(code, language)) or escape(code, quote=False)


@lru_cache(maxsize=256)
def coloured(code: str, language: str) -> str | None:
    """Code in colours, if there are any for it."""
    written = StringIO()
    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
        if lexer.aliases[0] not in LANGUAGES:
            return None
        _FORMATTER.format(_in_time(lexer.get_tokens(code)), written)
    except (ClassNotFound, TimeoutError):
        return None
    return written.getvalue()


def _in_time(tokens: Iterable[T]) -> Iterator[T]:
    end = thread_time() + _SECONDS
    for token in tokens:
        if thread_time() > end:
            raise TimeoutError
        yield token
