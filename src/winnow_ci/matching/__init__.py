"""Hits → regions; no opinion on what they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.start_up import on_demand

if TYPE_CHECKING:
    from winnow_ci.matching.file_hits import FileHits, FileKgrams
    from winnow_ci.matching.ranking import most_telling
    from winnow_ci.matching.region_tokens import SAME_GAIN, part_of, renumbered, score, union
    from winnow_ci.matching.regions import find_regions
    from winnow_ci.matching.shared_contents import SharedContents
    from winnow_ci.matching.thresholds import Thresholds
    from winnow_ci.matching.whole_files import whole_file
else:
    __getattr__ = on_demand(
        __name__,
        file_hits="FileHits FileKgrams",
        ranking="most_telling",
        region_tokens="SAME_GAIN part_of renumbered score union",
        regions="find_regions",
        shared_contents="SharedContents",
        thresholds="Thresholds",
        whole_files="whole_file",
    )

__all__ = [
    "SAME_GAIN",
    "FileHits",
    "FileKgrams",
    "SharedContents",
    "Thresholds",
    "find_regions",
    "most_telling",
    "part_of",
    "renumbered",
    "score",
    "union",
    "whole_file",
]
