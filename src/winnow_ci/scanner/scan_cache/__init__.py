"""Whether a scan remembers what earlier ones have found: by default not. ``remembering`` has the memory that lasts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.git import ChangedFile
    from winnow_ci.model import Skipped
    from winnow_ci.scanner.attribution import Match
    from winnow_ci.scanner.preparation import PreparedFile


class Unmatched(NamedTuple):
    """A file of which is known that nothing in it matches."""

    path: str
    tokens: int


class ScanCache:
    """Remembers nothing: every file is looked at."""

    def recall(self, file: ChangedFile) -> Unmatched | Skipped | None:  # noqa: ARG002
        """What is known of a file."""
        return None

    def keep_skipped(self, skipped: Skipped) -> None:
        """Keep that a file of the last scan's is out of scope, if its content decides that."""

    def keep(self, batch: Sequence[PreparedFile], found: Sequence[Sequence[Match]]) -> None:
        """Keep which files of a batch have no matches."""

    def save(self) -> None:
        """Have it all for the next scan."""


NO_CACHE = ScanCache()
