"""What a journal and old indexes hold becomes the tables of a new index, without being held in memory."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from winnow_ci.errors import IndexFileError
from winnow_ci.index import schema
from winnow_ci.index.block_table import BlockTable
from winnow_ci.index.rows import FileRow, source_fields
from winnow_ci.index.schema import content_id
from winnow_ci.index.tables import digested_row
from winnow_ci.index.tree import shard_of_content
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from winnow_ci.index.merging import DraftOrigin
    from winnow_ci.index.tables import DigestedRows, IndexTables, Value
    from winnow_ci.model import Source


class TableCounts(NamedTuple):
    """What the tables hold: the front ends used, and how many rows and blocks, as in ``meta``."""

    front_ends: Collection[str]
    counts: dict[str, str]


class HeldFile(NamedTuple):
    """A file of a source: key of its content, path, and its licence and where that was read, if it has its own."""

    key: bytes
    path: bytes
    license: str | None = None
    license_from: str | None = None


class _FileRow(NamedTuple):
    key: bytes
    content: int
    file: FileRow


def assemble(
    tables: IndexTables,
    files: Mapping[Source, Sequence[HeldFile]],
    with_text: Collection[str],
    origin: DraftOrigin,
    progress: Callable[[int, int], None],
) -> TableCounts:
    """Fill all tables but the description.

    Args:
        tables: empty ones.
        files: all files of each source.
        with_text: names of the sources whose text the index keeps.
        origin: holds all contents of these files, and the texts to keep.
        progress: called after each range of blocks with the number of blocks done and of all blocks.

    Raises:
        IndexFileError: an old index is damaged, or two contents have the same id.
        OSError: the journal cannot be read.
    """
    sources = sorted(files, key=lambda source: source.name)
    rows = sorted(
        (
            _FileRow(held.key, content_id(held.key, boilerplate=source.boilerplate), FileRow(n, *held[1:]))
            for n, source in enumerate(sources)
            for held in files[source]
        ),
        key=lambda row: (row.content, row.file.source, row.file.path),
    )
    keeping = [source.name in with_text for source in sources]
    tables.add_digested("source", _source_rows(sources, keeping))
    contents = _Contents(rows, origin)
    tables.add_digested("content", contents.table())
    tables.add("file", contents.files())
    blocks = BlockTable(tables, progress)
    blocks.fill(contents.keys, contents.postings, origin)
    texts = [content for content, kept in contents.kept(keeping) if kept]
    tables.add_digested("text", _text_rows(texts, contents.keys, origin))
    counts = {
        "sources": len(sources),
        "contents": len(contents.keys),
        "postings": contents.postings,
        "texts": len(texts),
        "boilerplate": sum(content < 0 for content in contents.keys),
        **blocks.counts,
    }
    return TableCounts(contents.front_ends, {name: str(count) for name, count in counts.items()})


class _Contents:
    """The contents that have files, in their final order; what is in them is known once their table has been made.

    Attributes:
        keys: of each content, by its id.
        front_ends: those that read one of them.
        postings: how many fingerprints they have.
    """

    def __init__(self, rows: Sequence[_FileRow], origin: DraftOrigin) -> None:
        self._rows = rows
        self._origin = origin
        self.keys: dict[int, bytes] = {}
        self.front_ends: set[str] = set()
        self.postings = 0

    def table(self) -> Iterator[DigestedRows]:
        for content, files in self._by_content():
            key = files[0].key
            if files[-1].key != key:
                msg = f"two contents have the same id: those of {_shown(files[0])} and {_shown(files[-1])}"
                raise IndexFileError(msg, "leave one of the files out")
            row = self._origin.row(key)._replace(files=tuple(row.file for row in files))
            digest, leaf = row.digest_and_leaf()
            yield digested_row((content, *row.fields()), digest, shard_of_content(content), leaf)
            self.keys[content] = key
            self.front_ends.add(row.front_end)
            self.postings += row.fingerprints

    def files(self) -> Iterator[tuple[Value, ...]]:
        return ((row.content, *row.file) for row in self._rows)

    def kept(self, keeping: Sequence[bool]) -> Iterator[tuple[int, bool]]:
        """Each content, and whether the index keeps its text."""
        for content, files in self._by_content():
            yield content, any(keeping[row.file.source] for row in files)

    def _by_content(self) -> Iterator[tuple[int, list[_FileRow]]]:
        for content, files in groupby(self._rows, lambda row: row.content):
            # Two keys with one id would else be mixed.
            yield content, sorted(files, key=lambda row: (row.key, row.file.source, row.file.path))


def _shown(row: _FileRow) -> str:
    return row.file.path.decode("utf-8", "replace")


def _source_rows(sources: Sequence[Source], keeping: Sequence[bool]) -> Iterator[DigestedRows]:
    for number, (source, kept) in enumerate(zip(sources, keeping, strict=True)):
        fields = source_fields(source, text=kept)
        yield digested_row((number, *fields), schema.digest(*fields), 0)


def _text_rows(ids: Sequence[int], keys: Mapping[int, bytes], origin: DraftOrigin) -> Iterator[DigestedRows]:
    for content in ids:
        fields = content, *origin.text(keys[content])
        leaf = schema.text_leaf(content, fields[1])
        yield digested_row(fields, schema.digest(*fields), shard_of_content(content), leaf)
