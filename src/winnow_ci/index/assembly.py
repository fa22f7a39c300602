"""The tables of a new index, made of what is in a journal and in an old index, without holding either in memory."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from winnow_ci.errors import IndexFileError
from winnow_ci.index import schema
from winnow_ci.index.reader import BLOCKS_A_QUERY
from winnow_ci.index.rows import FileRow, source_fields
from winnow_ci.index.runs import merged, renumbered

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from winnow_ci.index.journal import Journal
    from winnow_ci.index.reader import IndexReader
    from winnow_ci.index.rows import ContentRow
    from winnow_ci.index.tables import Tables, Value
    from winnow_ci.model import Source


class Written(NamedTuple):
    """What the tables hold: the front ends used, and the numbers of rows and blocks as ``meta`` has them."""

    front_ends: Collection[str]
    counts: dict[str, str]


@dataclass(frozen=True, slots=True)
class Kept:
    """An old index, open, and what of it is not in one before it.

    Attributes:
        index: the index.
        contents: numbers of those contents in it, by key.
        texts: numbers of contents in it, by key, whose text it keeps.
    """

    index: IndexReader
    contents: dict[bytes, int]
    texts: dict[bytes, int]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where contents are.

    Attributes:
        journal: what is new, all of it flushed.
        kept: old indexes; no two have a content or a text of one key.
    """

    journal: Journal
    kept: Sequence[Kept]

    def row(self, key: bytes) -> ContentRow:
        """A content's row, without its files."""
        for old in self.kept:
            if key in old.contents:
                return old.index.content(old.contents[key])
        return self.journal.content(self.journal.numbers[key])

    def text(self, key: bytes) -> schema.PackedText:
        """A content's text, which must be in one of them."""
        for old in self.kept:
            if text := old.index.packed_text(old.texts[key]) if key in old.texts else None:
                return text
        return self.journal.packed_text(key)

    def blocks(self, keys: Sequence[bytes], bits: int, postings: int) -> Iterator[bytes]:
        """The blocks of an index of some contents, which have so many postings."""
        found = 0
        for block in merged(self._runs(keys), bits):
            found += len(block) // schema.POSTING.itemsize
            yield block
        if self.kept and found != postings:
            raise self._miscounted()

    def _runs(self, keys: Sequence[bytes]) -> list[Iterator[NDArray[np.void]]]:
        """The postings of some contents, which get the numbers that their keys have here."""
        of_journal = np.full(len(self.journal.numbers), -1)
        of_kept = [np.full(old.index.contents, -1) for old in self.kept]
        for number, key in enumerate(keys):
            for old, numbers in zip(self.kept, of_kept, strict=True):
                if key in old.contents:
                    numbers[old.contents[key]] = number
                    break
            else:
                of_journal[self.journal.numbers[key]] = number
        runs = [renumbered(run, of_journal) for run in self.journal.runs()]
        return runs + [renumbered(_blocks(old.index), numbers) for old, numbers in zip(self.kept, of_kept, strict=True)]

    def _miscounted(self) -> IndexFileError:
        problem = "it does not have as many fingerprints as its contents say"
        if len(self.kept) == 1:
            return self.kept[0].index.damaged(problem)
        msg = f"one of these indexes is damaged: {', '.join(str(old.index.path) for old in self.kept)}: {problem}"
        return IndexFileError(msg, "find out which: winnow-ci index verify INDEX")


class HeldFile(NamedTuple):
    """A file of a source: key of its content, path, and licence if it says one of its own."""

    key: bytes
    path: bytes
    license: str | None


class _FileRow(NamedTuple):
    key: bytes
    file: FileRow


def assemble(
    tables: Tables,
    files: Mapping[Source, Sequence[HeldFile]],
    with_text: Collection[str],
    origin: Origin,
    progress: Callable[[int, int], None],
) -> Written:
    """Fill all tables but the description.

    Args:
        tables: empty.
        files: all files of each source.
        with_text: names of the sources whose text is kept.
        origin: has all those contents, and those texts.
        progress: is called after each block with the blocks done and the number of all blocks.

    Raises:
        IndexFileError: the old index is damaged.
        OSError: the journal cannot be read.
    """
    sources = sorted(files, key=lambda source: source.name)
    rows = sorted(
        (
            _FileRow(held.key, FileRow(n, held.path, held.license))
            for n, source in enumerate(sources)
            for held in files[source]
        ),
        key=lambda row: (not sources[row.file.source].boilerplate, row.key, row.file.source, row.file.path),
    )
    keeping = [source.name in with_text for source in sources]
    tables.add_digested("source", _source_rows(sources, keeping))
    contents = _Contents(rows, origin)
    tables.add_digested("content", contents.table())
    bits = schema.block_bits(contents.postings)
    tables.add("file", contents.files())
    tables.add_digested("block", _block_rows(origin.blocks(contents.keys, bits, contents.postings), bits, progress))
    texts = [number for number, kept in enumerate(contents.kept(keeping)) if kept]
    tables.add_digested("text", _text_rows(texts, contents.keys, origin))
    counts = {
        "bits": bits,
        "sources": len(sources),
        "contents": len(contents.keys),
        "postings": contents.postings,
        "texts": len(texts),
        "boilerplate": contents.boilerplate,
    }
    return Written(contents.front_ends, {name: str(count) for name, count in counts.items()})


class _Contents:
    """The contents that have files, in their final order; what is in them is known once their table has been made."""

    def __init__(self, rows: Sequence[_FileRow], origin: Origin) -> None:
        self._rows = rows
        self._origin = origin
        self.keys: list[bytes] = []
        self.front_ends: set[str] = set()
        self.postings = 0
        self.boilerplate = 0

    def table(self) -> Iterator[tuple[tuple[Value, ...], bytes]]:
        for key, files in groupby(self._rows, lambda row: row.key):
            row = self._origin.row(key)._replace(files=tuple(row.file for row in files))
            yield (len(self.keys), *row.fields()), row.digest()
            self.keys.append(key)
            self.front_ends.add(row.front_end)
            self.postings += row.fingerprints
            self.boilerplate += row.boilerplate

    def files(self) -> Iterator[tuple[Value, ...]]:
        for number, (_, files) in enumerate(groupby(self._rows, lambda row: row.key)):
            yield from ((number, *row.file) for row in files)

    def kept(self, keeping: Sequence[bool]) -> Iterator[bool]:
        """Of each content, whether its text is kept."""
        for _, files in groupby(self._rows, lambda row: row.key):
            yield any(keeping[row.file.source] for row in files)


def _source_rows(sources: Sequence[Source], keeping: Sequence[bool]) -> Iterator[tuple[tuple[Value, ...], bytes]]:
    for number, (source, kept) in enumerate(zip(sources, keeping, strict=True)):
        fields = source_fields(source, text=kept)
        yield (number, *fields), schema.digest(*fields)


def _block_rows(
    blocks: Iterator[bytes], bits: int, progress: Callable[[int, int], None]
) -> Iterator[tuple[tuple[Value, ...], bytes]]:
    for number, postings in enumerate(blocks):
        yield (number, postings), schema.block_digest(number, postings)
        progress(number + 1, 1 << bits)


def _text_rows(
    numbers: Sequence[int], keys: Sequence[bytes], origin: Origin
) -> Iterator[tuple[tuple[Value, ...], bytes]]:
    for number in numbers:
        fields = number, *origin.text(keys[number])
        yield fields, schema.digest(*fields)


def _blocks(old: IndexReader) -> Iterator[NDArray[np.void]]:
    """All postings of an index, some blocks at a time."""
    for first in range(0, 1 << old.bits, BLOCKS_A_QUERY):
        postings = old.blocks(range(first, min(first + BLOCKS_A_QUERY, 1 << old.bits)))
        if (postings["content"] >= old.contents).any():
            raise old.damaged("a block holds postings that cannot be")
        yield postings
