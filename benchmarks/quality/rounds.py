"""What a round of the quality benchmark is made of."""

from __future__ import annotations

from typing import NamedTuple


class Overlap(NamedTuple):
    """Lines of a changed file that a detector also found in a known file."""

    path: str  # below changed/
    start: int  # 1-based, inclusive
    end: int
    known: str  # path below known/
