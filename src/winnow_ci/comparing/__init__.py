"""Documents compared with each other, without an index: two bodies of code, or all files of a set (docs/compare.md)."""

from winnow_ci.comparing.comparison import AllPairs, Comparison, Options, Pair, all_pairs, compare
from winnow_ci.comparing.documents import Body
from winnow_ci.comparing.pairing import Limits, Ranking
from winnow_ci.comparing.places import Place, find
from winnow_ci.comparing.shares import Share, Shares
from winnow_ci.comparing.stretches import Stretch

__all__ = [
    "AllPairs",
    "Body",
    "Comparison",
    "Limits",
    "Options",
    "Pair",
    "Place",
    "Ranking",
    "Share",
    "Shares",
    "Stretch",
    "all_pairs",
    "compare",
    "find",
]
