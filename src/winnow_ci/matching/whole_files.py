"""A file that is a known content as a whole: one region, of all its tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.seeds import Seeds
from winnow_ci.native import kernel

if TYPE_CHECKING:
    from winnow_ci.matching.file_hits import FileHits
    from winnow_ci.matching.thresholds import Thresholds
    from winnow_ci.model import Parameters
    from winnow_ci.model.regions import Region


def whole_file(file: FileHits, content: int, parameters: Parameters, thresholds: Thresholds) -> Region:
    """The region of a file that is identical to a content, token for token.

    Args:
        file: the changed file and its hits.
        content: number of the content.
        parameters: of the index.
        thresholds: of a copy that is not a whole file.
    """
    seeds = _seeds(file, content)
    # A commit hook that has the kernel need not wait for the import of all that does the same in Python.
    if native := kernel():
        from winnow_ci.matching.native_regions import whole_file_by  # noqa: PLC0415

        region = whole_file_by(native, file, content, seeds, parameters, thresholds)
    else:
        from winnow_ci.matching.copies import whole_file_of  # noqa: PLC0415

        region = whole_file_of(file, content, seeds, parameters, thresholds)
    return region._replace(identical=True)


def _seeds(file: FileHits, content: int) -> Seeds:
    """The hits of the content that stand where they stand in the file."""
    hits = file.hits
    positions = hits.queries[(hits.contents == content) & (hits.positions == hits.queries)]
    verbatim = np.ones(len(positions), np.bool_)
    informative, telling = file.kgrams.informative[positions], file.telling[positions]
    return Seeds(positions, np.zeros(len(positions), np.int64), informative, telling, verbatim)
