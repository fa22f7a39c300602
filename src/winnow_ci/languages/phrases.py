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

_WORD = re.compile(rb"[0-9a-z_\x80-\xff]+")
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
    if len(piece) < FEWEST_LETTERS:
        return ()
    lines = ((number, _WORD.findall(line)) for number, line in enumerate(piece.lower().split(b"\n")))
    return tuple(_phrase(number, words) for number, words in lines if _tells(words))


def phrase_of(name: bytes) -> tuple[Phrase, ...]:
    """The phrase that a name is, if it is one."""
    if len(name) < FEWEST_LETTERS:
        return ()
    words = [part.lower() for part in _PART.findall(name)]
    return (_phrase(0, words),) if _tells(words) else ()


def _phrase(line: int, words: list[bytes]) -> Phrase:
    return Phrase(line, xxh3_64_intdigest(b" ".join(words), _SEED), min(len(words), MOST_WORDS))


def _tells(words: list[bytes]) -> bool:
    return len(words) >= FEWEST_WORDS and sum(map(len, words)) >= FEWEST_LETTERS
