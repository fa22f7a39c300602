"""How alike the words of two documents are, whatever their order: the measure of SCAM, as a baseline.

Shivakumar and Garcia-Molina (1995), relative frequency model: only words that occur about equally often in both count,
F(a)/F(b) + F(b)/F(a) < 2.5. Of these, the products of their frequencies in both are summed, and divided by the squares
of all frequencies in the one document or the other, whichever gives more; 1 at most. A word is a name, number or string
here; all have the same weight. It knows no order and no structure: it finds what uses the same words, copied or not,
and loses a copy whose names were changed.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from winnow_ci.model import IDENTIFIER_SKETCH

if TYPE_CHECKING:
    from winnow_ci.model import Tokens

CLOSE = 2.5
"""SCAM's ε: 2 would let only words count that occur equally often."""


def word_likeness(one: Tokens, other: Tokens) -> float:
    """SCAM's similarity, from 0 to 1; 0 if a document has no words."""
    ours, theirs = _counted(one), _counted(other)
    both = [(count, theirs[word]) for word, count in ours.items() if word in theirs]
    product = sum(here * there for here, there in both if here / there + there / here < CLOSE)
    return min(1.0, max(product / sum(n * n for n in counts.values()) for counts in (ours, theirs))) if product else 0.0


def _counted(tokens: Tokens) -> Counter[int]:
    """How often each word occurs."""
    return Counter(tokens.verbatim[tokens.sketch >= IDENTIFIER_SKETCH.start].tolist())
