"""What an index is read through, and the form in which it is stored: the seam between an index and where it lies.

A store gives rows in batches, and checks nothing. A form says how hashes, postings and seals are written there: in a
file a seal is the digest of a row; elsewhere it may be more. ``reader.IndexReader`` stands above both, and checks all
that it reads, once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from winnow_ci.index import schema
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.native import kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from winnow_ci.errors import IndexFileError
    from winnow_ci.index.rows import ContentRow

    # A row of ``block``, unchecked: number, postings, seal; any value may have any type. A scan reads thousands.
    StoredBlock: TypeAlias = tuple[int, bytes, bytes]


class StoredContent(NamedTuple):
    """A row of ``content`` and its rows of ``file``, unchecked.

    Attributes:
        content: the id.
        fields: key, language, front end, tokens, fingerprints, digest of the map, map.
        files: source, path, licence and where that was read, of each file, ordered by source and path.
        seal: of the row and its files.
    """

    content: int
    fields: tuple[Any, ...]
    files: tuple[tuple[Any, ...], ...]
    seal: bytes


class StoredText(NamedTuple):
    """A row of ``text``, unchecked."""

    content: int
    size: int
    packed: bytes
    seal: bytes


class Store(Protocol):
    """Where an index lies, opened for reading; ``name`` is what people call it.

    All methods raise ``IndexFileError`` if the rows cannot be had. Ids that are not there are left out.
    """

    @property
    def name(self) -> str:
        """What people call it."""

    @property
    def blocks_a_query(self) -> int:
        """How many blocks a scan asks for at a time, so that memory holds a part of the index."""

    def meta(self) -> list[tuple[Any, Any]]:
        """All rows of ``meta``, by key."""

    def sources(self) -> list[tuple[Any, ...]]:
        """All rows of ``source``, by id: id, columns, seal."""

    def blocks(self, numbers: Sequence[int]) -> list[StoredBlock]:
        """Some blocks, by number; ``numbers`` rise."""

    def contents(self, ids: Sequence[int]) -> list[StoredContent]:
        """Some contents, by id; ``ids`` rise."""

    def texts(self, ids: Sequence[int]) -> list[StoredText]:
        """The texts of some contents, by id; ``ids`` rise."""

    def licences(self) -> list[Any]:
        """The licences of files that have their own, each once, in any order."""

    def damaged(self, what: str) -> IndexFileError:
        """The error to raise for something in it that is damaged."""

    def guard(self) -> AbstractContextManager[None]:
        """Raise what goes wrong in reading and decoding as ``IndexFileError``."""

    def close(self) -> None:
        """Close it."""


class Form(Protocol):
    """How hashes, postings and seals are written in a store."""

    def stored(self, hashes: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:
        """What a store has instead of hashes (``spread``, of texts of crowds, or of whole files).

        Args:
            hashes: the hashes.
            bits: how many upper bits of what is returned name a block.
        """

    def postings(self, blocks: Sequence[StoredBlock]) -> NDArray[np.void]:
        """The postings of blocks: ``schema.POSTING``, in order."""

    def is_id(self, content: int, row: ContentRow) -> bool:
        """Whether a content may have an id."""

    def unsound_block(self, blocks: Sequence[StoredBlock]) -> int | None:
        """The number of the first block that is not as it was sealed, if there is one."""

    def seal(self, table: str, number: int, fields: Sequence[bytes | str | int | None]) -> bytes:
        """The seal of another row: of a source, of a content with its files, of a text."""


class PlainForm:
    """The form of an index in a file (``schema``)."""

    def stored(self, hashes: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:  # noqa: ARG002
        """The hashes themselves."""
        return hashes

    def postings(self, blocks: Sequence[StoredBlock]) -> NDArray[np.void]:
        """The postings of blocks."""
        return np.frombuffer(b"".join(postings for _, postings, _ in blocks), schema.POSTING)

    def is_id(self, content: int, row: ContentRow) -> bool:
        """Whether the id follows from the key."""
        return row.content_id() == content

    def unsound_block(self, blocks: Sequence[StoredBlock]) -> int | None:
        """The number of the first block that has another digest; a scan checks thousands."""
        if native := kernel():
            found: int | None = native.unsound_block(blocks)
            return found
        return first_unsound(blocks, schema.block_digest, schema.POSTING.itemsize)

    def seal(self, table: str, number: int, fields: Sequence[bytes | str | int | None]) -> bytes:  # noqa: ARG002
        """The digest of a row."""
        return schema.digest(*fields)


def first_unsound(blocks: Sequence[StoredBlock], seal: Callable[[int, bytes], bytes], posting_size: int) -> int | None:
    """The number of the first block that has another seal, or no postings of so many bytes each."""
    for number, postings, sealed in blocks:
        if type(postings) is not bytes or len(postings) % posting_size or seal(number, postings) != sealed:
            return number
    return None


def batches(numbers: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    """Numbers in batches of at most ``size``."""
    for start in range(0, len(numbers), size):
        yield numbers[start : start + size]
