"""Rows of an index as values: sources, contents, files, and contents that are about to be stored.

Names of sources are unique in an index. If it holds several versions of one project, each is stored under the name
``NAME@VERSION`` with VERSION as its version; reports and rules know it by NAME and VERSION, as any other source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import xxhash

from winnow_ci.index import schema
from winnow_ci.model import Source
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from winnow_ci.model import Fingerprints


class SourceSummary(NamedTuple):
    """A source and how much of it an index holds.

    Attributes:
        source: the source.
        files: number of its files.
        whole: how many of them are known only as a whole, by a digest.
        fingerprints: number of the fingerprints of all its files.
        text: whether the index keeps the text of its files.
        bytes: size of its postings, token maps and texts. A content of several sources counts for each of them.
    """

    source: Source
    files: int
    whole: int
    fingerprints: int
    text: bool
    bytes: int


class FileRow(NamedTuple):
    """A row of ``file``: id of the source, path, and the licence and where that was read, if the file has its own."""

    source: int
    path: bytes
    license: str | None
    license_from: str | None


class ContentRow(NamedTuple):
    """A row of ``content``, with the files that have it."""

    key: bytes
    language: str
    front_end: str
    tokens: int
    fingerprints: int
    map: schema.PackedMap
    files: tuple[FileRow, ...]

    @property
    def boilerplate(self) -> bool:
        """Whether it is boilerplate."""
        return self.language.startswith(schema.BOILERPLATE)

    def content_id(self) -> int:
        """Its id, which follows from its key."""
        return schema.content_id(self.key, boilerplate=self.boilerplate)

    def fields(self) -> tuple[bytes, str, str, int, int, bytes, bytes]:
        """The columns between ``id`` and ``digest``."""
        return self.key, self.language, self.front_end, self.tokens, self.fingerprints, *self.map

    def digest(self) -> bytes:
        """Digest of the row and its file rows."""
        return schema.digest(*self.fields(), *(part for row in self.files for part in row))

    def leaf(self) -> bytes:
        """Its leaf in the tree of digests, which does not depend on how the map is compressed."""
        return self.digest_and_leaf()[1]

    def digest_and_leaf(self) -> tuple[bytes, bytes]:
        """Both, which have most of their bytes in common."""
        row, packed = schema.as_bytes(*self.fields()[:-1]), schema.as_bytes(self.map.packed)
        files = schema.as_bytes(*(part for row in self.files for part in row))
        digest = xxhash.xxh3_128_digest(b"".join((row, packed, files)))
        return digest, xxhash.xxh3_128_digest(row + files)

    def fits(self, sources: int) -> bool:
        """Whether its values have the right types, in an index of ``sources`` sources; a digest does not tell."""
        files = all(
            type(file.source) is int and 0 <= file.source < sources and type(file.path) is bytes for file in self.files
        )
        licences = all(isinstance(text, str | None) for file in self.files for text in file[2:])
        return files and licences and tuple(map(type, self.fields())) == (bytes, str, str, int, int, bytes, bytes)


def source_fields(source: Source, *, text: bool) -> tuple[str | int | None, ...]:
    """The columns of ``source`` between ``id`` and ``digest``."""
    known = source.name, source.version, source.license, source.url, source.purl, source.license_from, source.inputs
    return *known, int(source.boilerplate), int(text)


def source_of(fields: Sequence[Any]) -> Source:
    """The source that has these columns, which must have the right types (``is_source``)."""
    name, version, licence, url, purl, license_from, inputs, boilerplate, _ = fields
    return Source(name, version, licence, url, purl, license_from, inputs, bool(boilerplate))


def is_source(fields: Sequence[object]) -> bool:
    """Whether the columns of ``source`` have the right types; a digest does not tell."""
    name, version, licence, *more, boilerplate, text = fields
    named = all(isinstance(field, str) for field in (name, licence))
    return named and all(isinstance(field, str | None) for field in (version, *more)) and {boilerplate, text} <= {0, 1}


class NewContent(NamedTuple):
    """A content to be stored: its row, whose files are not known yet, and its fingerprints."""

    row: ContentRow
    fingerprints: Fingerprints


class ContentBatch(NamedTuple):
    """Contents to be stored.

    Attributes:
        rows: their rows, all with different keys.
        postings: ``schema.POSTING``, in any order; ``content`` is an index into ``rows``.
    """

    rows: Sequence[ContentRow]
    postings: NDArray[np.void]


def batched(contents: Sequence[NewContent]) -> ContentBatch:
    """Put contents with different keys into one batch."""
    counts = [len(content.fingerprints) for content in contents]
    postings = np.empty(sum(counts), schema.POSTING)
    postings["content"] = np.repeat(np.arange(len(contents)), counts)
    if contents:
        for field, name in (("hash", "hashes"), ("position", "positions"), ("check", "checks")):
            postings[field] = np.concatenate([getattr(content.fingerprints, name) for content in contents])
        postings["hash"] = schema.spread(postings["hash"])
    return ContentBatch([content.row for content in contents], postings)


def stored_name(project: str, version: str) -> str:
    """The name under which an index stores a version of a project."""
    return f"{project}@{version}"


def display_source(source: Source) -> Source:
    """A source as reports name it: a version of a project has the name of the project."""
    project = source.name.removesuffix(f"@{source.version}")
    return source._replace(name=project) if project and project != source.name else source
