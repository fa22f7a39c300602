"""Which of the lines that are whole on both sides have kept their text, or their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.classes import IS_IDENTIFIER
from winnow_ci.matching.layout import SHORTEST_LINE
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.matching.candidate import Candidate
    from winnow_ci.matching.file_hits import FileHits

# How many long lines of a row have to be equal.
ROW = 2


class KeptLines(NamedTuple):
    """Lines that are whole on both sides, in order; bool, one a line.

    Attributes:
        equal: all of its tokens are added, and the same on both sides.
        named: all of its tokens are added, and of its names, one at least, all are the same; it is no row of a table,
            in which names look equal by chance.
        long: it has ``SHORTEST_LINE`` tokens or more.
        in_row: it is equal, and so are the lines beside it, ``ROW`` long ones in a row.
    """

    equal: NDArray[np.bool_]
    named: NDArray[np.bool_]
    long: NDArray[np.bool_]
    in_row: NDArray[np.bool_]


def kept_lines(candidate: Candidate, file: FileHits) -> KeptLines:
    """What became of the lines of a candidate in this file."""
    starts, ends = candidate.layout.whole.T
    here, sketch = candidate.here, file.tokens.sketch[candidate.here]
    first, last = np.searchsorted(here, starts), np.searchsorted(here, ends)

    def count(which: NDArray[np.bool_]) -> NDArray[np.int64]:
        before = np.append(0, np.cumsum(which))
        return np.asarray(before[last] - before[first], np.int64)

    added, same, name = file.added[here], sketch == candidate.there, IS_IDENTIFIER[sketch]
    lengths = ends - starts
    equal = count(same & added) == lengths
    alone = ~file.further_rows[starts]
    named = alone & (count(added) == lengths) & (count(name) > 0) & (count(name & ~same) == 0)
    long = lengths >= SHORTEST_LINE
    return KeptLines(equal, named, long, _in_row(starts, ends, equal, long))


def _in_row(
    starts: NDArray[np.int64], ends: NDArray[np.int64], equal: NDArray[np.bool_], long: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    if not len(starts):
        return equal
    goes_on = equal[1:] & equal[:-1] & (starts[1:] == ends[:-1])
    row = np.append(0, np.cumsum(~goes_on))
    return np.asarray(equal & (np.bincount(row, equal & long) >= ROW)[row], np.bool_)
