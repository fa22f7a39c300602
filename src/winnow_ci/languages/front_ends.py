"""Choose the front end of a language, and read contents with it.

There are three kinds: a table-driven tokenizer for the languages that most code is written in (``families``;
``markup_tokenizer`` cuts documents that hold scripts and styles), Pygments for several hundred others, and words for
prose. Tokens of two front ends, or of two ``revision``s of one, are not comparable.

Pygments may fail on a text, or never end. Then the fallback tokenizer reads it, which always succeeds. So that its
tokens can be compared, an index has both readings of content in Pygments' languages; ``readings`` gives both.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache, partial

from winnow_ci.languages import markup_tokenizer, notebook_tokenizer, words
from winnow_ci.languages.families import FAMILIES
from winnow_ci.languages.language_detection import DATA, METADATA, PROSE, extensions, language_of
from winnow_ci.languages.markup_tokenizer import MARKUP_PARTS
from winnow_ci.languages.normalisation import check_declared_encoding, normalise
from winnow_ci.languages.table_tokenizer import family_tokens
from winnow_ci.languages.tokens import TOKENS_REVISION, Untokenizable
from winnow_ci.languages.words import FALLBACK
from winnow_ci.model import Tokens
from winnow_ci.named_tuples import NamedTuple

_DECLARING = frozenset({"python", "python2", "cython"})


class FrontEnd(NamedTuple):
    """Turns the text of a family of languages into tokens."""

    name: str  # of the family (``c``, ``python``, …), ``markup``, ``pygments``, ``text`` or ``generic``
    alphabets: frozenset[str]  # names that seed the ids of its tokens; front ends that share one can match each other
    revision: str  # changes whenever the tokens of some content do
    read: Callable[[bytes, str], Tokens]  # of normalised text and a language
    shortest_text: int = 0  # tokens of the shortest copy, where only what is the same word for word is one; 0 for code


class TokenizedContent(NamedTuple):
    """A content's tokens, and what made them."""

    tokens: Tokens
    front_end: FrontEnd
    failure: str | None = None  # why the fallback tokenizer had to make them, if it had to


def front_end_of(language: str) -> FrontEnd:
    """Return the front end of a language, by the name that ``language_of`` returns; or of ``FALLBACK`` or ``DATA``."""
    return _PROSE if language in PROSE | METADATA else _BY_LANGUAGE.get(language) or _pygments()


def front_end_named(name: str) -> FrontEnd:
    """Return the front end of that name."""
    return _BY_NAME.get(name) or _pygments()


def front_ends_of(language: str) -> tuple[FrontEnd, ...]:
    """Return the front ends that may have to read a language: its own, and the fallback if that may fail."""
    own = front_end_of(language)
    return (own, _FALLBACK) if own.name == "pygments" else (own,)


def language_at(path: str, content: bytes, line: int) -> str | None:
    """Return the language at the beginning of a line (1-based): of the file, or of a script or style in it."""
    language = language_of(path, content)
    return (language in markup_tokenizer.LANGUAGES and markup_tokenizer.part_language_at(content, line)) or language


def endings(front_end: FrontEnd) -> frozenset[str]:
    """Return the lower-case endings (``.c``, …) of files whose code can match that of a table-driven front end."""
    return frozenset(
        f".{extension}"
        for extension, language in extensions()
        if language in _SCANNED and _SCANNED[language].alphabets & front_end.alphabets
    )


def tokenize(language: str, content: bytes) -> Tokens:
    """Make the tokens of a file's bytes by the front end of its language; ``Untokenizable`` if that fails."""
    return front_end_of(language).read(normalise(content), language)


def first_reading(language: str, content: bytes) -> TokenizedContent:
    """Read a file's bytes by the front end of its language or, if that fails, by the fallback tokenizer.

    ``Untokenizable`` if the content is binary, a Git LFS pointer or a licence, ``LexerError`` if no process can lex.
    """
    return next(readings(language, content, front_end_of(language).alphabets))


def readings(language: str, content: bytes, wanted: AbstractSet[str] | None = None) -> Iterator[TokenizedContent]:
    """Read a file's bytes by each front end that may have to read its language; the fallback replaces one that fails.

    ``wanted`` are the alphabets of the front ends that matter; by default all. Raises what ``first_reading`` does.
    """
    if language in _DECLARING:
        check_declared_encoding(content)
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
    """Return the revision of every front end, by its name."""
    front_ends = (_PROSE, *_OWN.values(), _pygments(), *_SCANNED.values())
    return {front_end.name: front_end.revision for front_end in front_ends}


def _front_end(name: str, revision: int | str, read: Callable[[bytes], Tokens], *alphabets: str) -> FrontEnd:
    """Make one that reads all of its languages alike; ``name`` is its alphabet unless others are given."""
    return FrontEnd(name, frozenset(alphabets or (name,)), f"{TOKENS_REVISION}.{revision}", lambda text, _: read(text))


def _read_data(text: bytes) -> Tokens:
    """Make tokens that only show what was copied: the file as a whole is what is compared."""
    # Refuses the text of a licence.
    words.prose_tokens(text)
    return words.fallback_tokens(text)


_PROSE = _front_end("text", words.PROSE_REVISION, words.prose_tokens)._replace(shortest_text=words.SHORTEST_COPY)
_FALLBACK = _front_end(
    FALLBACK, words.FALLBACK_REVISION, lambda text: words.fallback_tokens(words.without_known_texts(text))
)
_MARKUP = _front_end(
    "markup", markup_tokenizer.REVISION, markup_tokenizer.tokenize, *(each.name for each in MARKUP_PARTS)
)
_NOTEBOOK = _front_end(
    "notebook", notebook_tokenizer.REVISION, notebook_tokenizer.tokenize, *notebook_tokenizer.KERNELS
)
_SCANNED = {
    **{
        language: _front_end(family.name, family.revision, partial(family_tokens, family=family))
        for family in FAMILIES
        for language in family.languages
    },
    **dict.fromkeys(markup_tokenizer.LANGUAGES, _MARKUP),
    notebook_tokenizer.LANGUAGE: _NOTEBOOK,
}
_OWN = {FALLBACK: _FALLBACK, DATA: _front_end(DATA, 1, _read_data)}
_BY_LANGUAGE = {**_OWN, **_SCANNED}
_BY_NAME = {front_end.name: front_end for front_end in (_PROSE, *_BY_LANGUAGE.values())}


@lru_cache
def _pygments() -> FrontEnd:
    """Made when a file needs it: importing Pygments takes time."""
    lexer = importlib.import_module("winnow_ci.languages.pygments_lexer")
    return FrontEnd("pygments", frozenset({"pygments"}), f"{TOKENS_REVISION}.{lexer.REVISION}", lexer.lex)
