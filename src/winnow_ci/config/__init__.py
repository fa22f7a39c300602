"""``.winnow.yml``, baselines, manifests and locks: read, checked, and turned into typed values.

All mistakes in a file are reported at once, with their lines. Reading runs nothing, follows no reference out of the
file, and takes bounded time, because the author of a change may have written the file.
"""

from winnow_ci.config.baseline_file import baseline_text, load_baseline, parse_baseline
from winnow_ci.config.settings import PinnedIndex, ReportThresholds, Settings, Snippet
from winnow_ci.config.settings_file import index_files, load_settings, parse_settings

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
