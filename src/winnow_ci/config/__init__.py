"""``.winnow.yml``, baselines, manifests and locks: read, checked, and turned into typed values.

All mistakes in a file are reported at once, with their lines. Reading runs nothing, follows no reference out of the
file, and takes bounded time, because the author of a change may have written the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.start_up import on_demand

if TYPE_CHECKING:
    from winnow_ci.config.baseline_file import baseline_text, load_baseline, parse_baseline
    from winnow_ci.config.index_reference import IndexReference, PinnedFile, ServedIndex, is_uri
    from winnow_ci.config.settings import ReportThresholds, Settings, SharedConfiguration, Snippet
    from winnow_ci.config.settings_file import MOST_BYTES, index_files, load_settings, parse_settings
else:
    __getattr__ = on_demand(
        __name__,
        baseline_file="baseline_text load_baseline parse_baseline",
        index_reference="IndexReference PinnedFile ServedIndex is_uri",
        settings="ReportThresholds Settings SharedConfiguration Snippet",
        settings_file="MOST_BYTES index_files load_settings parse_settings",
    )

__all__ = [
    "MOST_BYTES",
    "IndexReference",
    "PinnedFile",
    "ReportThresholds",
    "ServedIndex",
    "Settings",
    "SharedConfiguration",
    "Snippet",
    "baseline_text",
    "index_files",
    "is_uri",
    "load_baseline",
    "load_settings",
    "parse_baseline",
    "parse_settings",
]
