"""Write an index: collect sources and contents in a draft, then write them all at once.

Of each content, a draft keeps only a key and a number in memory. Postings, token maps and texts wait in a journal or
stay in an old index, and pass through memory part by part.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from winnow_ci.arrays import among
from winnow_ci.errors import IndexFileError
from winnow_ci.index import schema
from winnow_ci.index.blocks import NONE, BlockTable, runs_of, with_ids
from winnow_ci.index.coding import PackedText
from winnow_ci.index.content_packs import Directory, chunks, pack
from winnow_ci.index.journal import Journal
from winnow_ci.index.publishing import filling
from winnow_ci.index.rows import (
    ContentBatch,
    ContentRow,
    DigestedRow,
    FileRow,
    HeldFile,
    shard_of_content,
    source_fields,
)
from winnow_ci.index.whole_index import WholeIndex
from winnow_ci.model import Parameters, Progress, Source, no_progress
from winnow_ci.named_tuples import NamedTuple


class IndexDraft:
    """What a new index will hold; it is written into the unfinished file of ``index.publishing.replacing``.

    All fingerprints have the same parameters. They depend on the revisions of the front ends, given by name, and on the
    learnt tables, given by their digest. Contents that the journal has need not be added.
    """

    def __init__(
        self, parameters: Parameters, front_ends: Mapping[str, str], tables: str, journal: Journal | None = None
    ) -> None:
        self.parameters = parameters
        self._tables = tables
        self._front_ends = front_ends
        self._journal = journal or Journal()
        self._kept: list[_KeptIndex] = []
        self._files: dict[Source, list[HeldFile]] = {}
        self._with_text: set[str] = set()

    def __contains__(self, key: bytes) -> bool:
        return key in self._journal.numbers or any(key in old.contents for old in self._kept)

    def keys(self) -> set[bytes]:
        """Return the keys of the contents in the draft."""
        return set(self._journal.numbers).union(*(old.contents for old in self._kept))

    def texts(self) -> set[bytes]:
        """Return the keys of the contents whose text is in the draft."""
        return set(self._journal.texts).union(*(old.texts for old in self._kept))

    def keep(self, old: WholeIndex, *, without: AbstractSet[str] = frozenset()) -> None:
        """Take over all contents of an index, which must stay open, and all its sources except those named.

        Several indexes may be kept, if they have the same parameters, front ends and tables, and no name twice.
        ``write`` leaves out contents that no source has in the end, and texts that none of them keeps.
        """
        kept = _KeptIndex(old, {}, {})
        self._with_text |= {old.sources[number].name for number in old.with_text} - without
        for content, row in old.all_contents():
            if row.front_end not in old.front_ends:
                raise old.damaged(f"content {content} was read by a front end that its description lacks")
            if not any(row.key in other.contents for other in self._kept):
                kept.contents[row.key] = content
            if any(file.source in old.with_text for file in row.files) and not self._has_text(row.key):
                kept.texts[row.key] = content
            for file in row.files:
                if (source := old.sources[file.source]).name not in without:
                    self.add_file(source, HeldFile(row.key, *file[1:]))
        self._kept.append(kept)

    def _has_text(self, key: bytes) -> bool:
        return key in self._journal.texts or any(key in old.texts for old in self._kept)

    def add_contents(self, batch: ContentBatch) -> None:
        """Add the contents of a batch that the draft lacks."""
        new = np.array([row.key not in self for row in batch.rows], np.bool_)
        if not new.all():
            postings = next(with_ids([batch.postings], np.where(new, np.cumsum(new) - 1, NONE)))
            batch = ContentBatch([row for row, wanted in zip(batch.rows, new, strict=True) if wanted], postings)
        if batch.rows:
            self._journal.add(batch)

    def add_text(self, key: bytes, text: PackedText) -> None:
        """Add the text of a content, which is written if a source keeps it."""
        if not self._has_text(key):
            self._journal.add_text(key, text)

    def keep_text(self, source: Source) -> None:
        """Keep the text of all contents of a source; the text of each of them must be added."""
        self._with_text.add(source.name)

    def keeps_text(self, source: Source) -> bool:
        """Return whether the index will keep the text of a source."""
        return source.name in self._with_text

    def add_file(self, source: Source, file: HeldFile) -> None:
        """Add a file of a source."""
        self._files.setdefault(source, []).append(file)

    def write(self, path: Path, progress: Progress = no_progress) -> None:
        """Write the index into an empty file; raise ``sqlite3.Error`` or ``OSError`` if that fails.

        ``progress`` is called after each range of blocks with the number of blocks done and of all blocks. Raises
        ``IndexFileError`` if an old index is damaged, or two contents have the same id.
        """
        self._journal.flush()
        sources = sorted(self._files, key=lambda source: source.name)
        rows = self._rows(sources)
        contents = _Contents(rows, self._row)
        texts = sorted({row.content for row in rows if self.keeps_text(sources[row.file.source])})
        with filling(path) as tables:
            tables.add_digested("source", self._source_rows(sources))
            tables.add("pack", chunks(contents.packs()))
            directory = contents.directory()
            tables.add_digested("directory", directory.rows())
            for content, leaf in sorted(contents.leaves.items()):
                tables.tree.add("content", shard_of_content(content), leaf)
            blocks = BlockTable(tables, directory, progress)
            blocks.fill(self._runs(contents.keys), contents.keys, contents.postings)
            if blocks.found != contents.postings and self._kept:
                raise self._miscounted()
            tables.add_digested("text", self._text_rows(texts, contents.keys))
            counts = contents.counts | blocks.counts | {"sources": len(sources), "texts": len(texts)}
            tables.add_description(self._described(contents.front_ends) | {key: str(n) for key, n in counts.items()})

    def _described(self, front_ends: Iterable[str]) -> dict[str, str]:
        return {
            "k": str(self.parameters.k),
            "w": str(self.parameters.w),
            "selection": self.parameters.selection,
            "algorithm": schema.ALGORITHM,
            "tables": self._tables,
            "front_ends": json.dumps({name: self._front_ends[name] for name in sorted(front_ends)}),
        }

    def _rows(self, sources: Sequence[Source]) -> list[_KeyedFile]:
        """Return all files, those of each content together."""
        rows = [
            _KeyedFile(held.key, schema.content_id(held.key, boilerplate=source.boilerplate), FileRow(n, *held[1:]))
            for n, source in enumerate(sources)
            for held in self._files[source]
        ]
        return sorted(rows, key=lambda row: (row.content, row.file.source, row.file.path))

    def _source_rows(self, sources: Sequence[Source]) -> Iterator[DigestedRow]:
        for number, source in enumerate(sources):
            fields = source_fields(source, text=self.keeps_text(source))
            yield DigestedRow((number, *fields), schema.digest(*fields))

    def _row(self, key: bytes) -> ContentRow:
        """Return the row of a content, without its files."""
        for old in self._kept:
            if key in old.contents:
                return old.reader.content(old.contents[key])
        return self._journal.content(self._journal.numbers[key])

    def _text_rows(self, ids: Sequence[int], keys: Mapping[int, bytes]) -> Iterator[DigestedRow]:
        for content in ids:
            fields = content, *self._text(keys[content])
            leaf = schema.text_leaf(*fields[:2])
            yield DigestedRow(fields, schema.digest(*fields), shard_of_content(content), leaf)

    def _text(self, key: bytes) -> PackedText:
        for old in self._kept:
            if key in old.texts:
                text = old.reader.packed_text(old.texts[key])
                if text is None:
                    raise old.reader.damaged(f"text of content {old.texts[key]}")
                return text
        return self._journal.packed_text(key)

    def _runs(self, keys: Mapping[int, bytes]) -> list[Iterator[NDArray[np.void]]]:
        """Return runs of the postings of contents, given by id and key, without those of their whole files."""
        contents = {key: content for content, key in keys.items()}
        of_journal = np.full(len(self._journal.numbers), NONE)
        for key, number in self._journal.numbers.items():
            if key in contents and not any(key in old.contents for old in self._kept):
                of_journal[number] = contents[key]
        runs = [with_ids(run, of_journal) for run in self._journal.runs()]
        for old in self._kept:
            taken = {content for key, content in old.contents.items() if key in contents}
            dropped = np.array(sorted({*old.reader.content_ids().tolist()} - taken), np.int64)
            runs += [_without(run, dropped) for run in runs_of(old.reader)]
        return runs

    def _miscounted(self) -> IndexFileError:
        """Return the error for too few or too many postings."""
        problem = "its number of fingerprints differs from the sum of its contents"
        if len(self._kept) == 1:
            return self._kept[0].reader.damaged(problem)
        msg = f"one of these indexes is damaged: {', '.join(str(old.reader.path) for old in self._kept)}: {problem}"
        return IndexFileError(msg, "find out which: winnow-ci index verify INDEX")


class _KeptIndex(NamedTuple):
    """An open old index, and what it has that no old index before it has."""

    reader: WholeIndex
    contents: dict[bytes, int]  # key → id of those contents in it
    texts: dict[bytes, int]  # key → id of those contents in it whose text it keeps


class _KeyedFile(NamedTuple):
    key: bytes
    content: int
    file: FileRow


class _Contents:
    """The contents that have files; what is in them is known once they have been packed."""

    def __init__(self, rows: Sequence[_KeyedFile], row_of: Callable[[bytes], ContentRow]) -> None:
        self._rows = rows
        self._row_of = row_of
        self._tokens: list[int] = []
        self._sizes: list[int] = []
        self.keys: dict[int, bytes] = {}  # by id, in the order of the directory
        self.leaves: dict[int, bytes] = {}  # by id
        self.front_ends: set[str] = set()  # those that read one of them
        self.postings = 0  # fingerprints

    @property
    def counts(self) -> dict[str, int]:
        """What the description says of them."""
        boilerplate = sum(content < 0 for content in self.keys)
        return {"contents": len(self.keys), "postings": self.postings, "boilerplate": boilerplate}

    def packs(self) -> Iterator[bytes]:
        """Yield all packs; of contents whose first file is the same one, the id decides."""
        held = [list(of_content) for _, of_content in groupby(self._rows, lambda row: row.content)]
        held.sort(key=lambda files: (files[0].file[:2], files[0].content))
        for number, first in enumerate(range(0, len(held), schema.PACK)):
            packed = pack(number, [self._content(files) for files in held[first : first + schema.PACK]])
            self._sizes.append(len(packed))
            yield packed

    def directory(self) -> Directory:
        numbers = np.array(self._tokens, np.int64), np.array(self._sizes, np.int64)
        return Directory(np.array([*self.keys], np.int64), *numbers)

    def _content(self, files: Sequence[_KeyedFile]) -> ContentRow:
        key, content = files[0].key, files[0].content
        if other := next((file for file in files if file.key != key), None):
            msg = f"two contents have the same id: those of {_shown(files[0])} and {_shown(other)}"
            raise IndexFileError(msg, "leave out one of the files")
        row = self._row_of(key)._replace(files=tuple(row.file for row in files))
        self.keys[content], self.leaves[content] = key, row.leaf()
        self.front_ends.add(row.front_end)
        self.postings += row.fingerprints
        self._tokens.append(row.tokens)
        return row


def _shown(row: _KeyedFile) -> str:
    return row.file.path.decode("utf-8", "replace")


def _without(parts: Iterable[NDArray[np.void]], ids: NDArray[np.int64]) -> Iterator[NDArray[np.void]]:
    """Yield postings without those of some contents, given by their ids, sorted."""
    for part in parts:
        yield part[~among(part["content"], ids)]
