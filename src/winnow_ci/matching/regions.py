"""Seeds → regions: the stretches of a change that are like a stretch of one known content.

The kernel finds them if there is one (``native_regions``), otherwise Python does (``copies``, which says how).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.native import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from winnow_ci.matching.file_hits import FileHits
    from winnow_ci.matching.shared_contents import SharedContents
    from winnow_ci.matching.thresholds import Thresholds
    from winnow_ci.model import Parameters, TokenMap
    from winnow_ci.model.regions import Region


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
    # A commit hook that has the kernel need not wait for the import of all that does the same in Python.
    if native := kernel():
        from winnow_ci.matching.native_regions import regions_by  # noqa: PLC0415

        return regions_by(native, file, shared, token_map, parameters, thresholds)
    from winnow_ci.matching.copies import regions_of  # noqa: PLC0415

    return regions_of(file, shared, token_map, parameters, thresholds)
