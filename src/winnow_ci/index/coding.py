"""Convert stored bytes to arrays and back, and process many postings at once: the seam to the kernel.

Where the kernel has a function of the same name, it is the fast way to the same result; Python says what that is.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from winnow_ci.index import schema
from winnow_ci.model import Hits, TokenMap
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.native import kernel

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

LARGEST_TEXT = 64 << 20
# Of zlib, for texts.
COMPRESSION_LEVEL = 2
_MAP_HEADER = struct.Struct("<IIB")
_WIDTHS = (1, 2, 4)
_NO_SKETCH = np.empty(0, np.uint8)


# ---- token maps and texts --------------------------------------------------------------------------------------


class PackedText(NamedTuple):
    """The text of a content as stored: its size in bytes, and the compressed bytes."""

    size: int
    packed: bytes


def pack_map(tokens: TokenMap) -> bytes:
    """Encode a content's token map.

    Two lengths and a width (u4, u4, u1), then: how many tokens start on each line (numbers of that width: 1, 2 or 4
    bytes); of the tokens that span several lines, first how far each is from the one before (u4), then how many more
    lines each has (u4); the sketches (u1).
    """
    if native := kernel():
        packed: bytes = native.pack_map(tokens)
        return packed
    starts = np.bincount(tokens.first_lines)
    spans = tokens.last_lines - tokens.first_lines
    long = np.flatnonzero(spans)
    counts = starts.astype(np.min_scalar_type(starts.max(initial=0)))
    numbers = np.concatenate([np.diff(long, prepend=0), spans[long]]).astype("<u4")
    header = _MAP_HEADER.pack(len(starts), len(long), counts.itemsize)
    return header + counts.astype(f"<u{counts.itemsize}").tobytes() + numbers.tobytes() + tokens.sketch.tobytes()


def unpack_map(data: bytes) -> TokenMap:
    """Decode ``pack_map``.

    Raises:
        ValueError: the bytes are not such a map.
    """
    native = kernel()
    if native and (columns := native.unpack_map(data)):
        return TokenMap(*columns)
    lines, long, width = _MAP_HEADER.unpack_from(data.ljust(_MAP_HEADER.size, b"\0"))
    if width not in _WIDTHS:
        raise ValueError("a token map with numbers of impossible width")
    starts = np.frombuffer(data, f"<u{width}", lines, _MAP_HEADER.size)
    of_long = _MAP_HEADER.size + width * lines
    after, more = np.frombuffer(data, "<u4", 2 * long, of_long).reshape(2, -1).astype(np.int64)
    sketch = np.frombuffer(data, np.uint8, -1, of_long + 8 * long) if len(data) > of_long + 8 * long else _NO_SKETCH
    if int(starts.sum(dtype=np.uint64)) != len(sketch):
        # An array of as many lines as it says could take all memory.
        raise ValueError("a token map with the wrong number of tokens")
    if (after[1:] == 0).any():
        raise ValueError("a token map that names a token twice")
    first = np.repeat(np.arange(lines, dtype=np.int32), starts)
    last = first.copy()
    last[np.cumsum(after)] += more.astype(np.int32)
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


# ---- postings --------------------------------------------------------------------------------------------------


def postings_in_order(postings: NDArray[np.void]) -> NDArray[np.void]:
    """Order postings by ``schema.ORDER``."""
    if native := kernel():
        return np.asarray(native.postings_in_order(postings.view(np.uint8)).view(schema.POSTING))
    return np.take(postings, np.lexsort([postings[name] for name in reversed(schema.ORDER)]))


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
