"""Convert stored bytes to arrays and back, and process many postings at once: the seam to the kernel.

Where the kernel has a function of the same name, it is the fast way to the same result; Python says what that is.
"""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from itertools import pairwise
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

import numpy as np

from winnow_ci.arrays import among
from winnow_ci.index import schema
from winnow_ci.model import PHRASE, Hits, TokenMap
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.native import kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

# A row of ``block``, unchecked: number, bytes, seal; any value may have any type. A scan reads thousands.
StoredBlock: TypeAlias = tuple[int, bytes, bytes]

LARGEST_TEXT = 64 << 20
COMPRESSION_LEVEL = 2  # of zlib, for texts
_MAP_HEADER = struct.Struct("<IIB")
_WIDTHS = (1, 2, 4)


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
    """Decode ``pack_map``; raise ``ValueError`` if the bytes are not such a map."""
    native = kernel()
    if native and (columns := native.unpack_map(data)):
        return TokenMap(*columns)
    lines, long, width = _MAP_HEADER.unpack_from(data.ljust(_MAP_HEADER.size, b"\0"))
    if width not in _WIDTHS:
        raise ValueError("a token map with numbers of impossible width")
    starts = np.frombuffer(data, f"<u{width}", lines, _MAP_HEADER.size)
    of_long = _MAP_HEADER.size + width * lines
    after, more = np.frombuffer(data, "<u4", 2 * long, of_long).reshape(2, -1).astype(np.int64)
    sketch = np.frombuffer(data[of_long + 8 * long :], np.uint8)
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

    Raises ``ValueError`` or ``zlib.error`` if the bytes are not such a text.
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
    """Return the hits of queries (int64, rising), in their order.

    ``texts`` are postings of their texts; what is also among ``shapes``, their postings, is left out.
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


_HEADER = struct.Struct("<IB")


class BlockLayout(NamedTuple):
    """How the postings of blocks are written as bytes (``pack_block``)."""

    block_bits: int  # upper bits of a hash that give the block
    place_bits: int  # of a place

    def rest_bits(self, count: int) -> tuple[int, int]:
        """Return how many bits of a hash a block of ``count`` postings has itself: lower and upper ones."""
        rest = schema.HASH_BITS - self.block_bits
        upper = min(rest, count.bit_length())
        return rest - upper, upper

    def for_kernel(self) -> tuple[int, int, int, tuple[int, int, int]]:
        """Return what the kernel has to know."""
        return schema.HASH_BITS, *self, (PHRASE, schema.CROWDED, schema.WHOLE)


def pack_blocks(postings: NDArray[np.void], edges: NDArray[np.int64], layout: BlockLayout) -> list[bytes]:
    """Encode the postings of several blocks, which begin and end at the edges; see ``pack_block``."""
    if native := kernel():
        packed: list[bytes] = native.pack_blocks(postings.view(np.uint8), edges, layout.for_kernel())
        return packed
    return [pack_block(postings[start:stop], layout) for start, stop in pairwise(edges.tolist())]


def pack_block(postings: NDArray[np.void], layout: BlockLayout) -> bytes:
    """Encode the postings of a block, in their order.

    ``postings`` have places instead of contents, and of positions only marks (``content_packs.Directory.placed``). Each
    part of the bytes is filled up to whole bytes; of each byte the lowest bit is the first. The parts are: how many
    postings there are (u4); 1 if there are crowds, else 0 (u1); what the number of the block does not tell of the
    hashes, as Elias and Fano do it (Elias, "Efficient storage and retrieval by content and address of static files",
    1974): a one for each posting, behind as many zeros as its upper bits say, then the lower bits; a bit for each
    posting, 1 for a phrase or a whole file; if there are crowds a bit for each, 1 for one of a crowd; for each phrase
    and whole file 1 if it is a whole file; the checks of all but phrases (u2); the places. An empty block has no bytes.
    """
    if not len(postings):
        return b""
    hashes, positions = postings["hash"], postings["position"]
    lower, upper = layout.rest_bits(len(postings))
    rests = hashes << np.uint64(layout.block_bits) >> np.uint64(64 - lower - upper)
    unary = np.zeros(len(postings) + (1 << upper), np.uint8)
    unary[(rests >> np.uint64(lower)).astype(np.int64) + np.arange(len(postings))] = 1
    crowded, phrase = (positions & mark > 0 for mark in (np.uint32(schema.CROWDED), np.uint32(PHRASE)))
    whole = positions & np.uint32(schema.WHOLE) > 0
    parts = [np.packbits(unary, bitorder="little").tobytes(), _as_bits(rests, lower)]
    flags = [phrase | whole, *([crowded] if crowded.any() else []), whole[phrase | whole]]
    parts += [np.packbits(flag, bitorder="little").tobytes() for flag in flags]
    parts += [postings["check"][~phrase].astype("<u2").tobytes(), _as_bits(postings["content"], layout.place_bits)]
    return b"".join([_HEADER.pack(len(postings), int(crowded.any())), *parts])


def unpack_blocks(
    blocks: Sequence[tuple[int, bytes]], layout: BlockLayout, hashes: NDArray[np.uint64] | None = None
) -> NDArray[np.void]:
    """Decode blocks, each with its number among its kind: all postings, or those of the hashes, which rise.

    Raises ``ValueError`` for bytes that are no block.
    """
    if native := kernel():
        return np.asarray(native.unpack_blocks(blocks, layout.for_kernel(), hashes).view(schema.POSTING))
    found = [np.empty(0, schema.POSTING), *(unpack_block(number, block, layout) for number, block in blocks)]
    postings = np.concatenate(found)
    return postings if hashes is None else postings[among(postings["hash"], hashes)]


def unpack_block(number: int, block: bytes, layout: BlockLayout) -> NDArray[np.void]:
    """Decode ``pack_block``; raise ``ValueError`` for bytes that are no block."""
    if not block:
        return np.empty(0, schema.POSTING)
    parts = BytesIO(block[_HEADER.size :])
    count, has_crowds = _HEADER.unpack_from(block.ljust(_HEADER.size, b"\0"))
    if not 0 < count <= 8 * len(block) or has_crowds > 1:
        raise ValueError("a block of impossible size")
    lower, upper = layout.rest_bits(count)
    ones = np.flatnonzero(_next_bits(parts, count + (1 << upper)))
    uppers = ones - np.arange(len(ones))
    if len(ones) != count or uppers[-1] >> upper:
        raise ValueError("a block of another size")
    rests = uppers.astype(np.uint64) << np.uint64(lower) | _next_numbers(parts, count, lower)
    marked = _next_bits(parts, count)[:count]
    crowded = _next_bits(parts, count)[:count] if has_crowds else np.zeros(count, np.uint8)
    whole = np.zeros(count, np.uint8)
    whole[marked > 0] = _next_bits(parts, int(marked.sum()))[: marked.sum()]
    phrase = marked - whole
    postings = np.zeros(count, schema.POSTING)
    kept = schema.HASH_BITS - layout.block_bits
    postings["hash"] = (np.uint64(number << kept) | rests) << np.uint64(64 - schema.HASH_BITS)
    postings["check"][phrase == 0] = _next_numbers(parts, int((phrase == 0).sum()), schema.CHECK_BITS)
    postings["content"] = _next_numbers(parts, count, layout.place_bits)
    postings["position"] = phrase * np.uint32(PHRASE) + crowded * np.uint32(schema.CROWDED)
    postings["position"] += whole * np.uint32(schema.WHOLE)
    if parts.read(1) or (postings["hash"][1:] < postings["hash"][:-1]).any():
        raise ValueError("a block of another size or order")
    return postings


def _next_bits(block: BinaryIO, count: int) -> NDArray[np.uint8]:
    """Return the next bits: uint8; with those that fill up the last byte."""
    data = block.read(-(-count // 8))
    if 8 * len(data) < count:
        raise ValueError("a block that is cut off")
    return np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")


def _next_numbers(block: BinaryIO, count: int, width: int) -> NDArray[np.uint64]:
    """Return the next numbers of ``width`` bits: uint64."""
    bits = _next_bits(block, count * width)[: count * width].reshape(count, width).astype(np.uint64)
    return np.asarray((bits << np.arange(width, dtype=np.uint64)).sum(axis=1), np.uint64)


def _as_bits(numbers: NDArray[Any], width: int) -> bytes:
    """Return the lowest ``width`` bits of each number, one after the other."""
    bits = numbers.astype(np.uint64)[:, None] >> np.arange(width, dtype=np.uint64) & np.uint64(1)
    return np.packbits(bits.astype(np.uint8), bitorder="little").tobytes()


def first_unsound(blocks: Sequence[StoredBlock], seal: Callable[[int, bytes], bytes]) -> int | None:
    """Return the number of the first block that has another seal."""
    for number, block, sealed in blocks:
        if type(block) is not bytes or seal(number, block) != sealed:
            return number
    return None
