"""The text of a licence → which licence it is.

The known texts are those of the library ``identify``. That compares by edit distance and accepts a difference of up to
5%: it takes the JSON licence, which is MIT plus "shall be used for Good, not Evil", for MIT, and does not recognise an
Apache licence without its appendix (decision 16). Here the words are compared side by side, in one pass. Names of
holders, addresses and spellings may differ, a few words at a time; one sentence more or less makes another licence.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import xxhash

from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

# Words that may be replaced at one place, on either side, and words that one side may have in addition.
_REPLACED = 10
_INSERTED = 5
# Words below a text: the names of its authors.
_SIGNED = 16
# At the start of a text of more than ``_LONG`` words, more may be replaced.
_LONG = 500
_AT_START = 40
# Words that must agree after a difference.
_AGREED = 4
# A difference with one of these words changes what is allowed.
_WEIGHTY = frozenset(
    "not evil good except commercial noncommercial nuclear military academic educational research only solely "
    "prohibited forbidden cannot evaluation internal trial personal private restriction restrictions".split()
)
_MOST_LINES_BEFORE = 200
_WORD = re.compile(r"[a-z]+|[0-9]+")
_END = ("end", "of", "terms", "and", "conditions")
_TITLE = re.compile(r"\W*(licen[cs]e|version|copyright|copyleft|\(c\)|©|all rights|https?:|portions|spdx-)")
_TITLES = frozenset({"license", "licence", "reserved"})
_TITLE_WORDS = 12
_NAME_WORDS = 8
_MOST_NAMES = 2
_COMMENT = re.compile(r"^[\s#*/;%|>=_-]+", re.MULTILINE)


class _Known(NamedTuple):
    name: str
    words: tuple[str, ...]


class RecognisedText(NamedTuple):
    """A licence text.

    Attributes:
        name: of SPDX, for the GNU licences without ``-only`` or ``-or-later``; None for an unknown text.
        digest: of its words.
    """

    name: str | None
    digest: bytes


def recognise(content: bytes) -> RecognisedText:
    """Say which licence a text is: all of it must be that licence, apart from a title and copyright lines."""
    words = _words_of(content.decode("utf-8", "replace"))
    digest = xxhash.xxh3_128_digest(" ".join(words).encode())
    names = {known.name for known in _known() if _is_same(known.words, words)}
    return RecognisedText(names.pop() if len(names) == 1 else None, digest)


@cache
def _known() -> tuple[_Known, ...]:
    """All known texts; those with an appendix also without it."""
    from identify.vendor.licenses import LICENSES  # noqa: PLC0415 - long, and seldom needed

    found = []
    for name, text in LICENSES:
        words = _words_of(text)
        found.append(_Known(name, words))
        body = _without_appendix(words)
        if body != words:
            found.append(_Known(name, body))
    return tuple(found)


def _words_of(text: str) -> tuple[str, ...]:
    lines = _COMMENT.sub("", text.lower()).splitlines()
    rest = lines[_before(lines) :]
    return tuple(word for word in _WORD.findall("\n".join(rest)) if not _is_mark(word))


def _before(lines: Sequence[str]) -> int:
    """How many lines precede the text itself: titles of the licence and the project, and copyright lines."""
    names = _MOST_NAMES
    for number, line in enumerate(lines[:_MOST_LINES_BEFORE]):
        words = _WORD.findall(line)
        if not words or (_TITLE.match(line) and (len(words) <= _TITLE_WORDS or "copyright" in line[:40])):
            continue
        if len(words) <= _TITLE_WORDS and not _TITLES.isdisjoint(words) and _WEIGHTY.isdisjoint(words):
            continue
        # A short line may be the name of a project, above the copyright.
        names -= len(words) <= _NAME_WORDS and _WEIGHTY.isdisjoint(words)
        if names < 0 or len(words) > _NAME_WORDS:
            return number
    return min(len(lines), _MOST_LINES_BEFORE)


def _is_mark(word: str) -> bool:
    """Whether a word may be the number of a clause."""
    return len(word) == 1 or (word.isdigit() and len(word) == 2)


def _without_appendix(words: tuple[str, ...]) -> tuple[str, ...]:
    for at in range(len(words) - len(_END) + 1):
        if words[at : at + len(_END)] == _END:
            return words[: at + len(_END)]
    return words


def _is_same(known: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether words are those of a known text in the same order, with small differences in a few places."""
    most = 4 + len(known) // 100
    one = other = differences = 0
    while one < len(known) and other < len(words):
        if known[one] == words[other]:
            one, other = one + 1, other + 1
            continue
        found = _next_agreement(known, one, words, other)
        differences += 1
        if found is None or differences > most:
            return False
        one, other = found
    rest = words[other:]
    return len(known) - one <= _INSERTED and len(rest) <= _SIGNED and _WEIGHTY.isdisjoint(rest)


def _next_agreement(known: tuple[str, ...], one: int, words: tuple[str, ...], other: int) -> tuple[int, int] | None:
    """Where both agree again after a small difference; None if they do not."""
    # What of a long text is its title depends on where its lines end.
    at_start = not (one and other) and len(known) > _LONG
    window = _AT_START if at_start else _REPLACED
    for distance in range(1, 2 * window + 1):
        for left in range(max(0, distance - window), min(distance, window) + 1):
            right = distance - left
            if _agree(known, one + left, words, other + right):
                small = _is_small(known[one : one + left], words[other : other + right])
                return (one + left, other + right) if small or at_start else None
    return None


def _agree(known: tuple[str, ...], one: int, words: tuple[str, ...], other: int) -> bool:
    """Whether both agree from here on: for some words, or to the end of both."""
    here = known[one : one + _AGREED]
    return bool(here or other == len(words)) and here == words[other : other + _AGREED]


def _is_small(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    if not _WEIGHTY.isdisjoint(set(left) ^ set(right)):
        return False
    return bool(left and right) or max(len(left), len(right)) <= _INSERTED
