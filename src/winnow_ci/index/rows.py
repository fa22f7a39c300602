"""Rows of an index as values, those about to be stored, and the tree of their digests (``schema``).

Names of sources are unique in an index. If it holds several versions of one project, each is stored under the name
``NAME@VERSION`` with VERSION as its version; reports and rules know it by NAME and VERSION, as any other source.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import xxhash

from winnow_ci.index import schema
from winnow_ci.model import Fingerprints, Source
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

StoredValue: TypeAlias = "bytes | str | int | None"

_SHARD_BITS = 8
_INTEGER, _LENGTH = struct.Struct("<q"), struct.Struct("<I")
_NONE, _INT, _TEXT, _BYTES = b"nitb"
# ``crowd``: the blocks of crowds, which are in the table ``block``.
_BRANCHES = ("source", "directory", "content", "block", "crowd", "overflow", "text")


class SourceSummary(NamedTuple):
    """A source and how much of it an index holds."""

    source: Source
    files: int
    whole: int  # files that are known only as a whole, by a digest
    fingerprints: int  # of all its files
    text: bool  # whether the index keeps the text of its files
    bytes: int  # of its postings, token maps and texts; a content of several sources counts for each of them


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
    token_map: bytes
    files: tuple[FileRow, ...]

    @property
    def boilerplate(self) -> bool:
        """Whether it is boilerplate."""
        return self.language.startswith(schema.BOILERPLATE)

    def content_id(self) -> int:
        """Return its id, which follows from its key."""
        return schema.content_id(self.key, boilerplate=self.boilerplate)

    def leaf(self) -> bytes:
        """Return its leaf in the tree of digests."""
        files = (part for row in self.files for part in row)
        return schema.digest(*self[:6], *files)

    def fits(self, sources: int) -> bool:
        """Return whether its values have the right types, in an index of ``sources`` sources; a digest does not."""
        files = all(
            type(file.source) is int and 0 <= file.source < sources and type(file.path) is bytes for file in self.files
        )
        licences = all(isinstance(text, str | None) for file in self.files for text in file[2:])
        is_typed = tuple(map(type, self[:6])) == (bytes, str, str, int, int, bytes)
        return files and licences and is_typed and 0 <= self.fingerprints < 1 << 32


def source_fields(source: Source, *, text: bool) -> tuple[str | int | None, ...]:
    """Return the columns of ``source`` between ``id`` and ``digest``."""
    known = source.name, source.version, source.license, source.url, source.purl, source.license_from, source.inputs
    return *known, int(source.boilerplate), int(text)


def is_source_row(fields: Sequence[object]) -> bool:
    """Return whether the columns of ``source`` have the right types; a digest does not."""
    name, version, licence, *more, boilerplate, text = fields
    named = all(isinstance(field, str) for field in (name, licence))
    return named and all(isinstance(field, str | None) for field in (version, *more)) and {boilerplate, text} <= {0, 1}


def stored_name(project: str, version: str) -> str:
    """Return the name under which an index stores a version of a project."""
    return f"{project}@{version}"


def display_source(source: Source) -> Source:
    """Return a source as reports name it: a version of a project has the name of the project."""
    project = source.name.removesuffix(f"@{source.version}")
    return source._replace(name=project) if project and project != source.name else source


class HeldFile(NamedTuple):
    """A file of a source: key of its content, path, and its licence and where that was read, if it has its own."""

    key: bytes
    path: bytes
    license: str | None = None
    license_from: str | None = None


class NewContent(NamedTuple):
    """A content to be stored: its row, whose files are not known yet, and its fingerprints."""

    row: ContentRow
    fingerprints: Fingerprints


class ContentBatch(NamedTuple):
    """Contents to be stored."""

    rows: Sequence[ContentRow]  # all with different keys
    postings: NDArray[np.void]  # ``schema.POSTING``, in any order; ``content`` is an index into ``rows``


def batched(contents: Sequence[NewContent]) -> ContentBatch:
    """Put contents with different keys into one batch."""
    counts = [len(content.fingerprints) for content in contents]
    postings = np.empty(sum(counts), schema.POSTING)
    postings["content"] = np.repeat(np.arange(len(contents)), counts)
    if contents:
        for field, name in (("hash", "hashes"), ("position", "positions"), ("check", "checks")):
            postings[field] = np.concatenate([getattr(content.fingerprints, name) for content in contents])
        postings["hash"], postings["check"] = schema.spread(postings["hash"]), schema.kept_checks(postings["check"])
    return ContentBatch([content.row for content in contents], postings)


def pack_fields(fields: Iterable[StoredValue]) -> bytes:
    """Encode fields, each with its type and, if it has one, its length; integers have at most 64 bits."""
    parts = []
    for one in fields:
        if one is None:
            parts.append(b"n")
        elif isinstance(one, int):
            parts += (b"i", _INTEGER.pack(one))
        else:
            data = one if isinstance(one, bytes) else one.encode("utf-8", "surrogateescape")
            parts += (b"b" if isinstance(one, bytes) else b"t", _LENGTH.pack(len(data)), data)
    return b"".join(parts)


def unpack_fields(row: bytes) -> list[StoredValue]:
    """Decode ``pack_fields``; ValueError if the bytes are no such fields."""
    fields: list[StoredValue] = []
    place = 0
    try:
        while place < len(row):
            kind, place = row[place], place + 1
            if kind == _NONE:
                fields.append(None)
            elif kind == _INT:
                fields.append(_INTEGER.unpack_from(row, place)[0])
                place += _INTEGER.size
            elif kind in {_TEXT, _BYTES}:
                (size,) = _LENGTH.unpack_from(row, place)
                start, place = place + _LENGTH.size, place + _LENGTH.size + size
                data = row[start:place]
                fields.append(data if kind == _BYTES else data.decode("utf-8", "surrogateescape"))
            else:
                raise ValueError("a field of unknown type")
    except struct.error as error:
        raise ValueError("a truncated field") from error
    if place != len(row):
        raise ValueError("a truncated field")
    return fields


class DigestedRow(NamedTuple):
    """A row of a table, about to be stored."""

    fields: tuple[StoredValue, ...]  # without the digest
    digest: bytes
    shard: int = 0
    leaf: bytes | None = None  # what the tree has of it, if that is not the digest


def shard_of_content(content: int) -> int:
    """Return the shard of a content or text, by its id."""
    return (content >> (64 - _SHARD_BITS)) & ((1 << _SHARD_BITS) - 1)


def shard_of_block(number: int, bits: int) -> int:
    """Return the shard of a block, by its number among the 2^bits blocks of its kind."""
    return number >> max(0, bits - _SHARD_BITS)


class DigestTree:
    """The digests of an index, collected row by row; the rows of one shard must come in the order of their ids."""

    def __init__(self) -> None:
        self._shards: defaultdict[tuple[str, int], xxhash.xxh3_128] = defaultdict(xxhash.xxh3_128)

    def add(self, branch: str, shard: int, leaf: bytes) -> None:
        """Add the leaf of a row."""
        self._shards[branch, shard].update(leaf)

    def root(self, meta: Mapping[str, str]) -> str:
        """Return the digest of the whole index, in hexadecimal: of its description, and of all shards."""
        described = [part for key in sorted(meta.keys() - {"digest"}) for part in (key, meta[key])]
        branches: list[bytes | str | int] = []
        for branch in _BRANCHES:
            branches.append(branch)
            for of, shard in sorted(self._shards):
                if of == branch:
                    branches += (shard, self._shards[of, shard].digest())
        return schema.digest(*described, *branches).hex()
