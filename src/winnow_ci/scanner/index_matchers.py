"""The matchers of the indexes of a scan, made when the first file has hits: most commits have none.

Matching is some thirty modules, and a commit hook's user would wait while they are imported.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from winnow_ci import matching

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.config.settings import Settings
    from winnow_ci.index import IndexReader
    from winnow_ci.model.findings import ShownCode
    from winnow_ci.scanner.matches import IndexMatcher


class IndexMatchers:
    """Makes them.

    Args:
        indexes: known code.
        settings: what is too short to report.
        shown: how much of a finding's code is shown.
    """

    def __init__(self, indexes: Sequence[IndexReader], settings: Settings, shown: ShownCode) -> None:
        self._indexes = indexes
        self._report = settings.report
        self._shown = shown

    @cached_property
    def all(self) -> list[IndexMatcher]:
        """One for each index, in the order of the indexes."""
        from winnow_ci.scanner.matches import IndexMatcher  # noqa: PLC0415 - as above

        thresholds = matching.Thresholds(self._report.min_tokens, self._report.min_tokens_renamed)
        return [IndexMatcher(index, number, thresholds, self._shown) for number, index in enumerate(self._indexes)]
