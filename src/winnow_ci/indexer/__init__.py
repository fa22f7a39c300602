"""Indexes: corpus → front end → winnowing → index, on all cores; and what is done with existing indexes."""

from winnow_ci.indexer.building import BuildReport, WrittenIndex, add, build
from winnow_ci.indexer.compatibility import check_current
from winnow_ci.indexer.difference import FieldChange, IndexDifference, SourceChange, difference
from winnow_ci.indexer.filling import AddedFiles, IndexAddition
from winnow_ci.indexer.licences import ARGUMENT
from winnow_ci.indexer.revisions import SourceVersion, at_commits, at_revision, at_tags, is_version, versions
from winnow_ci.indexer.survey import IndexSurvey, SharedPassage, survey
from winnow_ci.indexer.upkeep import merge, remove

__all__ = [
    "ARGUMENT",
    "AddedFiles",
    "BuildReport",
    "FieldChange",
    "IndexAddition",
    "IndexDifference",
    "IndexSurvey",
    "SharedPassage",
    "SourceChange",
    "SourceVersion",
    "WrittenIndex",
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
