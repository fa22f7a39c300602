"""Read an index from a file or a server. Nothing here writes, and nothing unchecked is trusted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np

from winnow_ci.errors import IndexFileError
from winnow_ci.index import schema
from winnow_ci.index.coding import PackedText, unpack_map, unpack_text
from winnow_ci.index.rows import ContentRow, FileRow, display_source, is_source_row
from winnow_ci.index.store import BlockKind, Store, in_batches
from winnow_ci.model import KGRAM_LENGTHS, WINDOW_LENGTHS, Parameters, Selection, Source, SourceFile, TokenMap

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

_MOST_DIGITS = 18
_MOST_BITS = 40  # a file of 2^40 blocks would have 20 TB


class IndexReader:
    """An index, opened for reading, given where it lies; that is closed with the reader.

    Raises ``IndexFileError``, also from every method that reads something damaged.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.damaged = store.damaged
        try:
            self._meta = meta = _description(store)
        except BaseException:
            store.close()
            raise
        self.name = store.name  # what people call it: the path of a file, or the address of a server
        self.parameters = Parameters(int(meta["k"]), int(meta["w"]), cast("Selection", meta["selection"]))
        self.front_ends: dict[str, str] = json.loads(meta["front_ends"])  # family → revision
        self.tables = meta["tables"]  # digest of the learnt tables (``evidence.tables``) with which it was made
        self.digest = meta["digest"]  # the root of its tree of digests, in hexadecimal: equal for equal inputs
        self.blocks = BlockKind(0, int(meta["bits"]))
        self.crowd_blocks = BlockKind(self.blocks.how_many, int(meta["crowd_bits"]))
        self.postings = int(meta["postings"])  # fingerprints
        self.contents = int(meta["contents"])
        self.texts = int(meta["texts"])  # contents whose text is inside
        self.boilerplate = int(meta["boilerplate"])  # contents that are boilerplate; their ids are negative
        self.crowded = int(meta["crowded"])  # hashes that have more than ``schema.CROWD`` places
        self.cut = int(meta["cut"])  # fingerprints that no scan sees: their hash and their text have too many places

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """The sources by id, under the names by which they are stored."""
        return tuple(Source._make((*row[:-2], bool(row[-2]))) for row in self._source_rows)

    @property
    def names(self) -> frozenset[str]:
        """The names of sources as ``files`` gives them; all versions of a project have one name."""
        return frozenset(source.name for source in self._displayed)

    @cached_property
    def _displayed(self) -> tuple[Source, ...]:
        return tuple(map(display_source, self.sources))

    @cached_property
    def with_text(self) -> frozenset[int]:
        """Ids of the sources whose text is inside."""
        return frozenset(number for number, fields in enumerate(self._source_rows) if fields[-1])

    @cached_property
    def _source_rows(self) -> list[tuple[Any, ...]]:
        rows = self._store.sources()
        # Files name sources by id: with another order, they would be those of another source.
        if [row[0] for row in rows] != list(range(int(self._meta["sources"]))):
            raise self.damaged("sources")
        if not all(is_source_row(fields) for _, *fields in rows):
            raise self.damaged("a source")
        return [row[1:] for row in rows]

    def content_rows(self, ids: Iterable[int]) -> dict[int, ContentRow]:
        """Return the rows of contents with their files, checked, by id; read in one batch."""
        wanted = sorted(set(ids))
        rows = self._store.contents(wanted)
        for content in wanted:
            row = rows.get(content)
            if row is None or not row.fits(len(self.sources)) or row.boilerplate != (content < 0):
                raise self.damaged(f"content {content}")
        return rows

    def content(self, content: int) -> ContentRow:
        """Return the row of a content with its files, checked."""
        return self.content_rows([content])[content]

    def token_map(self, content: int) -> TokenMap:
        """Return lines and sketches of a content's tokens."""
        return self.unpacked_map(content, self.content(content))

    def unpacked_map(self, content: int, row: ContentRow) -> TokenMap:
        """Return lines and sketches of a content's tokens, given its row."""
        with self._store.guard():
            tokens = unpack_map(row.token_map)
        if len(tokens.sketch) != row.tokens:
            raise self.damaged(f"token map of content {content}")
        return tokens

    def files_of_row(self, row: ContentRow) -> tuple[SourceFile, ...]:
        """Return the files of a content, by source and path, with sources as ``display_source`` names them."""
        return tuple(map(self._file, row.files))

    def _file(self, row: FileRow) -> SourceFile:
        source, path = self._displayed[row.source], row.path.decode("utf-8", "surrogateescape")
        if not row.license:
            return SourceFile(source, path)
        own = source._replace(license=row.license, license_from=row.license_from)
        return SourceFile(own, path, package_license=source.license)

    def text(self, content: int) -> bytes | None:
        """Return the bytes of a content's file, checked; None if the index does not keep them."""
        if not (self.texts or self.with_text):
            return None
        row, text = self.content(content), self.packed_text(content)
        if (text is not None) != any(file.source in self.with_text for file in row.files):
            raise self.damaged(f"text of content {content}")
        if text is None:
            return None
        with self._store.guard():
            unpacked = unpack_text(text)
        if schema.content_key(row.language, unpacked) != row.key:
            raise self.damaged(f"text of content {content} belongs to another content")
        return unpacked

    def packed_text(self, content: int) -> PackedText | None:
        """Return the text of a content as stored, if there is one: as it was written, not decompressed."""
        return self._store.text(content) if self.texts else None

    def stored(self, hashes: NDArray[np.uint64], kind: BlockKind) -> NDArray[np.uint64]:
        """Return what the postings have instead of hashes, or instead of those of texts of crowds; see ``Store``."""
        return self._store.stored(hashes, kind.bits)

    def postings_of(self, hashes: NDArray[np.uint64], kind: BlockKind) -> NDArray[np.void]:
        """Return the postings of hashes, which are as ``stored`` and rise: ``schema.POSTING``, ordered by hash.

        Reads some blocks at a time, since a large change has hashes in all blocks of an index.
        """
        numbers = schema.block_numbers(hashes, kind.bits)
        blocks = numbers[np.flatnonzero(np.diff(numbers, prepend=-1))].tolist()
        found = [np.empty(0, schema.POSTING)]
        for some in in_batches(blocks, self._store.blocks_a_query):
            start, end = np.searchsorted(numbers, [some[0], some[-1] + 1])
            found.append(self._store.postings(some, kind, hashes[start:end]))
        return np.concatenate(found)


def _description(store: Store) -> dict[str, str]:
    """Return the rows of ``meta``, checked, without ``meta_digest``."""
    meta = dict(store.meta())
    expected = meta.pop("meta_digest", None)
    if expected != schema.digest(*(part for row in meta.items() for part in row)).hex():
        raise store.damaged("its description")
    with store.guard():
        _check_meta(meta, store.name)
    return meta


def _check_meta(meta: Mapping[str, str], name: str) -> None:
    """Check a description whose digest is right.

    Raises ``ValueError`` if no version can have written it, ``IndexFileError`` if it is that of a version whose
    fingerprints this one cannot compare with its own.
    """
    if meta.keys() != schema.META or not all(isinstance(value, str) for value in meta.values()):
        raise ValueError("its description is incomplete")
    if meta["algorithm"] != schema.ALGORITHM:
        msg = f"{name} was made with fingerprints of revision {meta['algorithm']}, not {schema.ALGORITHM}"
        raise IndexFileError(msg, "build it again: winnow-ci index build")
    numbers = {key: _number(meta[key]) for key in ("k", "w", *schema.COUNTS)}
    front_ends = json.loads(meta["front_ends"])
    maps_strings = isinstance(front_ends, dict) and all(isinstance(item, str) for item in front_ends.values())
    if max(numbers["bits"], numbers["crowd_bits"]) > _MOST_BITS or not maps_strings:
        raise ValueError("its description has impossible values")
    is_selection = meta["selection"] in get_args(Selection)
    if not (numbers["k"] in KGRAM_LENGTHS and numbers["w"] in WINDOW_LENGTHS and is_selection):
        made = f"k = {meta['k']}, w = {meta['w']} and {meta['selection']} selection"
        msg = f"{name} was made with {made}, which this winnow-ci does not know"
        raise IndexFileError(msg, "install the winnow-ci that made it, or build it again: winnow-ci index build")


def _number(value: str) -> int:
    if not (value.isascii() and value.isdecimal() and len(value) <= _MOST_DIGITS):
        raise ValueError("its description has impossible values")
    return int(value)
