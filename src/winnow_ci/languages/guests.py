"""Find guests: text that may be in any language, though the front end reads it as its own.

SQL has functions between dollar signs, in whatever language a clause names (PostgreSQL, ``CREATE FUNCTION``). They are
mostly SQL themselves, so the front end reads them as code. Where a quotation mark of a shell ends, nobody knows without
running it, so what is between two on different lines is read as code, lest it hide any. The same holds for Perl's and
Haskell's quotes with marks of one's own, and for what follows a program. ``code_in_text`` looks at all of these again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.languages.families import FAMILY_OF
from winnow_ci.languages.tokens import TextLine
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

# What opens and closes the text, which is the second group. What nothing closes goes on to the end.
_DOLLARS = compiled_on_use(rb"(\$(?:[A-Za-z_\x80-\xff][\w\x80-\xff]{0,62})?\$)([^\0]*?)(?:\1|\0|\Z)")
# A list ends near by, and on its line. Looking further would take time that grows with the square of a long line.
_QUASI_QUOTES = compiled_on_use(rb"(\[[\w.']{1,60}\|)(?![^\n\]]{0,100}\])([^\0]*?)(?:\|\]|\0|\Z)")
_AT_THE_END = compiled_on_use(rb"(^__END__$)([^\0]*)", re.MULTILINE)
_PERL = compiled_on_use(
    rb"(?:(?<![\w$@%&>])q[qx]?\s{0,9}([~!#|^,;:/?.+*-])|^__(?:END|DATA)__$)([^\0]*?)(?:\1|\0|\Z)", re.MULTILINE
)
# A line of a shell without the strings that end on it.
_ENDED = compiled_on_use(rb"""\\.|'[^']*'|"(?:\\.|[^"\\])*\"""")
_QUOTED = compiled_on_use(rb"""^(?![ \t]*\#)[^'"\n]*['"][^\n]*""", re.MULTILINE)
_QUOTE = compiled_on_use(rb"""['"]""")


def guest_lines(language: str, text: bytes) -> NDArray[np.bool_]:
    """Mark the lines of a normalised document that hold guests: bool, one a line."""
    inside = np.zeros(text.count(b"\n") + 1, np.bool_)
    for line, body in _FORMS[FAMILY_OF[language].name](text):
        inside[line - 1 : line + body.count(b"\n")] = True
    return inside


def guests(language: str, text: bytes) -> Iterator[TextLine]:
    """Yield the lines of all guests, in order."""
    for line, body in _FORMS[FAMILY_OF[language].name](text):
        yield from (TextLine(line + number, part) for number, part in enumerate(body.split(b"\n")))


def has_guests(language: str) -> bool:
    """Whether a language may have guests."""
    return language in FAMILY_OF and FAMILY_OF[language].name in _FORMS


def _between(marks: re.Pattern[bytes]) -> Callable[[bytes], Iterator[tuple[int, bytes]]]:
    """Finds guests between marks, each with the line on which it begins."""

    def found(text: bytes) -> Iterator[tuple[int, bytes]]:
        line, seen = 1, 0
        for guest in marks.finditer(text):
            line += text.count(b"\n", seen, seen := guest.start(2))
            yield line, guest[2]

    return found


def _between_open_quotes(text: bytes) -> Iterator[tuple[int, bytes]]:
    """From the first line that may leave a string of a shell open to the last one, or to the end if it is the only."""
    opened = [line for line in _QUOTED.finditer(text) if _QUOTE.search(_ENDED.sub(b"", line[0]))]
    if opened:
        start, end = opened[0].start(), opened[-1].end() if opened[1:] else len(text)
        yield 1 + text.count(b"\n", 0, start), text[start:end]


_FORMS = {
    "haskell": _between(_QUASI_QUOTES),
    "perl": _between(_PERL),
    "ruby": _between(_AT_THE_END),
    "shell": _between_open_quotes,
    "sql": _between(_DOLLARS),
}
"""Family → finds its guests."""
