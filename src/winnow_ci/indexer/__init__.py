"""Indexes: corpus → front end → winnowing → index, on all cores; and what is done with indexes that are there."""

from winnow_ci.indexer.agreement import check_current
from winnow_ci.indexer.building import BuildProgress, BuildReport, build
from winnow_ci.indexer.comparison import Change, Difference, SourceChange, difference
from winnow_ci.indexer.licences import ARGUMENT
from winnow_ci.indexer.survey import Candidate, Survey, survey
from winnow_ci.indexer.upkeep import Written, merge, remove

__all__ = [
    "ARGUMENT",
    "BuildProgress",
    "BuildReport",
    "Candidate",
    "Change",
    "Difference",
    "SourceChange",
    "Survey",
    "Written",
    "build",
    "check_current",
    "difference",
    "merge",
    "remove",
    "survey",
]
