"""Phrases: the words of a line of a comment or string, or of a long name.

People who copy code keep its comments, messages and long names more often than anything else, and hardly anybody else
writes the same ones: of 350,000 phrases in comments and strings of unrelated projects, some twenty also stood in the
project that they were compared with. So a phrase that a change and known code share is good evidence where their code
is alike, and a good place to look for code that is.

A phrase is at least ``FEWEST_WORDS`` words with at least ``FEWEST_LETTERS`` letters and digits, in lower case: those of
a line, or of a name (``getChunkGraph``, ``get_chunk_graph``). Marks, indentation and the decoration of a comment are
ignored. Names that a file imports are other people's and give no phrases (``vocabulary``).
"""

from __future__ import annotations

from xxhash import xxh3_64_intdigest

from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import compiled_on_use

FEWEST_WORDS = 3
FEWEST_LETTERS = 12
MOST_WORDS = 255
# The letters, and a mark between each two words.
SHORTEST = FEWEST_LETTERS + FEWEST_WORDS - 1

_LOWER, _BEYOND_ASCII = b"0123456789abcdefghijklmnopqrstuvwxyz", bytes(range(128, 256))
PART = rb"[A-Z]?[0-9a-z\x80-\xff]+|[A-Z]+(?![a-z])"
"""Regular expression of a word of a name in mixed case."""
SEED = b"\0phrase"
"""Its hash seeds the hashes of phrases."""

_PART = compiled_on_use(PART)
_SEED = xxh3_64_intdigest(SEED)


class Phrase(NamedTuple):
    """A phrase in a piece of text.

    Attributes:
        line: its line, counted from 0 at the piece's first.
        hash: 64 bits, of its words.
        words: number of words, ``MOST_WORDS`` at most.
    """

    line: int
    hash: int
    words: int


def phrases_in(piece: bytes) -> tuple[Phrase, ...]:
    """The phrases of a comment or string."""
    if len(piece) < SHORTEST:
        return ()
    found: list[Phrase] = []
    for number, line in enumerate(piece.lower().translate(_WORDS_OF_TEXT).split(b"\n")):
        if len(line) >= SHORTEST:
            found += _phrase(number, line.split())
    return tuple(found)


def phrase_of(name: bytes) -> tuple[Phrase, ...]:
    """The phrase of a name, if it is long enough."""
    if len(name) < FEWEST_LETTERS:
        return ()
    if name.islower():
        return _phrase(0, name.translate(_WORDS_OF_NAME).split())
    return _phrase(0, [part.lower() for part in _PART.findall(name)])


def _phrase(line: int, words: list[bytes]) -> tuple[Phrase, ...]:
    """The phrase of some words, if they are enough."""
    count = len(words)
    if count < FEWEST_WORDS:
        return ()
    text = b" ".join(words)
    if len(text) - (count - 1) < FEWEST_LETTERS:
        return ()
    return (Phrase(line, xxh3_64_intdigest(text, _SEED), min(count, MOST_WORDS)),)


def _spaced(kept: bytes) -> bytes:
    """A table for ``bytes.translate`` that replaces all other characters by spaces."""
    return bytes(byte if byte in kept else 32 for byte in range(256))


_WORDS_OF_TEXT = _spaced(_LOWER + b"_\n" + _BEYOND_ASCII)
_WORDS_OF_NAME = _spaced(_LOWER + _BEYOND_ASCII)
