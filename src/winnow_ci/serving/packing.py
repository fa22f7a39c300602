"""What the rows on a server hold before they are encrypted.

A version is never changed once it is published, so its rows are more compact than those of a file. A posting has 16
bytes, little endian (``POSTING``): of its keyed hash the 32 bits below those that name its block, the rank of its
content, position and check. Contents are ranked by their ids; boilerplate, whose ids are negative, has the ranks below
0. Any other row is a list of fields, each with its type and, if it has one, its length.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

POSTING = np.dtype([("hash", "<u4"), ("content", "<i4"), ("position", "<u4"), ("check", "<u4")])
# Bits of a hash that a posting has; as many again name its block at most.
HASH_BITS = 32
_INTEGER = struct.Struct("<q")
_LENGTH = struct.Struct("<I")
_NONE, _INT, _TEXT, _BYTES = b"nitb"

Field: TypeAlias = "bytes | str | int | None"


def known_bits(hashes: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:
    """Hashes without the bits that no posting has, if ``bits`` of them name a block: uint64, shape of ``hashes``."""
    lost = max(0, 64 - HASH_BITS - bits)
    return hashes >> np.uint64(lost) << np.uint64(lost)


def lower_part(hashes: NDArray[np.uint64], bits: int) -> NDArray[np.uint32]:
    """What a posting has of its hash, if ``bits`` of it name a block: uint32, shape of ``hashes``."""
    return (hashes >> np.uint64(64 - HASH_BITS - bits)).astype(np.uint32)


def whole_hash(blocks: NDArray[np.uint64], parts: NDArray[np.uint32], bits: int) -> NDArray[np.uint64]:
    """Undo ``lower_part``, given the number of each posting's block; what is lost is 0."""
    return (blocks << np.uint64(HASH_BITS) | parts) << np.uint64(64 - HASH_BITS - bits)


def pack_fields(fields: Iterable[Field]) -> bytes:
    """Encode fields; integers have at most 64 bits."""
    parts = []
    for field in fields:
        if field is None:
            parts.append(b"n")
        elif isinstance(field, int):
            parts += (b"i", _INTEGER.pack(field))
        else:
            data = field if isinstance(field, bytes) else field.encode("utf-8", "surrogateescape")
            parts += (b"b" if isinstance(field, bytes) else b"t", _LENGTH.pack(len(data)), data)
    return b"".join(parts)


def unpack_fields(row: bytes) -> list[Field]:
    """Decode ``pack_fields``.

    Raises:
        ValueError: the bytes are no such fields.
    """
    fields: list[Field] = []
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
                raise ValueError("a field of no known type")
    except struct.error as error:
        raise ValueError("a field that is cut off") from error
    if place != len(row):
        raise ValueError("a field that is cut off")
    return fields
