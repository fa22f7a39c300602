"""Hits → regions; no opinion on what they mean."""

from winnow_ci.matching.file_hits import FileHits, FileKgrams
from winnow_ci.matching.judge import LEAST_SCORE, Thresholds
from winnow_ci.matching.region_tokens import part_of, region_tokens, union
from winnow_ci.matching.regions import SAME_GAIN, find_regions, score
from winnow_ci.matching.whole_files import whole_file

__all__ = [
    "LEAST_SCORE",
    "SAME_GAIN",
    "FileHits",
    "FileKgrams",
    "Thresholds",
    "find_regions",
    "part_of",
    "region_tokens",
    "score",
    "union",
    "whole_file",
]
