"""Read every language without a family of its own, with Pygments' lexers.

Most of these take time quadratic in some inputs, or worse. So a lexer runs in a process with a budget of time and
memory, which is killed when that is used up (``lexing``). Lexers that choose another lexer by a name in the text
(fenced code, mail parts, ``LANGUAGE`` clauses) never run: see ``language_detection``. Only lexers that come with
Pygments are used.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

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
_IDS_OF = {NAME: _ALPHABET.identifier, WORD: _ALPHABET.word, NUMBER: _ALPHABET.number}
_WORDS = re.compile(r"\w+|[^\w\s]")
# A token's ids, and its characters [start, end).
_Place: TypeAlias = tuple[TokenIds, int, int]


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
    ids, starts, ends = _located(text, language, seconds)
    lines = line_numbers(as_characters(text))
    return gather(ids, np.arange(len(ids)), lines[starts], lines[ends - 1])


def lexed_places(text: bytes, language: str) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find where the tokens of normalised text begin and end, in characters; raises what ``lex`` does."""
    _, starts, ends = _located(text, language)
    return starts, ends


def kinds_of_pieces(text: bytes, language: str) -> list[tuple[int, int, int]]:
    """Return start, end and kind of each run of one kind in normalised text; raises what ``lex`` does."""
    length = len(as_characters(text))
    spans = sorted((start, start + len(value), kind) for kind, start, value in _pieces(text, language))
    runs = ((kind, list(run)) for kind, run in groupby(spans, key=itemgetter(2)))
    return [(min(run[0][0], length), min(run[-1][1], length), kind) for kind, run in runs]


def _pieces(text: bytes, language: str, seconds: float | None = None) -> Iterator[_Piece]:
    characters = as_characters(with_plain_line_ends(text))
    budget = min(LEAST_SECONDS + SECONDS_A_BYTE * len(text), MOST_SECONDS)
    kinds, starts, lengths, joined = lexing.lexed_pieces(characters, language, seconds or budget)
    end = 0
    for kind, start, length in zip(kinds.tolist(), starts.tolist(), lengths.tolist(), strict=True):
        end += length
        yield _Piece(kind, start, joined[end - length : end])


def _located(
    text: bytes, language: str, seconds: float | None = None
) -> tuple[list[TokenIds], NDArray[np.intp], NDArray[np.intp]]:
    """The ids of the tokens, and the characters where each begins and ends."""
    # A few lexers yield what follows a here-document's name out of order, and some report places beyond the text.
    places = sorted(_places(_pieces(text, language, seconds)), key=itemgetter(1))
    length = len(as_characters(text))
    starts = np.fromiter((min(start, length - 1) for _, start, _ in places), np.intp, len(places))
    ends = np.fromiter((min(end, length) for _, _, end in places), np.intp, len(places))
    return [ids for ids, _, _ in places], starts, ends


def _places(pieces: Iterable[_Piece]) -> Iterator[_Place]:
    """Strings come in pieces (quotes, escapes, text); consecutive ones are one token."""
    for is_string, run in groupby(pieces, key=lambda piece: piece.kind == STRING):
        if is_string:
            parts = list(run)
            text = "".join(part.text for part in parts)
            yield _ALPHABET.string(_encoded(text)), parts[0].start, parts[0].start + len(text)
        else:
            for kind, start, value in run:
                yield from _code(kind, start, value)


def _code(kind: int, start: int, value: str) -> Iterator[_Place]:
    if kind == TEXT:
        for word in _WORDS.finditer(value):
            yield _remembered(_ALPHABET.word, word.group()), start + word.start(), start + word.end()
    elif kind != COMMENT and (token := value.strip()):
        start += len(value) - len(value.lstrip())
        yield _remembered(_IDS_OF[kind], token), start, start + len(token)


@lru_cache(1 << 14)
def _remembered(ids_of: Callable[[bytes], TokenIds], token: str) -> TokenIds:
    return ids_of(_encoded(token))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
