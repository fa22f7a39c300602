"""Indexes: corpus → front end → winnowing → index, on all cores; and what is done with existing indexes."""

from winnow_ci.indexer.building import BuildReport, WrittenIndex, add, in_silence
from winnow_ci.indexer.compatibility import check_current
from winnow_ci.indexer.difference import FieldChange, IndexDifference, SourceChange, difference
from winnow_ci.indexer.engine import LOCAL, BuildEngine
from winnow_ci.indexer.filling import AddedFiles, IndexAddition
from winnow_ci.indexer.licences import ARGUMENT, GIVEN
from winnow_ci.indexer.revisions import at_revision, at_tags
from winnow_ci.indexer.survey import IndexSurvey, SharedPassage, survey
from winnow_ci.indexer.upkeep import merge, remove

__all__ = [
    "ARGUMENT",
    "GIVEN",
    "LOCAL",
    "AddedFiles",
    "BuildEngine",
    "BuildReport",
    "FieldChange",
    "IndexAddition",
    "IndexDifference",
    "IndexSurvey",
    "SharedPassage",
    "SourceChange",
    "WrittenIndex",
    "add",
    "at_revision",
    "at_tags",
    "check_current",
    "difference",
    "in_silence",
    "merge",
    "remove",
    "survey",
]
