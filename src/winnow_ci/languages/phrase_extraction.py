"""Phrases: what a line of a comment or of a string says, or a long name.

Who copies code keeps its comments, its messages and its long names more often than all else, and hardly anybody else
writes them: of 350,000 phrases in comments and strings of unrelated projects, some twenty stand in a project that they
were held against. So a phrase that a change and known code share is good evidence beside a likeness of their code, and
a place to look for one.

A phrase is at least ``FEWEST_WORDS`` words with at least ``FEWEST_LETTERS`` letters and digits, in lower case: those of
a line, or of a name (``getChunkGraph``, ``get_chunk_graph``). Marks, indentation and the way in which a comment is
decorated are no part of it. Names that a file imports are none of its own, and no phrases (``vocabulary``).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from xxhash import xxh3_64_intdigest

FEWEST_WORDS = 3
FEWEST_LETTERS = 12
MOST_WORDS = 255
# Letters, and a mark between two words each.
SHORTEST = FEWEST_LETTERS + FEWEST_WORDS - 1

_LOWER, _BEYOND_ASCII = b"0123456789abcdefghijklmnopqrstuvwxyz", bytes(range(128, 256))
_PART = re.compile(rb"[A-Z]?[0-9a-z\x80-\xff]+|[A-Z]+(?![a-z])")
_SEED = xxh3_64_intdigest(b"\0phrase")


class Phrase(NamedTuple):
    """A phrase in a piece of text.

    Attributes:
        line: how many lines after the piece's first it stands.
        hash: of its words, 64 bits.
        words: how many they are, ``MOST_WORDS`` at most.
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
    """The phrase that a name is, if it is one."""
    if len(name) < FEWEST_LETTERS:
        return ()
    if name.islower():
        return _phrase(0, name.translate(_WORDS_OF_NAME).split())
    return _phrase(0, [part.lower() for part in _PART.findall(name)])


def _phrase(line: int, words: list[bytes]) -> tuple[Phrase, ...]:
    """The phrase of some words, if they are one."""
    count = len(words)
    if count < FEWEST_WORDS:
        return ()
    text = b" ".join(words)
    if len(text) - (count - 1) < FEWEST_LETTERS:
        return ()
    return (Phrase(line, xxh3_64_intdigest(text, _SEED), min(count, MOST_WORDS)),)


def _spaced(kept: bytes) -> bytes:
    """A table for ``bytes.translate`` that makes spaces of all but some characters."""
    return bytes(byte if byte in kept else 32 for byte in range(256))


_WORDS_OF_TEXT = _spaced(_LOWER + b"_\n" + _BEYOND_ASCII)
_WORDS_OF_NAME = _spaced(_LOWER + _BEYOND_ASCII)
