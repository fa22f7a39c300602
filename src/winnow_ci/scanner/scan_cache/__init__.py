"""What earlier scans found: by default a scan knows nothing of them. ``lasting`` has the cache that lasts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.model import Skipped
    from winnow_ci.model.changes import ChangedFile
    from winnow_ci.scanner.values import Match, PreparedFile, Unmatched


class ScanCache:
    """Knows nothing: every file is read."""

    def recall(self, file: ChangedFile) -> Unmatched | Skipped | None:  # noqa: ARG002
        """What earlier scans found of a file; None if it must be read."""
        return None

    def keep_skipped(self, skipped: Skipped) -> None:
        """Keep that a file is out of scope, if its content decides that."""

    def keep(self, batch: Sequence[PreparedFile], found: Sequence[Sequence[Match]]) -> None:
        """Keep the files of a batch that have no match."""

    def save(self) -> None:
        """Store everything for the next scan."""


NO_CACHE = ScanCache()
