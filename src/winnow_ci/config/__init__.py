"""``.winnow.yml``: read, checked, and turned into typed settings.

Every mistake in the file is an error that names the line. Reading never runs anything, follows no reference out of
the file, and takes a bounded time, because the author of a change may have written the file.
"""

from winnow_ci.config.baseline_file import baseline_text, load_baseline, parse_baseline
from winnow_ci.config.indexes import index_files
from winnow_ci.config.settings import PinnedIndex, ReportThresholds, Settings, Snippet
from winnow_ci.config.settings_file import load_settings, parse_settings

__all__ = [
    "PinnedIndex",
    "ReportThresholds",
    "Settings",
    "Snippet",
    "baseline_text",
    "index_files",
    "load_baseline",
    "load_settings",
    "parse_baseline",
    "parse_settings",
]
