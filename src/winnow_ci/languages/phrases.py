"""Phrases: what a line of a comment or of a string says.

Who copies code keeps its comments and messages more often than its names, and hardly anybody else writes them: of
350,000 phrases of unrelated projects, some twenty stand in a project that they were held against. So a phrase that a
change and known code share is good evidence beside a likeness of their code, and a place to look for one.

A phrase is the words of one line, in lower case, if there are at least ``FEWEST_WORDS`` of them with ``FEWEST_LETTERS``
letters and digits; marks, indentation and the way in which a comment is decorated are no part of it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from xxhash import xxh3_64_intdigest

FEWEST_WORDS = 3
FEWEST_LETTERS = 12
MOST_WORDS = 255

_WORD = re.compile(rb"[0-9a-z_\x80-\xff]+")
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
    return tuple(
        Phrase(number, xxh3_64_intdigest(b" ".join(words), _SEED), min(len(words), MOST_WORDS))
        for number, words in lines
        if len(words) >= FEWEST_WORDS and sum(map(len, words)) >= FEWEST_LETTERS
    )
