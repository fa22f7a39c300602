"""Writing an index: collect sources and contents in a draft, then write them all at once.

Of each content, a draft keeps only a key and a number in memory. Postings, token maps and texts wait in a journal or
stay in an old index, and pass through memory part by part.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.index import schema
from winnow_ci.index.assembly import HeldFile, assemble
from winnow_ci.index.journal import Journal
from winnow_ci.index.merging import NONE, DraftOrigin, KeptIndex, renumbered
from winnow_ci.index.rows import ContentBatch
from winnow_ci.index.tables import filling

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from winnow_ci.index.whole_index import WholeIndex
    from winnow_ci.model import Parameters, Source


class IndexDraft:
    """What a new index will hold.

    The caller writes into the unfinished file of ``index.publishing.replacing``.

    Args:
        parameters: of every fingerprint that is added.
        front_ends: revision of each front end, at least of those used.
        tables: digest of the learnt tables that the fingerprints depend on (``evidence.tables``).
        journal: where contents are kept; those it has already need not be added. None: a temporary file.
    """

    def __init__(
        self, parameters: Parameters, front_ends: Mapping[str, str], tables: str, journal: Journal | None = None
    ) -> None:
        self.parameters = parameters
        self._tables = tables
        self._front_ends = front_ends
        self._journal = journal or Journal()
        self._kept: list[KeptIndex] = []
        self._files: dict[Source, list[HeldFile]] = {}
        self._with_text: set[str] = set()

    def __contains__(self, key: bytes) -> bool:
        return key in self._journal.numbers or any(key in old.contents for old in self._kept)

    def keys(self) -> set[bytes]:
        """Keys of the contents in the draft."""
        return set(self._journal.numbers).union(*(old.contents for old in self._kept))

    def texts(self) -> set[bytes]:
        """Keys of the contents whose text is in the draft."""
        return set(self._journal.texts).union(*(old.texts for old in self._kept))

    def keep(self, old: WholeIndex, *, without: str | AbstractSet[str]) -> None:
        """Take over all contents of an index, which must stay open, and all its sources except those named.

        Several indexes may be kept, if they have the same parameters, front ends and tables, and no name twice.
        ``write`` leaves out contents that no source has in the end, and texts that none of them keeps.

        Raises:
            IndexFileError: the index is damaged.
        """
        left_out = {without} if isinstance(without, str) else without
        kept = KeptIndex(old, {}, {})
        self._with_text |= {old.sources[number].name for number in old.with_text} - left_out
        front_ends = old.front_ends
        for content, row in old.all_contents():
            if row.front_end not in front_ends:
                raise old.damaged(f"content {content} was read by a front end that is not in its description")
            if not any(row.key in other.contents for other in self._kept):
                kept.contents[row.key] = content
            if any(file.source in old.with_text for file in row.files) and not self._has_text(row.key):
                kept.texts[row.key] = content
            for file in row.files:
                if (source := old.sources[file.source]).name not in left_out:
                    self.add_file(source, HeldFile(row.key, *file[1:]))
        self._kept.append(kept)

    def _has_text(self, key: bytes) -> bool:
        return key in self._journal.texts or any(key in old.texts for old in self._kept)

    def add_contents(self, batch: ContentBatch) -> None:
        """Add the contents of a batch that the draft lacks."""
        new = np.array([row.key not in self for row in batch.rows], np.bool_)
        if not new.all():
            postings = next(renumbered([batch.postings], np.where(new, np.cumsum(new) - 1, NONE)))
            batch = ContentBatch([row for row, wanted in zip(batch.rows, new, strict=True) if wanted], postings)
        if batch.rows:
            self._journal.add(batch)

    def add_text(self, key: bytes, text: schema.PackedText) -> None:
        """Add the text of a content, which is written if a source keeps it."""
        if not self._has_text(key):
            self._journal.add_text(key, text)

    def keep_text(self, source: Source) -> None:
        """Keep the text of all contents of a source; the text of each of them must be added."""
        self._with_text.add(source.name)

    def keeps_text(self, source: Source) -> bool:
        """Whether the index will keep the text of a source."""
        return source.name in self._with_text

    def add_file(self, source: Source, file: HeldFile) -> None:
        """Add a file of a source."""
        self._files.setdefault(source, []).append(file)

    def write(self, path: Path, progress: Callable[[int, int], None] = lambda done, total: None) -> None:  # noqa: ARG005
        """Write the index into an empty file.

        Args:
            path: of the file.
            progress: called after each block with the number of blocks done and of all blocks.

        Raises:
            sqlite3.Error: the file cannot be written.
            OSError: the journal cannot be written or read.
            IndexFileError: an old index is damaged.
        """
        self._journal.flush()
        origin = DraftOrigin(self._journal, self._kept)
        with filling(path) as tables:
            meta = {
                "k": str(self.parameters.k),
                "w": str(self.parameters.w),
                "selection": self.parameters.selection,
                "algorithm": schema.ALGORITHM,
                "tables": self._tables,
            }
            written = assemble(tables, self._files, self._with_text, origin, progress)
            used = {name: self._front_ends[name] for name in sorted(written.front_ends)}
            tables.add_description({**meta, **written.counts, "front_ends": json.dumps(used)})
