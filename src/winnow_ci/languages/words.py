"""Prose, known texts, and the fallback tokenizer: front ends that know no language, only words.

**Prose.** A word is a run of letters and digits of any script; both of its ids are that of the word in lower case. So
wrapping, punctuation and markup do not matter. Code in a Markdown file is read as words, too, and so are data and
settings that people write by hand (TOML, YAML, XML). Only what is the same word for word is a copy, from
``SHORTEST_COPY`` words on. Passages of known texts have no tokens.

**Known texts** are made to be copied: licences, notices, codes of conduct. ``known_texts.npy``, which
``python tools/known_texts`` makes, has the upper 32 bits of a hash of every ``RUN`` consecutive words of such texts:
the distances between the sorted hashes, 16 bits each. A longer distance is split; the hashes at the splits stand for no
words. Runs are a passage where ``IN_A_ROW`` of them each begin a word after the one before; fewer may be chance.

**The fallback tokenizer** reads texts that Pygments' lexer of their language fails on. Its tokens are words, numbers,
strings that end on their line, and any other character by itself. Words that many languages reserve stand for
themselves, all others are identifiers. Comments are tokens, too: what opens a comment in one language is code in
another, and nobody may hide code by calling it a comment. It takes time linear in the text: the parts of a string have
bounds, and no other alternative can fail once it has begun.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.languages.families.syntax import KEYWORDS
from winnow_ci.languages.language_detection import LICENCE_TEXT
from winnow_ci.languages.normalisation import as_characters
from winnow_ci.languages.tokens import (
    TOKEN_LIMIT,
    Alphabet,
    TokenIds,
    Untokenizable,
    assemble_tokens,
    bounded_pieces,
    line_numbers,
    with_plain_line_ends,
)
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.model import I32, U32, U64, Tokens

# 2: passages of known texts have no tokens; settings and other data are read as words. 3: more notices are known.
PROSE_REVISION = 3
# Words. Two unrelated projects share shorter passages than that, licences and notices aside.
SHORTEST_COPY = 60
# Of the words of a licence's text, at least this share is known; the others are names, titles and years.
_LICENCE_SHARE = 0.75
_TAG = compiled_on_use(rb"<[^<>]{0,4095}>")
_PROSE_ALPHABET = Alphabet("text")
_PROSE_PIECES = compiled_on_use(r"[^\W_]+|[\W_]+")
_INK = compiled_on_use(rb"\S")
# English letters in lower case, digits, and a blank for every other byte.
_BARE = bytes(byte if bytes([byte]).isalnum() else ord(" ") for byte in range(256)).lower()


def prose_tokens(text: bytes) -> Tokens:
    """Make the tokens of normalised prose; ``Untokenizable`` if it is a known text, and the rest is no copy."""
    words = words_of(text)
    known = in_known_texts(words.verbatim)
    if _is_license(known):
        raise Untokenizable(LICENCE_TEXT, "out-of-scope")
    return words.part(~known)


def shows_license(page: bytes) -> bool:
    """Whether a normalised page shows a licence or another known text, and hardly anything else."""
    return _is_license(in_known_texts(words_of(_TAG.sub(b" ", page)).verbatim))


def _is_license(known: NDArray[np.bool_]) -> bool:
    """Whether the words of a text are those of a licence, given which of them are in known texts."""
    count = int(known.sum())
    return len(known) - count < SHORTEST_COPY and count >= _LICENCE_SHARE * len(known) > 0


def words_of(text: bytes) -> Tokens:
    """Make the tokens of normalised prose, those of known texts among them."""
    return assemble_tokens(prose_pieces(text), prose_ids, line_numbers(as_characters(text)))


def prose_pieces(text: bytes) -> list[str]:
    """Cut normalised text into words and what is between them."""
    return _PROSE_PIECES.findall(as_characters(text))


@lru_cache(1 << 15)
def prose_ids(piece: str) -> TokenIds | None:
    """Return the ids of a word; None for what is no word."""
    return _PROSE_ALPHABET.word(piece.lower().encode()) if piece[0].isalnum() else None


RUN = 8
IN_A_ROW = 3
KNOWN_TEXTS = Path(__file__).with_name("known_texts.npy")
# Odd, from the golden ratio (Knuth, The Art of Computer Programming, volume 3, section 6.4).
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def in_known_texts(words: U64) -> NDArray[np.bool_]:
    """Mark the words of a document, given by verbatim ids, in passages of known texts: bool, one a word."""
    runs = hashes_of_runs(words)
    known = _known_runs()
    places = np.minimum(np.searchsorted(known, runs), len(known) - 1)
    edges = np.flatnonzero(np.diff(known[places] == runs, prepend=False, append=False))
    covered = np.zeros(len(words), np.bool_)
    for first, end in edges.reshape(-1, 2).tolist():
        if end - first >= IN_A_ROW:
            covered[first : end + RUN - 1] = True
    return covered


def hashes_of_runs(words: U64) -> U32:
    """Hash each ``RUN`` consecutive words and keep the upper 32 bits: uint32, shape (max(0, n − RUN + 1),)."""
    count = max(0, len(words) - RUN + 1)
    hashes = np.zeros(count, np.uint64)
    for offset in range(RUN):
        hashes = hashes * _FACTOR + words[offset : offset + count]
    return (hashes >> np.uint64(32)).astype(np.uint32)


@cache
def _known_runs() -> U32:
    return np.cumsum(np.load(KNOWN_TEXTS), dtype=np.uint32)


def without_known_texts(text: bytes) -> bytes:
    """Blank the passages of known texts, for readers that take comments for tokens; places stay the same."""
    bare = text.translate(_BARE)
    is_ink = np.frombuffer(bare, np.uint8) != ord(" ")
    starts, ends = np.flatnonzero(np.diff(is_ink, prepend=False, append=False)).reshape(-1, 2).T
    words = bare.split()
    id_of = {word: _PROSE_ALPHABET.word(word).verbatim for word in dict.fromkeys(words)}
    ids = np.fromiter(map(id_of.__getitem__, words), np.uint64, len(words))
    own = np.delete(np.arange(len(ids)), _comment_marks(ids, line_numbers(text)[starts]))
    blanked = bytearray(text)
    edges = np.flatnonzero(np.diff(in_known_texts(ids[own]), prepend=False, append=False)).reshape(-1, 2)
    for first, last in (edges - (0, 1)).tolist():
        passage = slice(starts[own[first]], ends[own[last]])
        blanked[passage] = _INK.sub(b" ", text[passage])
    return bytes(blanked)


def _comment_marks(words: U64, lines: I32) -> NDArray[np.int64]:
    """Number the words that begin their line and a neighbouring one, as ``REM`` and ``dnl`` do."""
    begins = np.flatnonzero(np.diff(lines, prepend=0))
    alike = np.flatnonzero(words[begins[1:]] == words[begins[:-1]])
    return np.asarray(begins[np.concatenate([alike, alike + 1])])


FALLBACK = "generic"  # the name of the fallback tokenizer, and of the one language that it knows

# 2: passages of known texts have no tokens.
FALLBACK_REVISION = 2

_ALPHABET = Alphabet(FALLBACK)
_STRINGS = (rb"%b[^%b\\\n]{0,400}(?:\\[^\n][^%b\\\n]{0,400}){0,20}%b" % (4 * (mark,)) for mark in (b'"', b"'", b"`"))
_PIECES = compiled_on_use(
    b"|".join(
        (rb"[\x00-\x20\x7f]+", rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*", rb"[0-9]\w*(?:\.[0-9]\w*)?", *_STRINGS, rb"[\s\S]")
    )
)
_RESERVED = KEYWORDS[FALLBACK]


def fallback_tokens(text: bytes) -> Tokens:
    """Make the tokens of normalised text (``normalisation.normalise``), known texts among them."""
    return assemble_tokens(fallback_pieces(text), fallback_ids, line_numbers(text))


def fallback_pieces(text: bytes) -> list[bytes]:
    """Cut normalised text into tokens and white space."""
    text = with_plain_line_ends(text)
    if len(text) <= TOKEN_LIMIT:
        return _PIECES.findall(text)
    return bounded_pieces(map(re.Match.group, _PIECES.finditer(text)), text)


def fallback_ids(piece: bytes) -> TokenIds | None:
    """Return the ids of a token; None for white space."""
    first = piece[:1]
    if first <= b" " or first == b"\x7f":
        return None
    if first.isdigit():
        return _ALPHABET.number(piece)
    if first.isalpha() or first == b"_" or first >= b"\x80":
        return _ALPHABET.word(piece) if piece.lower() in _RESERVED else _ALPHABET.identifier(piece)
    return _ALPHABET.word(piece) if len(piece) == 1 else _ALPHABET.string(piece)
