"""A file that is a known content as a whole: one region, of all its tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.alignment import Alignment, Seeds
from winnow_ci.matching.classes import CLASSES
from winnow_ci.matching.judge import Judge
from winnow_ci.matching.segments import Segment
from winnow_ci.matching.strength import weighed
from winnow_ci.model import TokenMap

if TYPE_CHECKING:
    from winnow_ci.matching.file_hits import FileHits
    from winnow_ci.matching.judge import Thresholds
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
    tokens, seeds = file.tokens, _seeds(file, content)
    there = TokenMap(tokens.first_lines, tokens.last_lines, tokens.sketch)
    alignment = Alignment(file, CLASSES[tokens.sketch], there, content, seeds, parameters.k)
    candidate = alignment.candidate((Segment(0, len(tokens), 0, len(seeds.positions)),))
    judge = Judge(file, parameters, thresholds)
    region = weighed(alignment.region(candidate, "verbatim", judge.score(candidate)), candidate, judge)
    return region._replace(identical=True, strength="strong")


def _seeds(file: FileHits, content: int) -> Seeds:
    """The hits of the content that stand where they stand in the file."""
    hits = file.hits
    positions = hits.queries[(hits.contents == content) & (hits.positions == hits.queries)]
    verbatim = np.ones(len(positions), np.bool_)
    informative, telling = file.kgrams.informative[positions], file.telling[positions]
    return Seeds(positions, np.zeros(len(positions), np.int64), informative, telling, verbatim)
