"""Convert stored bytes to arrays and back, and process many postings at once: the seam to the kernel.

Where the kernel has a function of the same name, it is the fast way to the same result; Python says what that is.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import xxhash

from winnow_ci.arrays import among
from winnow_ci.index import schema
from winnow_ci.model import Hits, TokenMap
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.native import kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    # A row of ``block``, unchecked: number, postings, seal; any value may have any type. A scan reads thousands.
    StoredBlock: TypeAlias = tuple[int, bytes, bytes]

LARGEST_MAP = 1 << 31
LARGEST_TEXT = 64 << 20
# Of zlib, for maps and texts: 4 takes 1.3 times as long, and an index is 0.5 to 0.9 % smaller; 6 takes twice as long.
COMPRESSION_LEVEL = 2


# ---- token maps and texts --------------------------------------------------------------------------------------


class PackedMap(NamedTuple):
    """The token map of a content as stored: XXH3-128 of its bytes, and these compressed."""

    digest: bytes
    packed: bytes


class PackedText(NamedTuple):
    """The text of a content as stored: its size in bytes, and the compressed bytes."""

    size: int
    packed: bytes


def pack_map(tokens: TokenMap) -> PackedMap:
    """Encode a content's token map; the kernel compresses it to other bytes, which stand for the same.

    The lengths of three arrays (three u4), then the arrays: how many tokens start on each line (u4); for each token
    that spans several lines its number and how many more lines it has (u4 pairs); the sketches (u1).
    """
    if native := kernel():
        return PackedMap(*native.pack_map(tokens, COMPRESSION_LEVEL))
    starts = np.bincount(tokens.first_lines)
    spans = tokens.last_lines - tokens.first_lines
    long = np.flatnonzero(spans)
    pairs = np.stack([long, spans[long]], axis=1)
    numbers = np.concatenate([[len(starts), len(pairs), len(tokens.sketch)], starts, pairs.ravel()])
    data = numbers.astype("<u4").tobytes() + tokens.sketch.tobytes()
    return PackedMap(xxhash.xxh3_128_digest(data), zlib.compress(data, COMPRESSION_LEVEL))


def unpack_map(packed: PackedMap) -> TokenMap:
    """Decode ``pack_map``.

    Raises:
        ValueError: the bytes are not such a map, or are another one.
        zlib.error: they are not compressed data.
    """
    native = kernel()
    if native and (columns := native.unpack_map(*packed)):
        return TokenMap(*columns)
    data = zlib.decompressobj().decompress(packed.packed, LARGEST_MAP)
    if xxhash.xxh3_128_digest(data) != packed.digest:
        raise ValueError("the token map of another content")
    lines, pairs_count, count = np.frombuffer(data, "<u4", 3).tolist()
    starts = np.frombuffer(data, "<u4", lines, 12)
    if int(starts.sum(dtype=np.uint64)) != count:
        # An array of as many lines as it says could take all memory.
        raise ValueError("a token map with the wrong number of tokens")
    pairs = np.frombuffer(data, "<u4", 2 * pairs_count, 12 + 4 * lines).reshape(-1, 2)
    sketch = np.frombuffer(data, np.uint8, count, 12 + 4 * lines + 8 * pairs_count)
    first = np.repeat(np.arange(lines, dtype=np.int32), starts)
    last = first.copy()
    last[pairs[:, 0]] += pairs[:, 1].astype(np.int32)
    return TokenMap(first, last, sketch)


def pack_text(content: bytes) -> PackedText:
    """Compress the text of a content."""
    return PackedText(len(content), zlib.compress(content, COMPRESSION_LEVEL))


def unpack_text(text: PackedText) -> bytes:
    """Decompress ``pack_text``, to no more bytes than the text says it has, nor than ``LARGEST_TEXT``.

    Raises:
        ValueError: the bytes are not such a text.
        zlib.error: they are not compressed data.
    """
    size, packed = text
    if not (isinstance(size, int) and 0 <= size <= LARGEST_TEXT and isinstance(packed, bytes)):
        raise ValueError("a text of impossible size")
    inflater = zlib.decompressobj()
    # One byte more than expected: a limit of 0 would mean none, and the end of the stream must be reached.
    content = inflater.decompress(packed, size + 1)
    if len(content) != size or not inflater.eof or inflater.unused_data:
        raise ValueError("a text whose size is wrong")
    return content


# ---- blocks ----------------------------------------------------------------------------------------------------


def unsound_block(blocks: Sequence[StoredBlock]) -> int | None:
    """Return the number of the first block in a file that has another digest; a scan checks thousands."""
    if native := kernel():
        found: int | None = native.unsound_block(blocks)
        return found
    return first_unsound(blocks, schema.block_digest, schema.POSTING.itemsize)


def first_unsound(blocks: Sequence[StoredBlock], seal: Callable[[int, bytes], bytes], posting_size: int) -> int | None:
    """Return the number of the first block that has another seal, or no postings of ``posting_size`` bytes each."""
    for number, postings, sealed in blocks:
        if type(postings) is not bytes or len(postings) % posting_size or seal(number, postings) != sealed:
            return number
    return None


# ---- postings --------------------------------------------------------------------------------------------------


def postings_in_order(postings: NDArray[np.void]) -> NDArray[np.void]:
    """Order postings by ``schema.ORDER``."""
    if native := kernel():
        return np.asarray(native.postings_in_order(postings.view(np.uint8)).view(schema.POSTING))
    return np.take(postings, np.lexsort([postings[name] for name in reversed(schema.ORDER)]))


def postings_among(
    postings: NDArray[np.void], hashes: NDArray[np.uint64]
) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """Return those of ordered postings that have one of the hashes, which rise, and how many each hash has: int64."""
    if native := kernel():
        found, counts = native.postings_among(postings.view(np.uint8), hashes)
        return found.view(schema.POSTING), counts
    found = postings[among(postings["hash"], hashes)]
    return found, np.diff(np.searchsorted(found["hash"], hashes, "right"), prepend=0)


class Ranges(NamedTuple):
    """Numbers of places from each start up to its stop; int64."""

    starts: NDArray[np.int64]
    stops: NDArray[np.int64]

    def part(self, which: NDArray[np.int64] | NDArray[np.bool_]) -> Ranges:
        """Return some of the ranges."""
        return Ranges(self.starts[which], self.stops[which])


class Chosen(NamedTuple):
    """Postings, and some ranges of them for each query: each ``Ranges`` has one range a query."""

    postings: NDArray[np.void]
    ranges: Sequence[Ranges]

    def places(self, query: int) -> Iterator[tuple[int, int, int]]:
        """Yield content, position and check in the ranges of a query, without the marks of crowds and whole files."""
        for starts, stops in self.ranges:
            for _, content, position, check in self.postings[starts[query] : stops[query]].tolist():
                if (unmarked := position & ~schema.CROWDED) != schema.WHOLE:
                    yield content, unmarked, check


def chosen_hits(queries: NDArray[np.int64], shapes: Chosen, texts: Chosen) -> Hits:
    """Return the hits of queries, in their order.

    Args:
        queries: int64, rising.
        shapes: their postings.
        texts: postings of their texts; what is also among ``shapes`` is left out.
    """
    if native := kernel():
        found = [(one.postings.view(np.uint8), [tuple(ranges) for ranges in one.ranges]) for one in (shapes, texts)]
        return Hits(*native.chosen_hits(queries, *found, (schema.CROWDED, schema.WHOLE)))
    hits: list[tuple[int, int, int, int]] = []
    for number, query in enumerate(queries.tolist()):
        places = list(shapes.places(number))
        seen = {(content, position) for content, position, _ in places}
        for content, position, check in texts.places(number):
            if (content, position) not in seen:
                seen.add((content, position))
                places.append((content, position, check))
        hits += [(query, *place) for place in places]
    columns = np.array(hits, np.int64).reshape(-1, 4).T
    return Hits(columns[0], columns[1], columns[2].astype(np.uint32), columns[3].astype(np.uint32))


def runs(*columns: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where runs of equal rows begin, given as columns, and how long they are: int64."""
    differs = np.ones(len(columns[0]), np.bool_)
    differs[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    starts = np.flatnonzero(differs)
    return starts, np.diff(starts, append=len(differs))


def ranks(*columns: NDArray[Any]) -> NDArray[np.int64]:
    """Return how many elements of its run come before each element: int64."""
    starts, lengths = runs(*columns)
    ranked: NDArray[np.int64] = np.arange(len(columns[0])) - np.repeat(starts, lengths)
    return ranked
