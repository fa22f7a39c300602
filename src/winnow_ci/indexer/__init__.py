"""Indexes: corpus → front end → winnowing → index, on all cores; and what is done with indexes that are there."""

from winnow_ci.indexer.agreement import check_current
from winnow_ci.indexer.building import BuildProgress, BuildReport, add, build
from winnow_ci.indexer.comparison import Change, Difference, SourceChange, difference
from winnow_ci.indexer.filling import Addition
from winnow_ci.indexer.licences import ARGUMENT
from winnow_ci.indexer.revisions import Version, at_commits, at_revision, at_tags, is_version, versions
from winnow_ci.indexer.survey import Candidate, Survey, survey
from winnow_ci.indexer.upkeep import Written, merge, remove

__all__ = [
    "ARGUMENT",
    "Addition",
    "BuildProgress",
    "BuildReport",
    "Candidate",
    "Change",
    "Difference",
    "SourceChange",
    "Survey",
    "Version",
    "Written",
    "add",
    "at_commits",
    "at_revision",
    "at_tags",
    "build",
    "check_current",
    "difference",
    "is_version",
    "merge",
    "remove",
    "survey",
    "versions",
]
