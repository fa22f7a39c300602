"""Read every language without a family of its own, with Pygments' lexers.

Pygments makes no promise about time, and most of its lexers take time quadratic in some inputs, or worse. So a lexer
runs in a process with a budget of time and memory, which is killed when that is used up (``lexing``). The fallback
tokenizer then reads the text.

Lexers that choose another lexer by a name in the text (fenced code, mail parts, ``LANGUAGE`` clauses) never run: see
``language_detection``. Only lexers that come with Pygments are used.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING

import numpy as np
import pygments

from winnow_ci.languages import lexing
from winnow_ci.languages.lexing_worker import COMMENT, NAME, NUMBER, STRING, TEXT, WORD
from winnow_ci.languages.normalisation import as_characters
from winnow_ci.languages.tokens import Alphabet, TokenIds, gather, line_numbers, with_plain_line_ends
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from winnow_ci.model import Tokens

# 2: an index also has what the fallback tokenizer makes of a content. 3: languages moved to the table of families.
# 4: XML, YAML, TOML and other data and settings are read as words.
REVISION = f"4.pygments-{pygments.__version__}"

# The processor time that a lexer has: at least five times what the slowest of 2,401 ordinary files took.
LEAST_SECONDS = 2.0
SECONDS_A_BYTE = 5e-6
MOST_SECONDS = 10.0

_ALPHABET = Alphabet("pygments")
_WORDS = re.compile(r"\w+|[^\w\s]")


class _LocatedToken(NamedTuple):
    """A token: its ids, and its characters ``[start, end)``."""

    ids: TokenIds
    start: int
    end: int


class _Piece(NamedTuple):
    """Characters as a lexer classifies them: a kind of ``lexing_worker``, their start, and the characters."""

    kind: int
    start: int
    text: str


def lex(text: bytes, language: str, seconds: float | None = None) -> Tokens:
    """Lex normalised text (``normalisation.normalise``).

    Raises:
        Untokenizable: the lexer failed or ran out of its budget.
        LexerError: no process can be started to lex in.
    """
    return _tokens(list(_places(_pieces(text, language, seconds))), as_characters(text))


def lexed_places(text: bytes, language: str) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find where the tokens of normalised text begin and end, in characters.

    Raises:
        Untokenizable, LexerError: as for ``lex``.
    """
    return _edges(list(_places(_pieces(text, language))), len(as_characters(text)))


def comment_pieces(text: bytes, language: str) -> list[tuple[int, int, bool]]:
    """Return start and end of each piece of normalised text, and whether it is a comment.

    The parts of a comment are one piece.

    Raises:
        Untokenizable, LexerError: as for ``lex``.
    """
    length = len(as_characters(text))
    spans = sorted((start, start + len(value), kind == COMMENT) for kind, start, value in _pieces(text, language))
    found = []
    for is_comment, run in groupby(spans, key=itemgetter(2)):
        parts = [(start, end) for start, end, _ in run]
        whole = [(parts[0][0], parts[-1][1])] if is_comment else parts
        found += [(min(start, length), min(end, length), is_comment) for start, end in whole]
    return found


def text_pieces(text: bytes, language: str) -> list[tuple[int, int, bool]]:
    """Return start and end of each comment and string of normalised text, and whether it is a string.

    Raises:
        Untokenizable, LexerError: as for ``lex``.
    """
    length = len(as_characters(text))
    spans = sorted((piece.start, piece.start + len(piece.text), piece.kind) for piece in _pieces(text, language))
    found = []
    for kind, run in groupby(spans, key=itemgetter(2)):
        parts = list(run)
        if kind in (COMMENT, STRING):
            found.append((min(parts[0][0], length), min(parts[-1][1], length), kind == STRING))
    return found


def _pieces(text: bytes, language: str, seconds: float | None = None) -> Iterator[_Piece]:
    characters = as_characters(with_plain_line_ends(text))
    budget = min(LEAST_SECONDS + SECONDS_A_BYTE * len(text), MOST_SECONDS)
    found = lexing.lexed_pieces(characters, language, budget if seconds is None else seconds)
    kinds, starts, lengths, joined = found
    ends = np.cumsum(lengths, dtype=np.int64)
    columns = (column.tolist() for column in (kinds, starts, ends, lengths))
    for kind, start, end, length in zip(*columns, strict=True):
        yield _Piece(kind, start, joined[end - length : end])


def _edges(places: list[_LocatedToken], length: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where tokens begin and end in a text of some length; sorts them by their beginnings."""
    # A few lexers yield what follows a here-document's name out of order.
    places.sort(key=attrgetter("start"))
    # A few report wrong places, even beyond the text.
    starts = np.minimum(np.fromiter((place.start for place in places), np.intp, len(places)), length - 1)
    ends = np.minimum(np.fromiter((place.end for place in places), np.intp, len(places)), length)
    return starts, ends


def _tokens(places: list[_LocatedToken], characters: str) -> Tokens:
    lines = line_numbers(characters)
    starts, ends = _edges(places, len(lines))
    codes = np.arange(len(places), dtype=np.intp)
    return gather([place.ids for place in places], codes, lines[starts], lines[ends - 1])


# ---- from Pygments' tokens to ours -----------------------------------------------------------------------------


def _places(pieces: Iterable[_Piece]) -> Iterator[_LocatedToken]:
    """Strings come in pieces (quotes, escapes, text); consecutive ones are one token."""
    for is_string, run in groupby(pieces, key=lambda piece: piece.kind == STRING):
        if is_string:
            yield _string(list(run))
        else:
            for kind, start, value in run:
                yield from _code(kind, start, value)


def _string(run: list[_Piece]) -> _LocatedToken:
    text = "".join(piece.text for piece in run)
    return _LocatedToken(_ALPHABET.string(_encoded(text)), run[0].start, run[0].start + len(text))


def _code(kind: int, start: int, value: str) -> Iterator[_LocatedToken]:
    if kind == TEXT:
        for word in _WORDS.finditer(value):
            yield _LocatedToken(_remembered(_ALPHABET.word, word.group()), start + word.start(), start + word.end())
    elif kind != COMMENT and (token := value.strip()):
        start += len(value) - len(value.lstrip())
        yield _LocatedToken(_remembered(_IDS_OF[kind], token), start, start + len(token))


@lru_cache(1 << 14)
def _remembered(ids_of: Callable[[bytes], TokenIds], token: str) -> TokenIds:
    return ids_of(_encoded(token))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


_IDS_OF = {NAME: _ALPHABET.identifier, WORD: _ALPHABET.word, NUMBER: _ALPHABET.number}
