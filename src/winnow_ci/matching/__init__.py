"""Hits → regions; no opinion on what they mean."""

from winnow_ci.matching.evidence import Thresholds
from winnow_ci.matching.query import Query, Question
from winnow_ci.matching.regions import find_regions, score, shared

__all__ = ["Query", "Question", "Thresholds", "find_regions", "score", "shared"]
