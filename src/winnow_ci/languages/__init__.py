"""Languages: path → language, and content → tokens.

Three kinds of front end: a fast scanner for the families of languages that most code is written in (``families``,
``scanner``), Pygments for the several hundred others, and words for prose. Which one reads a language is fixed, and so
is what it yields for a given ``revision``; tokens of two front ends, or of two revisions, are not comparable.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from winnow_ci.languages import plain, scanner, tokens
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
    from collections.abc import Callable

    from winnow_ci.languages.families import Family
    from winnow_ci.model import Tokens

__all__ = [
    "Comment",
    "FrontEnd",
    "Untokenizable",
    "comment_marks",
    "comments",
    "endings",
    "front_end_of",
    "is_data",
    "is_license_text",
    "language_by_name",
    "language_of",
    "may_have_language",
    "names_in",
    "normalise",
    "resolve",
    "revisions",
    "tokenize",
]


@dataclass(frozen=True, slots=True)
class FrontEnd:
    """What reads a family of languages.

    Attributes:
        name: of the family: ``c``, ``python``, ``javascript``, ``java``, ``go``, ``pygments`` or ``text``.
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


def front_end_of(language: str) -> FrontEnd:
    """The front end of a language, given by the name that ``language_of`` and ``resolve`` return."""
    if language in PROSE:
        return _PROSE
    return _SCANNED.get(language) or _pygments()


def endings(front_end: FrontEnd) -> frozenset[str]:
    """Endings of the files that a fast scanner reads (``.c``, ``.h``, …), in lower case; none for other front ends."""
    return frozenset(f".{extension}" for extension, language in extensions() if _SCANNED.get(language) is front_end)


def tokenize(language: str, content: bytes) -> Tokens:
    """Tokens of a file's bytes.

    Raises:
        Untokenizable: the content is binary, or its lexer failed or took too long.
    """
    return front_end_of(language).tokenize(content, language)


def revisions() -> dict[str, str]:
    """Revision of every front end, by its name."""
    front_ends = (_PROSE, _pygments(), *_SCANNED.values())
    return {front_end.name: front_end.revision for front_end in front_ends}


def _revision(own: int | str) -> str:
    return f"{tokens.REVISION}.{own}"


def _scanning(family: Family) -> FrontEnd:
    return FrontEnd(family.name, _revision(family.revision), lambda text, _: scanner.scan(text, family))


_PROSE = FrontEnd("text", _revision(plain.REVISION), lambda text, _: plain.words(text))
_SCANNED = {language: _scanning(family) for family in FAMILIES for language in family.languages}


@lru_cache
def _pygments() -> FrontEnd:
    """Imported only when a file needs it."""
    lexer = importlib.import_module("winnow_ci.languages.pygments_lexer")
    return FrontEnd("pygments", _revision(lexer.REVISION), lexer.lex)
