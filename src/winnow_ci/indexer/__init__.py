"""Building an index: corpus → front end → winnowing → index, on all cores."""

from winnow_ci.indexer.building import BuildReport, build

__all__ = ["BuildReport", "build"]
