"""Convert the postings of blocks to the bytes that an index stores, and back.

Where the kernel has a function of the same name, it is the fast way to the same result; Python says what that is.
"""

from __future__ import annotations

import struct
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from winnow_ci.arrays import among
from winnow_ci.index import schema
from winnow_ci.model import PHRASE
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.native import kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    # A row of ``block``, unchecked: number, bytes, seal; any value may have any type. A scan reads thousands.
    StoredBlock: TypeAlias = tuple[int, bytes, bytes]

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
    rests = hashes << np.uint64(layout.block_bits) >> np.uint64(64 - lower - upper) if lower + upper else hashes * 0
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
    """Decode blocks, each with its number among those of its kind: all postings, or those of the hashes, which rise.

    Raises:
        ValueError: bytes that are no block.
    """
    if native := kernel():
        return np.asarray(native.unpack_blocks(blocks, layout.for_kernel(), hashes).view(schema.POSTING))
    found = [np.empty(0, schema.POSTING), *(unpack_block(number, block, layout) for number, block in blocks)]
    postings = np.concatenate(found)
    return postings if hashes is None else postings[among(postings["hash"], hashes)]


def unpack_block(number: int, block: bytes, layout: BlockLayout) -> NDArray[np.void]:
    """Decode ``pack_block``.

    Raises:
        ValueError: bytes that are no block.
    """
    if not block:
        return np.empty(0, schema.POSTING)
    parts = _Parts(block, _HEADER.size)
    count, has_crowds = _HEADER.unpack_from(block.ljust(_HEADER.size, b"\0"))
    if not 0 < count <= 8 * len(block) or has_crowds > 1:
        raise ValueError("a block of impossible size")
    lower, upper = layout.rest_bits(count)
    ones = np.flatnonzero(parts.bits(count + (1 << upper), to_end=True))
    uppers = ones - np.arange(len(ones))
    if len(ones) != count or uppers[-1] >> upper:
        raise ValueError("a block of another size")
    rests = uppers.astype(np.uint64) << np.uint64(lower) | parts.numbers(count, lower)
    marked = parts.bits(count)
    crowded = parts.bits(count) if has_crowds else np.zeros(count, np.uint8)
    whole = np.zeros(count, np.uint8)
    whole[marked > 0] = parts.bits(int(marked.sum()))
    phrase = marked - whole
    postings = np.zeros(count, schema.POSTING)
    kept = schema.HASH_BITS - layout.block_bits
    postings["hash"] = (np.uint64(number << kept) | rests) << np.uint64(64 - schema.HASH_BITS)
    postings["check"][phrase == 0] = parts.numbers(int((phrase == 0).sum()), schema.CHECK_BITS)
    postings["content"] = parts.numbers(count, layout.place_bits)
    postings["position"] = phrase * np.uint32(PHRASE) + crowded * np.uint32(schema.CROWDED)
    postings["position"] += whole * np.uint32(schema.WHOLE)
    if parts.left or (postings["hash"][1:] < postings["hash"][:-1]).any():
        raise ValueError("a block of another size or order")
    return postings


class _Parts:
    """The parts of a block's bytes, one after the other."""

    def __init__(self, data: bytes, start: int) -> None:
        self._bytes = np.frombuffer(data, np.uint8)[start:]

    @property
    def left(self) -> int:
        """How many bytes are left."""
        return len(self._bytes)

    def bits(self, count: int, *, to_end: bool = False) -> NDArray[np.uint8]:
        """Return the next bits: uint8; with those that fill up the last byte, if ``to_end``."""
        size = -(-count // 8)
        if size > len(self._bytes):
            raise ValueError("a block that is cut off")
        part, self._bytes = self._bytes[:size], self._bytes[size:]
        return np.unpackbits(part, count=None if to_end else count, bitorder="little")

    def numbers(self, count: int, width: int) -> NDArray[np.uint64]:
        """Return the next numbers of ``width`` bits: uint64."""
        bits = self.bits(count * width).reshape(count, width).astype(np.uint64)
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
