"""A store that counts what it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.index.store import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from winnow_ci.index.coding import StoredBlock
    from winnow_ci.index.store import BlockKind


class CountingStore(SqliteStore):
    """An index file that counts the questions for blocks, each of which a server would be asked at once."""

    blocks_a_query = 1 << 14

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.questions = 0

    def blocks(self, numbers: Sequence[int], kind: BlockKind) -> list[StoredBlock]:
        """Some blocks, by number."""
        self.questions += 1
        return super().blocks(numbers, kind)
