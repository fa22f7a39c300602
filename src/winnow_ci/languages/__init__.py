"""Languages: path → language, and content → tokens.

Three kinds of front end: a fast scanner for the families of languages that most code is written in (``families``,
``scanner``), Pygments for the several hundred others, and words for prose. Which one reads a language is fixed, and so
is what it yields for a given ``revision``; tokens of two front ends, or of two revisions, are not comparable.

Pygments may fail on a text, or not end (``lexing``). Then a fallback tokenizer (``generic``) reads it, which cannot.
So that this can be compared, an index has both readings of what is in Pygments' languages, and ``readings`` gives both.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from winnow_ci.languages import generic, plain, scanner, tokens
from winnow_ci.languages.comment_marks import comment_marks
from winnow_ci.languages.comments import Comment, comments
from winnow_ci.languages.detect import (
    PROSE,
    extensions,
    is_data,
    is_license_text,
    language_by_name,
    language_of,
    may_have_language,
    resolve,
)
from winnow_ci.languages.families import FAMILIES
from winnow_ci.languages.names import names_in
from winnow_ci.languages.text import normalise
from winnow_ci.languages.tokens import Untokenizable

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator

    from winnow_ci.languages.families import Family
    from winnow_ci.model import Tokens

__all__ = [
    "FALLBACK",
    "Comment",
    "FrontEnd",
    "Reading",
    "Untokenizable",
    "comment_marks",
    "comments",
    "endings",
    "front_end_of",
    "front_ends_of",
    "is_data",
    "is_license_text",
    "language_by_name",
    "language_of",
    "may_have_language",
    "names_in",
    "normalise",
    "read",
    "readings",
    "resolve",
    "revisions",
    "tokenize",
]

FALLBACK = generic.NAME
"""The language that everything is in to the fallback tokenizer, and the name of this front end."""


@dataclass(frozen=True, slots=True)
class FrontEnd:
    """What reads a family of languages.

    Attributes:
        name: of the family (``c``, ``python``, …), ``pygments``, ``text`` or ``generic``.
        revision: changes whenever the tokens of some content do.
        read: normalised text and language → tokens.
    """

    name: str
    revision: str
    read: Callable[[bytes, str], Tokens]

    def tokenize(self, content: bytes, language: str) -> Tokens:
        """Tokens of a file's bytes.

        Raises:
            Untokenizable: the content is binary, or its lexer failed or took too long.
        """
        return self.read(normalise(content), language)


class Reading(NamedTuple):
    """A content after a front end.

    Attributes:
        tokens: its tokens.
        front_end: what made them.
        failure: why the fallback tokenizer had to, if it had to.
    """

    tokens: Tokens
    front_end: FrontEnd
    failure: str | None = None


def front_end_of(language: str) -> FrontEnd:
    """The front end of a language, given by the name that ``language_of`` and ``resolve`` return.

    That of ``FALLBACK`` is the fallback tokenizer.
    """
    if language in PROSE:
        return _PROSE
    if language == FALLBACK:
        return _FALLBACK
    return _SCANNED.get(language) or _pygments()


def front_ends_of(language: str) -> tuple[FrontEnd, ...]:
    """The front ends that may have to read a language: its own, and the fallback tokenizer if that may fail."""
    own = front_end_of(language)
    return (own, _FALLBACK) if own.name == "pygments" else (own,)


def endings(front_end: FrontEnd) -> frozenset[str]:
    """Endings of the files that a fast scanner reads (``.c``, ``.h``, …), in lower case; none for other front ends."""
    return frozenset(f".{extension}" for extension, language in extensions() if _SCANNED.get(language) is front_end)


def tokenize(language: str, content: bytes) -> Tokens:
    """Tokens of a file's bytes.

    Raises:
        Untokenizable: the content is binary, or its lexer failed or took too long.
    """
    return front_end_of(language).tokenize(content, language)


def read(language: str, content: bytes) -> Reading:
    """Read a file's bytes by the front end of its language or, if that fails, by the fallback tokenizer.

    Raises:
        Untokenizable: the content is binary, or stands for content that is not here.
        LexerError: no process can be started to lex in.
    """
    own = front_end_of(language)
    return next(readings(language, content, {own.name}))


def readings(language: str, content: bytes, wanted: Container[str] | None = None) -> Iterator[Reading]:
    """Read a file's bytes by each front end that may have to read its language.

    Args:
        language: its language.
        content: its bytes.
        wanted: names of the front ends that matter; by default all. One that fails is stood in for by the fallback.

    Raises:
        Untokenizable, LexerError: as for ``read``.
    """
    text = normalise(content)
    for front_end in front_ends_of(language):
        if wanted is None or front_end.name in wanted:
            try:
                yield Reading(front_end.read(text, language), front_end)
            except Untokenizable as failure:
                yield Reading(_FALLBACK.read(text, language), _FALLBACK, failure.reason)
                return


def revisions() -> dict[str, str]:
    """Revision of every front end, by its name."""
    front_ends = (_PROSE, _FALLBACK, _pygments(), *_SCANNED.values())
    return {front_end.name: front_end.revision for front_end in front_ends}


def _revision(own: int | str) -> str:
    return f"{tokens.REVISION}.{own}"


def _scanning(family: Family) -> FrontEnd:
    return FrontEnd(family.name, _revision(family.revision), lambda text, _: scanner.scan(text, family))


_PROSE = FrontEnd("text", _revision(plain.REVISION), lambda text, _: plain.words(text))
_FALLBACK = FrontEnd(generic.NAME, _revision(generic.REVISION), lambda text, _: generic.words_and_marks(text))
_SCANNED = {language: _scanning(family) for family in FAMILIES for language in family.languages}


@lru_cache
def _pygments() -> FrontEnd:
    """Imported only when a file needs it."""
    lexer = importlib.import_module("winnow_ci.languages.pygments_lexer")
    return FrontEnd("pygments", _revision(lexer.REVISION), lexer.lex)
