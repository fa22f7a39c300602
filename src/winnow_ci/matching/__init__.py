"""Turn hits into regions; other rooms decide what they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.start_up import on_demand

if TYPE_CHECKING:
    from winnow_ci.matching.hits import FileHits, FileKgrams, SharedContents
    from winnow_ci.matching.ranking import most_telling
    from winnow_ci.matching.region_tokens import SAME_GAIN, part_of, renumbered, score, union
    from winnow_ci.matching.regions import find_regions, whole_file
    from winnow_ci.matching.thresholds import Thresholds
else:
    __getattr__ = on_demand(
        __name__,
        hits="FileHits FileKgrams SharedContents",
        ranking="most_telling",
        region_tokens="SAME_GAIN part_of renumbered score union",
        regions="find_regions whole_file",
        thresholds="Thresholds",
    )
