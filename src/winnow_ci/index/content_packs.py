"""Pack contents with their files and token maps, and find them again by a directory.

Neighbours in the order of paths are alike, so ``schema.PACK`` of them are compressed together. A pack is XXH3-128 of
its number and its bytes, then these bytes compressed by zlib: the length of a description (u4), the description (JSON),
for each content its key and the length of its token map (``_FIXED``), then of all token maps everything but the
sketches, then the sketches. The description has for each content its language, front end, number of fingerprints and
files; a path is text, whose bytes that are no UTF-8 are lone surrogates.

Packs follow each other in one stream, which is cut into chunks of ``schema.PACK_CHUNK`` bytes, the rows of the table
``pack``. A row of the table ``directory`` has ``schema.DIRECTORY`` contents: their ids (i8), their tokens (u4), and the
sizes of their packs (u4).
"""

from __future__ import annotations

import json
import zlib
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from winnow_ci.arrays import among, nearest
from winnow_ci.index import schema
from winnow_ci.index.rows import ContentRow, DigestedRow, FileRow
from winnow_ci.model import PHRASE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray
    from typing_extensions import Self

PACK_COMPRESSION = 6
LARGEST_PACK = 1 << 31
_DIGEST_BYTES = 16
_FIXED = np.dtype([("key", "V16"), ("map_size", "<u4")])
_MARKS = np.uint32(PHRASE | schema.CROWDED)


class Directory:
    """The contents of an index in the order of their packs, and the places of their tokens.

    It is made of three arrays (int64): the ids, how many tokens each has, and the sizes of the packs in bytes.
    """

    def __init__(self, ids: NDArray[np.int64], tokens: NDArray[np.int64], sizes: NDArray[np.int64]) -> None:
        self.ids = ids
        # Place of the first token of each content, and how many places there are.
        self.starts = _sums(tokens + 1)
        # Offset of each pack in the stream, and the length of the stream.
        self.packs = _sums(sizes)

    @classmethod
    def read(cls, rows: Sequence[tuple[Any, ...]]) -> Self:
        """Decode all rows of the table ``directory``, by id; raise ``ValueError`` if one is damaged or missing."""
        for number, (own, *columns, digest) in enumerate(rows):
            is_sound = own == number and all(type(column) is bytes for column in columns)
            if not is_sound or schema.digest(number, *columns) != digest:
                raise ValueError(f"row {number} of the directory")
        kept = (1, "<i8"), (2, "<u4"), (3, "<u4")
        parts = (np.frombuffer(b"".join(row[number] for row in rows), dtype) for number, dtype in kept)
        ids, tokens, sizes = (part.astype(np.int64) for part in parts)
        if len(ids) != len(tokens) or len(sizes) != -(-len(ids) // schema.PACK):
            raise ValueError("the directory has impossible values")
        return cls(ids, tokens, sizes)

    @property
    def place_bits(self) -> int:
        """How many bits a place has."""
        return int(self.starts[-1]).bit_length()

    def tokens(self, first: int, end: int) -> list[int]:
        """Return how many tokens the contents from ``first`` to ``end`` have; there may be fewer."""
        return list((np.diff(self.starts[first : end + 1]) - 1).tolist())

    @cached_property
    def _by_id(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All ids, rising, and the number of each."""
        order = np.argsort(self.ids)
        return self.ids[order], order

    def numbers(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers of contents, given by their ids, without those that are not there: int64."""
        known, order = self._by_id
        return order[nearest(ids, known)[among(ids, known)]] if len(known) else order

    def tokens_of(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many tokens contents have, given by their ids: int64."""
        return (np.diff(self.starts) - 1)[self.numbers(ids)]

    def placed(self, postings: NDArray[np.void]) -> NDArray[np.void]:
        """Return postings with places instead of contents, and only marks as positions; all contents are known."""
        positions = postings["position"]
        is_whole = positions & ~np.uint32(schema.CROWDED) == schema.WHOLE
        placed = postings.copy()
        placed["content"] = self.starts[self.numbers(postings["content"])]
        placed["content"] += np.where(is_whole, 0, positions & ~_MARKS)
        placed["position"] = positions & np.where(is_whole, ~np.uint32(0), _MARKS)
        return placed

    def located(self, placed: NDArray[np.void]) -> NDArray[np.void]:
        """Undo ``placed``; raise ``ValueError`` for a place outside of all contents."""
        places = placed["content"].astype(np.int64)
        numbers = np.searchsorted(self.starts, places, "right") - 1
        if len(places) and (places.min() < 0 or numbers.max() >= len(self.ids)):
            raise ValueError("a place outside of all contents")
        postings = placed.copy()
        postings["content"] = self.ids[numbers]
        postings["position"] += (places - self.starts[numbers]).astype(np.uint32)
        return postings

    def rows(self) -> Iterator[DigestedRow]:
        """Yield the rows of the table ``directory``."""
        sizes = np.diff(self.packs).astype("<u4")
        for number in range(-(-len(self.ids) // schema.DIRECTORY)):
            first = number * schema.DIRECTORY // schema.PACK
            packs = sizes[first : first + schema.DIRECTORY // schema.PACK]
            fields = number, *self._contents(number), packs.tobytes()
            yield DigestedRow(fields, schema.digest(*fields), leaf=self.leaf(number))

    def leaf(self, number: int) -> bytes:
        """Return the leaf of a row in the tree of digests, which does not depend on how packs are compressed."""
        return schema.digest(number, *self._contents(number))

    def _contents(self, number: int) -> tuple[bytes, bytes]:
        first, end = number * schema.DIRECTORY, (number + 1) * schema.DIRECTORY
        return self.ids[first:end].astype("<i8").tobytes(), np.array(self.tokens(first, end), "<u4").tobytes()


def _sums(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where things of these sizes begin, one after the other, and where the last one ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])


def pack(number: int, rows: Sequence[ContentRow]) -> bytes:
    """Return a pack of contents."""
    described = [
        [row.language, row.front_end, row.fingerprints]
        + [[file.source, file.path.decode("utf-8", "surrogateescape"), *file[2:]] for file in row.files]
        for row in rows
    ]
    description = json.dumps(described, separators=(",", ":")).encode()
    fixed = np.array([(row.key, len(row.token_map)) for row in rows], _FIXED)
    heads = [row.token_map[: len(row.token_map) - row.tokens] for row in rows]
    sketches = [row.token_map[len(row.token_map) - row.tokens :] for row in rows]
    data = b"".join([len(description).to_bytes(4, "little"), description, fixed.tobytes(), *heads, *sketches])
    return schema.digest(number, data) + zlib.compress(data, PACK_COMPRESSION)


def unpack(number: int, packed: bytes, tokens: Sequence[int]) -> list[ContentRow]:
    """Decode a pack, given how many tokens each content has; raise ``ValueError`` if it is not that pack."""
    try:
        data = zlib.decompressobj().decompress(packed[_DIGEST_BYTES:], LARGEST_PACK)
        if schema.digest(number, data) == packed[:_DIGEST_BYTES]:
            return _unpacked(data, tokens)
    except (RecursionError, TypeError, AttributeError, ValueError, zlib.error) as error:
        raise ValueError(f"pack {number} of contents") from error
    raise ValueError(f"pack {number} of contents")


def _unpacked(data: bytes, tokens: Sequence[int]) -> list[ContentRow]:
    end = 4 + int.from_bytes(data[:4], "little")
    fixed = np.frombuffer(data, _FIXED, len(tokens), end)
    sizes = fixed["map_size"].tolist()
    of_heads = [size - own for size, own in zip(sizes, tokens, strict=True)]
    heads = end + fixed.nbytes
    sketches = heads + sum(of_heads)
    if min(of_heads) < 0 or sketches + sum(tokens) != len(data):
        raise ValueError("a pack of another size")
    edges = (pairwise(accumulate(sizes, initial=start)) for start, sizes in ((heads, of_heads), (sketches, tokens)))
    maps = [data[start:stop] + data[first:last] for (start, stop), (first, last) in zip(*edges, strict=True)]
    rows = []
    for described, one, own, token_map in zip(json.loads(data[4:end]), fixed, tokens, maps, strict=True):
        language, front_end, fingerprints, *files = described
        kept = tuple(FileRow(source, path.encode("utf-8", "surrogateescape"), *more) for source, path, *more in files)
        rows.append(ContentRow(one["key"].tobytes(), language, front_end, own, fingerprints, token_map, kept))
    return rows


def chunks(packs: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the rows of the table ``pack``, given all packs."""
    number, waiting = 0, b""
    for one in packs:
        waiting += one
        while len(waiting) >= schema.PACK_CHUNK:
            yield number, waiting[: schema.PACK_CHUNK]
            number, waiting = number + 1, waiting[schema.PACK_CHUNK :]
    if waiting:
        yield number, waiting


def packs_in(chunk: Callable[[Sequence[int]], Sequence[bytes]], edges: Sequence[tuple[int, int]]) -> Iterator[bytes]:
    """Yield the packs between edges in the stream, given a function that returns chunks by their numbers."""
    for start, stop in edges:
        first = start // schema.PACK_CHUNK
        data = b"".join(chunk(range(first, -(-stop // schema.PACK_CHUNK))))
        yield data[start - first * schema.PACK_CHUNK : stop - first * schema.PACK_CHUNK]
