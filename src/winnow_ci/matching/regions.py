"""Turn seeds into regions, the stretches of a change that resemble one known content.

The kernel finds them if there is one, otherwise Python does (``copies``, which says how).
"""

from __future__ import annotations

from itertools import chain, islice
from math import inf
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from winnow_ci.matching.constants import kernel_numbers
from winnow_ci.matching.hits import Seeds
from winnow_ci.model.regions import Evidence, Region, Signs, Stretch
from winnow_ci.native import kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from winnow_ci.matching.constants import Thresholds
    from winnow_ci.matching.hits import FileHits, SharedContents
    from winnow_ci.model import Parameters, TokenMap

# Contents held in memory at a time.
TOGETHER = 64
# Tokens or lines of a block in which overlaps are sought.
BLOCK = 256

Value = TypeVar("Value")


def find_regions(
    file: FileHits,
    shared: SharedContents,
    token_map: Callable[[int], TokenMap],
    parameters: Parameters,
    thresholds: Thresholds,
) -> list[Region]:
    """Find what a changed file has in common with known contents, whose tokens ``token_map`` gives.

    Regions are in no particular order; those of one content hardly overlap.
    """
    if native := kernel():
        found: list[Region] = []
        contents, numbers = shared.each(), kernel_numbers()
        while some := list(islice(contents, TOGETHER)):
            maps = [token_map(content) for content, _, _ in some]
            found += map(_region, native.find_regions(file, parameters, thresholds, numbers, some, maps))
        return found
    # A commit hook that has the kernel need not wait for the import of all that does the same in Python.
    from winnow_ci.matching.copies import regions_of  # noqa: PLC0415

    return regions_of(file, shared, token_map, parameters, thresholds)


def whole_file(file: FileHits, content: int, parameters: Parameters, thresholds: Thresholds) -> Region:
    """Make the region of a file that is identical to a content, token for token."""
    seeds = _seeds_in_place(file, content)
    if native := kernel():
        region = _region(native.whole_file(file, parameters, thresholds, kernel_numbers(), content, seeds))
    else:
        from winnow_ci.matching.copies import whole_file_of  # noqa: PLC0415 - as above

        region = whole_file_of(file, content, seeds, parameters, thresholds)
    return region._replace(identical=True)


def _region(fields: tuple[Any, ...]) -> Region:
    """Make a region of what the kernel says of it."""
    place, counts, kind, starts, bits, evidence, same, is_run, signs = fields
    stretches = tuple(map(Stretch._make, starts))
    return Region._make(
        (*place, *counts, kind, stretches, bits, False, Evidence(*evidence), same, is_run, Signs(*signs), -inf)
    )


def _seeds_in_place(file: FileHits, content: int) -> Seeds:
    """Return the hits of the content that stand where they stand in the file."""
    hits = file.hits
    positions = hits.queries[(hits.contents == content) & (hits.positions == hits.queries)]
    verbatim = np.ones(len(positions), np.bool_)
    informative, telling = file.kgrams.informative[positions], file.telling[positions]
    return Seeds(positions, np.zeros(len(positions), np.int64), informative, telling, verbatim)


class Overlaps(Generic[Value]):
    """Values, each on a half-open span of tokens or lines, found by what they overlap.

    A file may have thousands. So a value is noted in each block that its span touches, and a search looks at a few.
    """

    def __init__(self) -> None:
        self._values: list[tuple[int, int, Value]] = []
        self._blocks: dict[int, list[int]] = {}

    def add(self, start: int, end: int, value: Value) -> None:
        """Add a value on the span ``[start, end)``."""
        for block in _blocks(start, end):
            self._blocks.setdefault(block, []).append(len(self._values))
        self._values.append((start, end, value))

    def over(self, start: int, end: int) -> Iterator[Value]:
        """Find the values whose span overlaps another one, in the order in which they were added."""
        near = [self._blocks[block] for block in _blocks(start, end) if block in self._blocks]
        for number in near[0] if len(near) == 1 else sorted(set(chain.from_iterable(near))):
            other_start, other_end, value = self._values[number]
            if other_start < end and start < other_end:
                yield value


def _blocks(start: int, end: int) -> range:
    return range(start // BLOCK, -(-end // BLOCK))
