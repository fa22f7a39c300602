"""Rows of an index as values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from winnow_ci.index import schema
from winnow_ci.model import Source

if TYPE_CHECKING:
    from collections.abc import Sequence


class SourceSummary(NamedTuple):
    """A source and how much of it an index holds.

    Attributes:
        source: the source.
        files: how many.
        fingerprints: of all its files.
        text: whether the text of its files is kept.
        bytes: what its contents take: postings, token maps and texts. What several sources have counts for each.
    """

    source: Source
    files: int
    fingerprints: int
    text: bool
    bytes: int


class FileRow(NamedTuple):
    """A row of ``file``: id of the source, path, and licence if the file says one of its own."""

    source: int
    path: bytes
    license: str | None


class ContentRow(NamedTuple):
    """A row of ``content``, with the files that hold it."""

    key: bytes
    language: str
    front_end: str
    tokens: int
    fingerprints: int
    map: bytes
    files: tuple[FileRow, ...]

    @property
    def boilerplate(self) -> bool:
        """Whether it is the content of boilerplate."""
        return self.language.startswith(schema.BOILERPLATE)

    def fields(self) -> tuple[bytes, str, str, int, int, bytes]:
        """The columns between id and digest."""
        return self.key, self.language, self.front_end, self.tokens, self.fingerprints, self.map

    def digest(self) -> bytes:
        """Digest of the row and of its file rows."""
        return schema.digest(*self.fields(), *(part for row in self.files for part in row))

    def fits(self, sources: int) -> bool:
        """Whether its values are of the right types, in an index of so many sources; digests do not tell that."""
        files = all(
            type(file.source) is int and 0 <= file.source < sources and type(file.path) is bytes for file in self.files
        )
        licences = all(isinstance(file.license, str | None) for file in self.files)
        return files and licences and tuple(map(type, self.fields())) == (bytes, str, str, int, int, bytes)


def source_fields(source: Source, *, text: bool) -> tuple[str | int | None, ...]:
    """The columns of ``source`` between id and digest."""
    known = source.name, source.version, source.license, source.url, source.purl, source.license_from, source.inputs
    return *known, int(source.boilerplate), int(text)


def source_of(fields: Sequence[Any]) -> Source:
    """The source whose columns these are; they must be of the right types."""
    name, version, licence, url, purl, license_from, inputs, boilerplate, _ = fields
    return Source(name, version, licence, url, purl, license_from, inputs, bool(boilerplate))


def is_source(fields: Sequence[object]) -> bool:
    """Whether the columns of ``source`` between id and digest are of the right types; digests do not tell that."""
    name, version, licence, *more, boilerplate, text = fields
    named = all(isinstance(field, str) for field in (name, licence))
    return named and all(isinstance(field, str | None) for field in (version, *more)) and {boilerplate, text} <= {0, 1}
