"""Which numbers of a document are its own: random constants, measured values, identifiers.

Such a number has many digits (``languages.long_numbers``), is not one that other programs have too, and does not follow
from those before it: 10001, 10002, 10003, 10004 … need not be copied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.evidence.information import are_numbers
from winnow_ci.evidence.tables import RAREST, is_everyday, text_bits
from winnow_ci.winnowing.kgrams import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from winnow_ci.model import Tokens

# Between two numbers of a row of equal steps may stand this many others: ``{10001, 7}, {10002, 9}``.
MOST_BESIDE = 2
# Two steps are equal if they differ by no more than this share of the number that they lead to.
_ROUNDING = 1e-12


def rare_numbers(tokens: Tokens, values: Mapping[int, float]) -> NDArray[np.bool_]:
    """Tell which tokens are rare numbers.

    Args:
        tokens: of the document.
        values: its long numbers, by their verbatim ids.

    Returns:
        bool, one a token.
    """
    rare = np.zeros(len(tokens), np.bool_)
    numbers = np.flatnonzero(are_numbers(tokens))
    if not values or not len(numbers):
        return rare
    known = _of_each(tokens.verbatim[numbers], values)
    rare[numbers[~np.isnan(known) & ~_follow(known)]] = True
    return rare


def _of_each(numbers: NDArray[np.uint64], values: Mapping[int, float]) -> NDArray[np.float64]:
    """The value of each number, given by its verbatim id; NaN if it is not long, or common: float64."""
    ids = np.sort(np.fromiter(values, np.uint64, len(values)))
    own = np.array([values[number] for number in ids.tolist()])
    own[is_everyday(ids) | (text_bits(ids) < RAREST)] = np.nan
    places = nearest(numbers, ids)
    return np.where(ids[places] == numbers, own[places], np.nan)


def _follow(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which numbers continue a row of equal steps, alone or beside other numbers: bool, one a number."""
    follow = np.zeros(len(values), np.bool_)
    for beside in range(1, MOST_BESIDE + 2):
        steps = values[beside:] - values[:-beside]
        equal = np.abs(steps[beside:] - steps[:-beside]) <= _ROUNDING * np.abs(values[2 * beside :])
        follow[3 * beside :] |= equal[beside:] & equal[:-beside]
    return follow
