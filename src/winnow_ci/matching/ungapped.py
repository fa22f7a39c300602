"""Ungapped extension: which diagonals promise a copy.

Most seeds are chance. A diagonal is promising if its best seed, extended both ways over mismatches to where it gains
most (the ungapped extension of BLAST; Altschul et al. 1997), says enough. Nearly all diagonals of nearly all contents
fail this test, so they are extended together: one row each, in a few NumPy calls for many contents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.classes import CLASSES
from winnow_ci.matching.segments import CONTEXT
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# The least gain of a promising diagonal, and the cost of a mismatch, in bits.
LEAST_PROMISE = 32.0
MISMATCH = 2.5
# Most tokens that a seed is extended by, in each direction.
REACH = 120
ROWS = 512
# No structural class has one of these numbers.
_BESIDE_HERE, _BESIDE_THERE = 254, 255


class ContentSeeds(NamedTuple):
    """Seeds of one content.

    Attributes:
        there: uint8; the sketch of each token of the content.
        positions: int64; of the seeds in the change.
        diagonals: int64; position there − position here of each seed.
    """

    there: NDArray[np.uint8]
    positions: NDArray[np.int64]
    diagonals: NDArray[np.int64]


class QueryBits(NamedTuple):
    """The worth of the tokens of a change.

    Attributes:
        sketch: uint8; of each token.
        bits: float64; what each says by its class.
        text_bits: float64; what each adds if its text is the same, too.
    """

    sketch: NDArray[np.uint8]
    bits: NDArray[np.float64]
    text_bits: NDArray[np.float64]


def promising(said_here: QueryBits, places: Sequence[ContentSeeds], k: int) -> list[frozenset[int]]:
    """Tell which diagonals of each content promise a copy.

    Args:
        said_here: the worth of the tokens of the change.
        places: seeds of each content.
        k: length of a seed.

    Returns:
        For each content its promising diagonals.
    """
    cumulative = np.concatenate([[0.0], np.cumsum(said_here.bits)])
    numbers = np.repeat(np.arange(len(places)), [len(place.positions) for place in places])
    positions = np.concatenate([place.positions for place in places])
    diagonals = np.concatenate([place.diagonals for place in places])
    said = cumulative[positions + k] - cumulative[positions + CONTEXT]
    rows = _best_of_each(numbers, diagonals, said)
    numbers, positions, diagonals, said = numbers[rows], positions[rows], diagonals[rows], said[rows]
    beside = np.full(REACH, _BESIDE_THERE, np.uint8)
    there = np.concatenate([beside, *(part for place in places for part in (place.there, beside))])
    firsts = np.cumsum([REACH, *(len(place.there) + REACH for place in places)])
    at_there = np.clip(positions + diagonals + firsts[numbers], REACH, len(there) - REACH - k)
    kept = said + _gains(_Sides(said_here, there, k), positions, at_there) >= LEAST_PROMISE
    found: list[set[int]] = [set() for _ in places]
    for number, diagonal in zip(numbers[kept].tolist(), diagonals[kept].tolist(), strict=True):
        found[number].add(diagonal)
    return [frozenset(each) for each in found]


def _best_of_each(
    numbers: NDArray[np.int64], diagonals: NDArray[np.int64], said: NDArray[np.float64]
) -> NDArray[np.int64]:
    """The seed that says most on each diagonal of each content."""
    order = np.lexsort((-said, diagonals, numbers))
    other = (np.diff(numbers[order]) != 0) | (np.diff(diagonals[order]) != 0)
    return order[np.flatnonzero(np.concatenate([[True], other]))] if len(order) else order


class _Sides(NamedTuple):
    """The change, the contents one after the other with tokens between them that match nothing, and k."""

    here: QueryBits
    there: NDArray[np.uint8]
    k: int


def _gains(sides: _Sides, positions: NDArray[np.int64], at_there: NDArray[np.int64]) -> NDArray[np.float64]:
    """What each seed gains in both directions; ``at_there`` is its place in the joined contents."""
    beside = np.full(REACH, _BESIDE_HERE, np.uint8)
    here = np.concatenate([beside, sides.here.sketch, beside])
    bits = np.concatenate([np.zeros(REACH), sides.here.bits, np.zeros(REACH)])
    text_bits = np.concatenate([np.zeros(REACH), sides.here.text_bits, np.zeros(REACH)])
    classes, classes_there = CLASSES[here], CLASSES[sides.there]
    at, gains = positions + REACH, np.zeros(len(positions))
    for start in range(0, len(at), ROWS):
        rows = slice(start, start + ROWS)
        for steps in (sides.k + np.arange(REACH), -1 - np.arange(REACH)):
            tokens = at[rows, None] + steps
            tokens_there = at_there[rows, None] + steps
            same = here[tokens] == sides.there[tokens_there]
            said = np.where(classes[tokens] == classes_there[tokens_there], bits[tokens], -MISMATCH)
            gains[rows] += (said + same * text_bits[tokens]).cumsum(axis=1).max(axis=1).clip(0)
        tokens, tokens_there = at[rows, None] + np.arange(sides.k), at_there[rows, None] + np.arange(sides.k)
        gains[rows] += ((here[tokens] == sides.there[tokens_there]) * text_bits[tokens]).sum(axis=1)
    return gains
