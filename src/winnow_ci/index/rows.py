"""Rows of an index as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from winnow_ci.index import schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.model import Source


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


@dataclass(frozen=True, slots=True)
class ContentRow:
    """A row of ``content``, with the files (source id, path) that hold it."""

    key: bytes
    language: str
    front_end: str
    tokens: int
    fingerprints: int
    map: bytes
    files: tuple[tuple[int, bytes], ...]

    def fields(self) -> tuple[bytes, str, str, int, int, bytes]:
        """The columns between id and digest."""
        return self.key, self.language, self.front_end, self.tokens, self.fingerprints, self.map

    def digest(self) -> bytes:
        """Digest of the row and of its file rows."""
        return schema.digest(*self.fields(), *(part for row in self.files for part in row))

    def fits(self, sources: int) -> bool:
        """Whether its values are of the right types, in an index of so many sources; digests do not tell that."""
        files = all(
            type(source) is int and 0 <= source < sources and type(path) is bytes for source, path in self.files
        )
        return files and tuple(map(type, self.fields())) == (bytes, str, str, int, int, bytes)


def is_source(fields: Sequence[object]) -> bool:
    """Whether the columns of ``source`` between id and digest are of the right types; digests do not tell that."""
    name, version, licence, url, text = fields
    named = all(isinstance(field, str) for field in (name, licence))
    return named and all(isinstance(field, str | None) for field in (version, url)) and text in {0, 1}
