"""Hits → regions; no opinion on what they mean."""

from winnow_ci.matching.file_hits import FileHits, FileKgrams
from winnow_ci.matching.judge import LEAST_SCORE, Thresholds
from winnow_ci.matching.ranking import most_telling
from winnow_ci.matching.region_tokens import part_of, region_tokens, union
from winnow_ci.matching.regions import SAME_GAIN, find_regions, score
from winnow_ci.matching.shared_contents import SharedContents, shared_contents
from winnow_ci.matching.whole_files import whole_file

__all__ = [
    "LEAST_SCORE",
    "SAME_GAIN",
    "FileHits",
    "FileKgrams",
    "SharedContents",
    "Thresholds",
    "find_regions",
    "most_telling",
    "part_of",
    "region_tokens",
    "score",
    "shared_contents",
    "union",
    "whole_file",
]
