"""SipHash-2-4 of 64-bit numbers (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012), vectorised.

Fingerprints are made by public arithmetic, so whoever sees them can chain them to the k-grams around them. Under a key
that the server of an index does not have, they are random numbers to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEY_BYTES = 16
# "somepseudorandomlygeneratedbytes" (section 2.1).
_START = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
# The last word of a message of eight bytes: its length, in the upper byte (section 2.2).
_LAST_WORD = np.uint64(8 << 56)
_FINAL = np.uint64(0xFF)
_COMPRESSION_ROUNDS = 2
_FINAL_ROUNDS = 4
# The state of so many numbers stays in the processor's cache.
_PART = 1 << 13


def siphash(key: bytes, numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SipHash-2-4 of each number, taken as eight bytes, little endian.

    Args:
        key: ``KEY_BYTES`` bytes.
        numbers: uint64, shape (n,).

    Returns:
        uint64, shape (n,).
    """
    hashes = np.empty(len(numbers), np.uint64)
    for start in range(0, len(numbers), _PART):
        hashes[start : start + _PART] = _hashed(key, numbers[start : start + _PART])
    return hashes


def _hashed(key: bytes, words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    halves = np.frombuffer(key, "<u8", KEY_BYTES // 8).tolist()
    v0, v1, v2, v3 = (
        np.full(len(words), start ^ half, np.uint64) for start, half in zip(_START, halves * 2, strict=True)
    )
    for word in (words, _LAST_WORD):
        v3 ^= word
        for _ in range(_COMPRESSION_ROUNDS):
            _round(v0, v1, v2, v3)
        v0 ^= word
    v2 ^= _FINAL
    for _ in range(_FINAL_ROUNDS):
        _round(v0, v1, v2, v3)
    return v0 ^ v1 ^ v2 ^ v3


def _round(v0: NDArray[np.uint64], v1: NDArray[np.uint64], v2: NDArray[np.uint64], v3: NDArray[np.uint64]) -> None:
    """One SipRound (section 2.3), in place."""
    _mix(v0, v1, 13)
    _rotate(v0, 32)
    _mix(v2, v3, 16)
    _mix(v0, v3, 21)
    _mix(v2, v1, 17)
    _rotate(v2, 32)


def _mix(added: NDArray[np.uint64], rotated: NDArray[np.uint64], bits: int) -> None:
    added += rotated
    _rotate(rotated, bits)
    rotated ^= added


def _rotate(words: NDArray[np.uint64], bits: int) -> None:
    upper = words >> np.uint64(64 - bits)
    words <<= np.uint64(bits)
    words |= upper
