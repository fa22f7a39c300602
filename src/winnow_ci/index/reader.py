"""Reading an index, wherever it lies. Nothing here writes, and nothing unchecked is believed."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from winnow_ci.index import schema
from winnow_ci.index.description import description
from winnow_ci.index.rows import ContentRow, FileRow, display_source, is_source, source_of
from winnow_ci.index.store import batches
from winnow_ci.model import Parameters, Selection, Source, SourceFile, TokenMap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import TracebackType

    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Self

    from winnow_ci.errors import IndexFileError
    from winnow_ci.index.store import Form, Store, StoredContent


class IndexReader:
    """An index, opened for reading.

    Args:
        store: where it lies; it is closed with the reader.
        form: how it is written there.

    Raises:
        IndexFileError: its description is damaged, or of another version; also from every method that reads something
            damaged.
    """

    def __init__(self, store: Store, form: Form) -> None:
        self._store = store
        self._form = form
        try:
            self._meta = description(store)
        except BaseException:
            store.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._store.close()

    def damaged(self, what: str) -> IndexFileError:
        """The error to raise for something in the index that is damaged."""
        return self._store.damaged(what)

    # ---- what it is ----------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """What people call it: the path of a file, or the address of a server."""
        return self._store.name

    @cached_property
    def parameters(self) -> Parameters:
        """What the fingerprints inside were made with."""
        meta = self._meta
        return Parameters(int(meta["k"]), int(meta["w"]), cast("Selection", meta["selection"]))

    @cached_property
    def front_ends(self) -> dict[str, str]:
        """Revision of each front end (family) whose tokens are inside."""
        return cast("dict[str, str]", json.loads(self._meta["front_ends"]))

    @property
    def tables(self) -> str:
        """Digest of the learnt tables (``evidence.tables``) with which the index was made."""
        return self._meta["tables"]

    @property
    def digest(self) -> str:
        """The root of its tree of digests, in hexadecimal: that of everything inside; equal for equal inputs."""
        return self._meta["digest"]

    @property
    def postings(self) -> int:
        """Number of fingerprints inside."""
        return int(self._meta["postings"])

    @property
    def contents(self) -> int:
        """Number of distinct contents inside."""
        return int(self._meta["contents"])

    @property
    def texts(self) -> int:
        """Number of contents whose text is inside."""
        return int(self._meta["texts"])

    @property
    def boilerplate(self) -> int:
        """Number of contents that are boilerplate; their ids are negative."""
        return int(self._meta["boilerplate"])

    @property
    def crowded(self) -> int:
        """Number of hashes that have more than ``schema.CROWD`` places."""
        return int(self._meta["crowded"])

    @property
    def cut(self) -> int:
        """Number of fingerprints that no scan sees, as their hash and their text have too many places."""
        return int(self._meta["cut"])

    @property
    def bits(self) -> int:
        """How many upper bits of a hash give its block."""
        return int(self._meta["bits"])

    @property
    def crowd_bits(self) -> int:
        """How many upper bits of a text's hash give its block among those of crowds."""
        return int(self._meta["crowd_bits"])

    # ---- sources -------------------------------------------------------------------------------------------------

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """The sources by id, under the names by which they are stored."""
        return tuple(source_of(fields) for fields in self._source_rows)

    @property
    def names(self) -> frozenset[str]:
        """The names of sources as ``files`` gives them; all versions of a project have one name."""
        return frozenset(source.name for source in self._displayed)

    def licences(self) -> frozenset[str]:
        """The licences of all sources and files; those of files are read without checking their rows."""
        own = (one for one in self._store.licences() if isinstance(one, str))
        return frozenset(source.license for source in self.sources).union(own)

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
        for number, *fields, seal in rows:
            if self._form.seal("source", number, fields) != seal or not is_source(fields):
                raise self.damaged("a source")
        return [row[1:-1] for row in rows]

    # ---- contents ------------------------------------------------------------------------------------------------

    def content_rows(self, ids: Iterable[int]) -> dict[int, ContentRow]:
        """The rows of contents with their files, checked, by id; read in one batch."""
        wanted = sorted(set(ids))
        rows = self._store.contents(wanted)
        if [row.content for row in rows] != wanted:
            lacking = set(wanted).difference(row.content for row in rows)
            raise self.damaged(f"content {min(lacking, default=wanted[0] if wanted else 0)}")
        return {row.content: self._checked_content(row) for row in rows}

    def content(self, content: int) -> ContentRow:
        """The row of a content with its files, checked."""
        return self.content_rows([content])[content]

    def token_map(self, content: int) -> TokenMap:
        """Lines and sketches of a content's tokens."""
        return self.unpacked_map(content, self.content(content))

    def unpacked_map(self, content: int, row: ContentRow) -> TokenMap:
        """Lines and sketches of a content's tokens, given its row."""
        with self._store.guard():
            tokens = schema.unpack_map(row.map)
        if len(tokens.sketch) != row.tokens:
            raise self.damaged(f"token map of content {content}")
        return tokens

    def files(self, content: int) -> tuple[SourceFile, ...]:
        """The files that have a content, ordered by source and path, with sources as ``display_source`` names them."""
        return self.files_of_row(self.content(content))

    def files_of_row(self, row: ContentRow) -> tuple[SourceFile, ...]:
        """The files of a content, given its row."""
        return tuple(self._file(file, file.path.decode("utf-8", "surrogateescape")) for file in row.files)

    def _file(self, row: FileRow, path: str) -> SourceFile:
        source = self._displayed[row.source]
        if not row.license:
            return SourceFile(source, path)
        own = source._replace(license=row.license, license_from=row.license_from)
        return SourceFile(own, path, package_license=source.license)

    def _checked_content(self, stored: StoredContent) -> ContentRow:
        fields = [*stored.fields, *(part for file in stored.files for part in file)]
        *columns, map_digest, packed = stored.fields
        token_map = schema.PackedMap(map_digest, packed)
        row = ContentRow._make((*columns, token_map, tuple(map(FileRow._make, stored.files))))
        sealed = stored.seal == self._form.seal("content", stored.content, fields)
        if not (sealed and row.fits(len(self.sources)) and self._form.is_id(stored.content, row)):
            raise self.damaged(f"content {stored.content}")
        return row

    # ---- texts ---------------------------------------------------------------------------------------------------

    def text(self, content: int) -> bytes | None:
        """The bytes of a content's file, checked; None if the index does not keep them."""
        if not (self.texts or self.with_text):
            return None
        row, text = self.content(content), self.packed_text(content)
        if (text is not None) != any(file.source in self.with_text for file in row.files):
            raise self.damaged(f"text of content {content}")
        if text is None:
            return None
        with self._store.guard():
            unpacked = schema.unpack_text(text)
        if schema.content_key(row.language, unpacked) != row.key:
            raise self.damaged(f"text of content {content} is that of another")
        return unpacked

    def packed_text(self, content: int) -> schema.PackedText | None:
        """The text of a content as stored, if there is one: checked against its seal, not decompressed."""
        if not self.texts:
            return None
        rows = self._store.texts([content])
        for row in rows:
            fields = row.content, row.size, row.packed
            if row.content != content or self._form.seal("text", content, fields) != row.seal:
                raise self.damaged(f"text of content {content}")
        return schema.PackedText(rows[0].size, rows[0].packed) if rows else None

    # ---- postings ------------------------------------------------------------------------------------------------

    def stored(self, hashes: NDArray[np.uint64], *, crowds: bool = False) -> NDArray[np.uint64]:
        """What the postings have instead of hashes, or instead of those of texts of crowds; see ``store.Form``."""
        return self._form.stored(hashes, self.crowd_bits if crowds else self.bits)

    def block_parts(self, numbers: Sequence[int]) -> Iterator[tuple[Sequence[int], NDArray[np.void]]]:
        """The postings of blocks, given by rising numbers, some blocks at a time: their numbers, and the postings."""
        for some in batches(numbers, self._store.blocks_a_query):
            yield some, self.blocks(some)

    def blocks(self, numbers: Sequence[int]) -> NDArray[np.void]:
        """The postings of blocks, given by rising numbers: ``schema.POSTING``, ordered by hash in each block."""
        rows = self._store.blocks(numbers)
        if [number for number, _, _ in rows] != list(numbers):
            raise self.damaged("a block is missing")
        unsound = self._form.unsound_block(rows)
        if unsound is not None:
            raise self.damaged(f"block {unsound}")
        return self._form.postings(rows)
