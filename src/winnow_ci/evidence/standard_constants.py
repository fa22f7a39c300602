"""Constants of standards, which every implementation has: they follow from primes, sines and a polynomial.

Those of CRC-32 (IEEE 802.3), MD5 (RFC 1321) and SHA-2 (FIPS 180-4): the tables of long numbers that most programs have.
"""

from __future__ import annotations

import zlib
from functools import cache
from math import sin
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@cache
def standard_constants() -> frozenset[float]:
    """The values of these constants."""
    return frozenset(map(float, (*_crc_32(), *_md5(), *_sha_2(32, 64), *_sha_2(64, 80))))


def _crc_32() -> Iterator[int]:
    """What each byte does to a sum of 0; zlib inverts sums on both sides."""
    return (zlib.crc32(bytes([byte]), 0xFFFFFFFF) ^ 0xFFFFFFFF for byte in range(256))


def _md5() -> Iterator[int]:
    return (int(abs(sin(step)) * (1 << 32)) for step in range(1, 65))


def _sha_2(bits: int, count: int) -> Iterator[int]:
    """The first bits of the fractions of the cube roots of the first primes."""
    return (_cube_root(prime << (3 * bits)) % (1 << bits) for prime in _primes(count))


def _primes(count: int) -> list[int]:
    found: list[int] = []
    number = 2
    while len(found) < count:
        if all(number % prime for prime in found):
            found.append(number)
        number += 1
    return found


def _cube_root(number: int) -> int:
    """The integer part, by Newton's method from above."""
    root = 1 << -(-number.bit_length() // 3)
    while (better := (2 * root + number // root**2) // 3) < root:
        root = better
    return root
