"""Languages: path → language, and content → tokens.

Three kinds of front end: a table-driven tokenizer for the languages that most code is written in (``families``,
``table_tokenizer``; ``markup_tokenizer`` cuts documents that hold scripts and styles), Pygments for several hundred
others, and words for prose. Which one reads a language is fixed, and so is what it yields for a given ``revision``;
tokens of two front ends, or of two revisions, are not comparable.

Pygments may fail on a text, or never end (``lexing``). Then the fallback tokenizer reads it, which always succeeds. So
that its tokens can be compared, an index has both readings of content in Pygments' languages; ``readings`` gives both.
"""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import TYPE_CHECKING

from winnow_ci.languages import (
    declared_encoding,
    fallback_tokenizer,
    markup_tokenizer,
    notebook_tokenizer,
    prose_tokenizer,
    table_tokenizer,
    tokens,
    whole_data,
)
from winnow_ci.languages.comment_marks import comment_marks
from winnow_ci.languages.comments import comments
from winnow_ci.languages.data_files import is_archive, is_data
from winnow_ci.languages.families import FAMILIES
from winnow_ci.languages.identifiers import names_in
from winnow_ci.languages.idle_statements import idle_statements
from winnow_ci.languages.import_statements import in_imports
from winnow_ci.languages.known_texts import LICENCE_TEXT
from winnow_ci.languages.language_detection import (
    BINARY_DATA,
    LARGEST_FILE,
    METADATA,
    PROSE,
    UNKNOWN_LANGUAGE,
    extensions,
    is_binary_data,
    is_drawing,
    is_license_page,
    is_license_text,
    language_by_name,
    language_names,
    language_of,
    may_have_language,
    resolve,
    skip_by_path_and_size,
)
from winnow_ci.languages.line_state import keeps_reading
from winnow_ci.languages.normalisation import BINARY_CONTENT, normalise
from winnow_ci.languages.number_values import NumberValue, TextNumbers
from winnow_ci.languages.prose_tokenizer import shows_license
from winnow_ci.languages.quoted_code import QuotedCode, may_quote, quoted_code
from winnow_ci.languages.token_limit import MOST_TOKENS
from winnow_ci.languages.tokens import Untokenizable
from winnow_ci.languages.whole_data import DATA, DATA_SIZES, is_whole_data, may_be_whole_data
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Set as AbstractSet

    from winnow_ci.languages.families import LanguageFamily
    from winnow_ci.model import Tokens

__all__ = [
    "BINARY_CONTENT",
    "BINARY_DATA",
    "DATA",
    "DATA_SIZES",
    "FALLBACK",
    "LARGEST_FILE",
    "LICENCE_TEXT",
    "MOST_TOKENS",
    "UNKNOWN_LANGUAGE",
    "FrontEnd",
    "NumberValue",
    "QuotedCode",
    "TextNumbers",
    "TokenizedContent",
    "Untokenizable",
    "comment_marks",
    "comments",
    "endings",
    "front_end_named",
    "front_end_of",
    "front_ends_of",
    "idle_statements",
    "in_imports",
    "is_archive",
    "is_binary_data",
    "is_data",
    "is_drawing",
    "is_license_page",
    "is_license_text",
    "is_whole_data",
    "keeps_reading",
    "language_at",
    "language_by_name",
    "language_names",
    "language_of",
    "may_be_whole_data",
    "may_have_language",
    "may_quote",
    "names_in",
    "normalise",
    "quoted_code",
    "read",
    "readings",
    "resolve",
    "revisions",
    "shows_license",
    "skip_by_path_and_size",
    "tokenize",
]

FALLBACK = fallback_tokenizer.NAME
"""The name of the fallback tokenizer, and of the one language that it knows."""


class FrontEnd(NamedTuple):
    """Turns the text of a family of languages into tokens.

    Attributes:
        name: of the family (``c``, ``python``, …), ``markup``, ``pygments``, ``text`` or ``generic``.
        alphabets: names that seed the ids of its tokens; front ends that share one can match each other.
        revision: changes whenever the tokens of some content do.
        read: normalised text and language → tokens.
        shortest_text: tokens of the shortest copy, where only what is the same word for word is one; 0 for code.
    """

    name: str
    alphabets: frozenset[str]
    revision: str
    read: Callable[[bytes, str], Tokens]
    shortest_text: int = 0

    def tokenize(self, content: bytes, language: str) -> Tokens:
        """Tokens of a file's bytes.

        Raises:
            Untokenizable: the content is binary, or its lexer failed or took too long.
        """
        return self.read(normalise(content), language)


class TokenizedContent(NamedTuple):
    """A content's tokens.

    Attributes:
        tokens: the tokens.
        front_end: what made them.
        failure: why the fallback tokenizer had to make them, if it had to.
    """

    tokens: Tokens
    front_end: FrontEnd
    failure: str | None = None


def front_end_of(language: str) -> FrontEnd:
    """The front end of a language, by the name that ``language_of`` and ``resolve`` return; or of ``FALLBACK``."""
    if language in PROSE | METADATA:
        return _PROSE
    if language in _OWN:
        return _OWN[language]
    return _SCANNED.get(language) or _pygments()


def front_end_named(name: str) -> FrontEnd:
    """The front end of that name."""
    return _BY_NAME[name] if name in _BY_NAME else _pygments()


def front_ends_of(language: str) -> tuple[FrontEnd, ...]:
    """The front ends that may have to read a language: its own, and the fallback tokenizer if that may fail."""
    own = front_end_of(language)
    return (own, _FALLBACK) if own.name == "pygments" else (own,)


def language_at(path: str, content: bytes, line: int) -> str | None:
    """The language at the beginning of a line (1-based): that of the file, or of a script or style in it.

    Raises:
        Untokenizable: the content is binary.
    """
    language = language_of(path, content)
    return (language in markup_tokenizer.LANGUAGES and markup_tokenizer.language_at(content, line)) or language


def endings(front_end: FrontEnd) -> frozenset[str]:
    """Lower-case endings (``.c``, …) of files whose code can match a front end's; none if it is not table-driven.

    A script may stand in a ``.js`` or a ``.vue`` file.
    """
    alphabets = {language: other.alphabets for language, other in _SCANNED.items()}
    return frozenset(
        f".{extension}" for extension, language in extensions() if alphabets.get(language, set()) & front_end.alphabets
    )


def tokenize(language: str, content: bytes) -> Tokens:
    """Tokens of a file's bytes.

    Raises:
        Untokenizable: the content is binary, or its lexer failed or took too long.
    """
    return front_end_of(language).tokenize(content, language)


def read(language: str, content: bytes) -> TokenizedContent:
    """Read a file's bytes by the front end of its language or, if that fails, by the fallback tokenizer.

    Raises:
        Untokenizable: the content is binary, a Git LFS pointer, or the text of a licence.
        LexerError: no process can be started to lex in.
    """
    own = front_end_of(language)
    return next(readings(language, content, own.alphabets))


def readings(language: str, content: bytes, wanted: AbstractSet[str] | None = None) -> Iterator[TokenizedContent]:
    """Read a file's bytes by each front end that may have to read its language.

    Args:
        language: its language.
        content: its bytes.
        wanted: alphabets of the front ends that matter; by default all. The fallback replaces one that fails.

    Raises:
        Untokenizable, LexerError: as for ``read``.
    """
    if language in declared_encoding.LANGUAGES:
        declared_encoding.check(content)
    text = normalise(content)
    for front_end in front_ends_of(language):
        if wanted is None or front_end.alphabets & wanted:
            try:
                yield TokenizedContent(front_end.read(text, language), front_end)
            except Untokenizable as failure:
                if front_end.name != "pygments":
                    raise
                yield TokenizedContent(_FALLBACK.read(text, language), _FALLBACK, failure.reason)
                return


def revisions() -> dict[str, str]:
    """Revision of every front end, by its name."""
    front_ends = (_PROSE, *_OWN.values(), _pygments(), *_SCANNED.values())
    return {front_end.name: front_end.revision for front_end in front_ends}


def _front_end(name: str, revision: int | str, read: Callable[[bytes], Tokens], *alphabets: str) -> FrontEnd:
    """One that reads all of its languages alike; ``name`` is its alphabet unless others are given."""
    revision = f"{tokens.REVISION}.{revision}"
    return FrontEnd(name, frozenset(alphabets or (name,)), revision, lambda text, _: read(text))


def _of_family(family: LanguageFamily) -> FrontEnd:
    return _front_end(family.name, family.revision, lambda text: table_tokenizer.tokenize(text, family))


_PROSE = _front_end("text", prose_tokenizer.REVISION, prose_tokenizer.tokenize)._replace(
    shortest_text=prose_tokenizer.SHORTEST_COPY
)
_FALLBACK = _front_end(
    FALLBACK,
    fallback_tokenizer.REVISION,
    lambda text: fallback_tokenizer.tokenize(prose_tokenizer.without_known_texts(text)),
)
_OWN = {FALLBACK: _FALLBACK, DATA: _front_end(DATA, whole_data.REVISION, whole_data.tokenize)}
_MARKUP = _front_end(
    "markup", markup_tokenizer.REVISION, markup_tokenizer.tokenize, *(each.name for each in markup_tokenizer.FAMILIES)
)
_NOTEBOOK = _front_end(
    notebook_tokenizer.LANGUAGE,
    notebook_tokenizer.REVISION,
    notebook_tokenizer.tokenize,
    *notebook_tokenizer.KERNELS,
)
_SCANNED = {
    **{language: _of_family(family) for family in FAMILIES for language in family.languages},
    **dict.fromkeys(markup_tokenizer.LANGUAGES, _MARKUP),
    notebook_tokenizer.LANGUAGE: _NOTEBOOK,
}
_BY_NAME = {front_end.name: front_end for front_end in (_PROSE, *_OWN.values(), *_SCANNED.values())}


@lru_cache
def _pygments() -> FrontEnd:
    """Made when a file needs it: importing Pygments takes time."""
    lexer = importlib.import_module("winnow_ci.languages.pygments_lexer")
    return FrontEnd("pygments", frozenset({"pygments"}), f"{tokens.REVISION}.{lexer.REVISION}", lexer.lex)
