"""Prose: words, and nothing else.

A word is a run of letters and digits of any script; its structural and its verbatim id are both that of the word in
lower case. So wrapping, punctuation and markup do not matter. Code in a Markdown file is read as words, too: the
language that a fence names is ignored.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from winnow_ci.languages.normalisation import as_characters
from winnow_ci.languages.tokens import Alphabet, TokenIds, assemble, line_numbers

if TYPE_CHECKING:
    from winnow_ci.model import Tokens

REVISION = 1

_ALPHABET = Alphabet("text")
_PIECES = re.compile(r"[^\W_]+|[\W_]+")


def tokenize(text: bytes) -> Tokens:
    """Tokens of normalised text (``normalisation.normalise``)."""
    characters = as_characters(text)
    return assemble(_PIECES.findall(characters), _ids, line_numbers(characters))


@lru_cache(1 << 15)
def _ids(piece: str) -> TokenIds | None:
    return _ALPHABET.word(piece.lower().encode()) if piece[0].isalnum() else None
