"""Hits → regions; no opinion on what they mean."""

from winnow_ci.matching.file_hits import FileHits, FileKgrams
from winnow_ci.matching.judge import Thresholds
from winnow_ci.matching.regions import find_regions, overlap, score
from winnow_ci.matching.whole_files import whole_file

__all__ = ["FileHits", "FileKgrams", "Thresholds", "find_regions", "overlap", "score", "whole_file"]
