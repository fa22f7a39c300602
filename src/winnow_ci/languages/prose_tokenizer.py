"""Prose: words, and nothing else.

A word is a run of letters and digits of any script; its structural and its verbatim id are both that of the word in
lower case. So wrapping, punctuation and markup do not matter. Code in a Markdown file is read as words, too: the
language that a fence names is ignored. Data and settings that people write by hand (TOML, YAML, XML) are read likewise.

Words have no structure that a copier would keep while changing the words. So only what is the same word for word is a
copy, from ``SHORTEST_COPY`` words on. Passages of texts that are made to be copied (``known_texts``) have no tokens.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.languages.known_texts import LICENCE_TEXT, in_known_texts
from winnow_ci.languages.normalisation import as_characters
from winnow_ci.languages.tokens import Alphabet, TokenIds, Untokenizable, assemble, line_numbers
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.model import I32, U64, Tokens

# 2: passages of known texts have no tokens; settings and other data are read as words. 3: more notices are known.
REVISION = 3

SHORTEST_COPY = 60
"""Words; docs/decisions/0020-what-is-no-code.md has what two unrelated projects share."""

# Of the words of a licence's text, at least this share is known; the others are names, titles and years.
_LICENCE_SHARE = 0.75

_TAG = compiled_on_use(rb"<[^<>]{0,4095}>")

_ALPHABET = Alphabet("text")
_PIECES = compiled_on_use(r"[^\W_]+|[\W_]+")
_INK = compiled_on_use(rb"\S")
# English letters in lower case, digits, and a blank for every other byte.
_WORDS = bytes(byte if bytes([byte]).isalnum() else ord(" ") for byte in range(256)).lower()


def tokenize(text: bytes) -> Tokens:
    """Tokens of normalised text (``normalisation.normalise``).

    Raises:
        Untokenizable: the text is that of a licence or the like, and what else it says is too short to be a copy.
    """
    tokens = words(text)
    known = in_known_texts(tokens.verbatim)
    if _is_license(known):
        raise Untokenizable(LICENCE_TEXT, "out-of-scope")
    return tokens.part(~known)


def shows_license(page: bytes) -> bool:
    """Whether a normalised page shows a licence or another known text, and hardly anything else."""
    return _is_license(in_known_texts(words(_TAG.sub(b" ", page)).verbatim))


def _is_license(known: NDArray[np.bool_]) -> bool:
    """Whether the words of a text are those of a licence, given which of them stand in known texts."""
    count = int(known.sum())
    return len(known) - count < SHORTEST_COPY and count >= _LICENCE_SHARE * len(known) > 0


def without_known_texts(text: bytes) -> bytes:
    """Blank the passages of known texts, for readers whose tokens comments may be.

    Returns:
        A text of the same length and with the same lines.
    """
    bare = text.translate(_WORDS)
    is_ink = np.frombuffer(bare, np.uint8) != ord(" ")
    starts, ends = np.flatnonzero(np.diff(is_ink, prepend=False, append=False)).reshape(-1, 2).T
    ids = _verbatim_ids(bare.split())
    own = np.delete(np.arange(len(ids)), _comment_marks(ids, line_numbers(text)[starts]))
    blanked = bytearray(text)
    edges = np.flatnonzero(np.diff(in_known_texts(ids[own]), prepend=False, append=False)).reshape(-1, 2)
    for first, last in (edges - (0, 1)).tolist():
        passage = slice(starts[own[first]], ends[own[last]])
        blanked[passage] = _INK.sub(b" ", text[passage])
    return bytes(blanked)


def _verbatim_ids(words: list[bytes]) -> U64:
    ids = {word: _ALPHABET.word(word).verbatim for word in dict.fromkeys(words)}
    return np.fromiter(map(ids.__getitem__, words), np.uint64, len(words))


def _comment_marks(words: U64, lines: I32) -> NDArray[np.int64]:
    """Number the words that begin their line and a neighbouring one, as ``REM`` and ``dnl`` do."""
    begins = np.flatnonzero(np.diff(lines, prepend=0))
    alike = np.flatnonzero(words[begins[1:]] == words[begins[:-1]])
    return np.asarray(begins[np.concatenate([alike, alike + 1])])


def words(text: bytes) -> Tokens:
    """All words of normalised text."""
    characters = as_characters(text)
    return assemble(pieces(text), ids_of, line_numbers(characters))


def pieces(text: bytes) -> list[str]:
    """Cut normalised text into words and what stands between them."""
    return _PIECES.findall(as_characters(text))


@lru_cache(1 << 15)
def ids_of(piece: str) -> TokenIds | None:
    """Ids of a word; None for what is no word."""
    return _ALPHABET.word(piece.lower().encode()) if piece[0].isalnum() else None
