"""Build indexes (corpus → front end → winnowing → index), and maintain existing ones."""

from winnow_ci.indexer.building import (
    BuildReport,
    WrittenIndex,
    add,
    check_current,
    in_silence,
    merge_indexes,
    remove_sources,
)
from winnow_ci.indexer.engine import LOCAL, BuildEngine
from winnow_ci.indexer.filling import BY_ARGUMENT, GIVEN, AddedFiles, IndexAddition
from winnow_ci.indexer.revisions import at_revision, at_tags
