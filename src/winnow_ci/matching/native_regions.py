"""Seeds → regions by the kernel, which has the whole of ``copies`` and of what it calls."""

from __future__ import annotations

from itertools import islice
from math import inf
from typing import TYPE_CHECKING, Any

from winnow_ci.model.regions import Evidence, Region, Signs, Stretch

if TYPE_CHECKING:
    from collections.abc import Callable

    from winnow_ci.matching.file_hits import FileHits
    from winnow_ci.matching.seeds import Seeds
    from winnow_ci.matching.shared_contents import SharedContents
    from winnow_ci.matching.thresholds import Thresholds
    from winnow_ci.model import Parameters, TokenMap

# Contents held in memory at a time.
TOGETHER = 64


def regions_by(
    kernel: Any,
    file: FileHits,
    shared: SharedContents,
    token_map: Callable[[int], TokenMap],
    parameters: Parameters,
    thresholds: Thresholds,
) -> list[Region]:
    """What ``regions.find_regions`` finds, by the kernel."""
    matching, contents = kernel.Matching(), shared.each()
    while some := list(islice(contents, TOGETHER)):
        maps = [token_map(content) for content, _, _ in some]
        matching.compare(file, parameters, thresholds, some, maps)
    return list(map(_region, matching.regions()))


def whole_file_by(
    kernel: Any, file: FileHits, content: int, seeds: Seeds, parameters: Parameters, thresholds: Thresholds
) -> Region:
    """The verbatim region of all tokens of a file, which a content has, too: ``whole_files.whole_file``."""
    return _region(kernel.whole_file(file, parameters, thresholds, content, seeds))


def _region(fields: tuple[Any, ...]) -> Region:
    place, starts, bits, evidence, same, is_run, signs = fields
    stretches = tuple(map(Stretch._make, starts))
    return Region._make((*place, stretches, bits, False, Evidence(*evidence), same, is_run, Signs(*signs), -inf))
