"""Find numbers that only one document has: random constants, measured values, identifiers.

Such a number is long (``languages.number_values``). It is not one that other programs have too, or that a standard
prescribes, and does not follow from those before it: 10001, 10002, 10003, 10004 … need not be copied.

The constants of CRC-32 (IEEE 802.3), MD5 (RFC 1321) and SHA-2 (FIPS 180-4) are the tables of long numbers that most
programs have. They follow from a polynomial, sines and primes.
"""

from __future__ import annotations

import zlib
from functools import cache
from math import sin
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.arrays import among
from winnow_ci.evidence.information import are_numbers
from winnow_ci.evidence.tables import RAREST, is_everyday, text_bits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from winnow_ci.languages import NumberValue, TextNumbers
    from winnow_ci.model import Tokens

# Between two numbers of a row of equal steps may stand this many others: ``{10001, 7}, {10002, 9}``.
MOST_BESIDE = 2
# Two steps are equal if they differ by no more than this share of the number that they lead to.
_ROUNDING = 1e-12


def rare_numbers(tokens: Tokens, numbers: TextNumbers) -> NDArray[np.bool_]:
    """Return which tokens are rare numbers.

    Args:
        tokens: of the document.
        numbers: those in it.

    Returns:
        bool, one a token.
    """
    rare = np.zeros(len(tokens), np.bool_)
    own = _own(numbers.long_values())
    if len(own):
        at = np.flatnonzero(are_numbers(tokens))
        is_own = among(tokens.verbatim[at], own)
        rare[at[is_own & ~_follow(_values(tokens.verbatim[at], numbers.values()))]] = True
    return rare


def _own(long: Mapping[int, float]) -> NDArray[np.uint64]:
    """The verbatim ids of long numbers that other programs do not have, sorted: uint64."""
    ids = np.array(sorted(long), np.uint64)
    if len(ids):
        ids = ids[~is_everyday(ids) & (text_bits(ids) >= RAREST)]
    if len(ids):
        ids = ids[[long[one] not in standard_constants() for one in ids.tolist()]]
    return ids


def _values(ids: NDArray[np.uint64], numbers: Mapping[int, NumberValue]) -> NDArray[np.float64]:
    """The value of each number, NaN if it is unknown: float64."""
    return np.array([known.value if (known := numbers.get(number)) else np.nan for number in ids.tolist()])


def _follow(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which numbers continue a row of equal steps, alone or beside other numbers: bool, one a number."""
    follow = np.zeros(len(values), np.bool_)
    for beside in range(1, MOST_BESIDE + 2):
        steps = values[beside:] - values[:-beside]
        equal = np.abs(steps[beside:] - steps[:-beside]) <= _ROUNDING * np.abs(values[2 * beside :])
        follow[3 * beside :] |= equal[beside:] & equal[:-beside]
    return follow


@cache
def standard_constants() -> frozenset[float]:
    """Return the values of the constants of standards."""
    return frozenset(map(float, (*_crc_32(), *_md5(), *_sha_2(32, 64), *_sha_2(64, 80))))


def _crc_32() -> Iterator[int]:
    # What each byte does to a sum of 0; zlib inverts sums on both sides.
    return (zlib.crc32(bytes([byte]), 0xFFFFFFFF) ^ 0xFFFFFFFF for byte in range(256))


def _md5() -> Iterator[int]:
    return (int(abs(sin(step)) * (1 << 32)) for step in range(1, 65))


def _sha_2(bits: int, count: int) -> Iterator[int]:
    # The first bits of the fractions of the cube roots of the first primes.
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
    # The integer part, by Newton's method from above.
    root = 1 << -(-number.bit_length() // 3)
    while (better := (2 * root + number // root**2) // 3) < root:
        root = better
    return root
