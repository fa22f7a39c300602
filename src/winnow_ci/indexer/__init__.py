"""Building an index: corpus → front end → winnowing → index, on all cores."""

from winnow_ci.indexer.building import BuildProgress, BuildReport, build

__all__ = ["BuildProgress", "BuildReport", "build"]
