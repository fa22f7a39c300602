"""Hits → regions; no opinion on what they mean."""

from winnow_ci.matching.file_hits import FileKgrams, WeightedFile
from winnow_ci.matching.judge import Thresholds
from winnow_ci.matching.regions import find_regions, score, shared

__all__ = ["FileKgrams", "Thresholds", "WeightedFile", "find_regions", "score", "shared"]
