"""Turn seeds into regions, the stretches of a change that resemble one known content.

The kernel finds them if there is one, otherwise Python does (``copies``, which says how).
"""

from __future__ import annotations

from itertools import islice
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from winnow_ci.matching.hits import Seeds
from winnow_ci.matching.thresholds import kernel_numbers
from winnow_ci.model.regions import Evidence, Region, Signs, Stretch
from winnow_ci.native import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from winnow_ci.matching.hits import FileHits, SharedContents
    from winnow_ci.matching.thresholds import Thresholds
    from winnow_ci.model import Parameters, TokenMap

# Contents held in memory at a time.
TOGETHER = 64


def find_regions(
    file: FileHits,
    shared: SharedContents,
    token_map: Callable[[int], TokenMap],
    parameters: Parameters,
    thresholds: Thresholds,
) -> list[Region]:
    """Find what a changed file has in common with known contents.

    Args:
        file: the changed file and its hits.
        shared: the contents to compare it with.
        token_map: gives a content's tokens.
        parameters: of the fingerprints on both sides.
        thresholds: the least length of a region.

    Returns:
        Regions of all contents, in no particular order; those of one content hardly overlap.
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
    """Make the region of a file that is identical to a content, token for token.

    Args:
        file: the changed file and its hits.
        content: number of the content.
        parameters: of the index.
        thresholds: of a copy that is not a whole file.
    """
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
