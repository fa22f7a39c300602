"""Which k-grams are evidence.

Rows of numbers, ``#include`` lists, runs of one-line declarations and repeated punctuation look alike in unrelated
projects: their k-grams repeat a few short patterns. A k-gram carries information if three quarters of the 4-grams
inside it are distinct (for k = 16: 10 of 13). Between git and curl, two unrelated projects, this and a minimal length
reduce the files with a structural match from 520 of 887 to 1 (docs/matching.md).

Find numbers that only one document has: random constants, measured values, identifiers.

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
from winnow_ci.evidence.tables import RAREST, is_everyday, text_bits
from winnow_ci.model import NUMBER_SKETCH
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.native import kernel
from winnow_ci.winnowing import kgram_hashes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from winnow_ci.languages import NumberValue, TextNumbers
    from winnow_ci.model import Tokens

GRAM = 4
SHARE = 0.75


class KgramInformation(NamedTuple):
    """What k-grams of a document carry.

    Attributes:
        grams: uint64, one a token but the last three; hashes of its structural 4-grams.
        structure: bool, one a k-gram; whether its structure carries information.
        text: the same of its text.
    """

    grams: NDArray[np.uint64]
    structure: NDArray[np.bool_]
    text: NDArray[np.bool_]


def kgram_information(tokens: Tokens, rare: NDArray[np.bool_], k: int) -> KgramInformation:
    """Return which k-grams of a document carry information; the kernel does the same in one call.

    Args:
        tokens: of the document.
        rare: bool, one a token; the numbers that count as text (``rare_numbers``).
        k: length of a k-gram in tokens.
    """
    if native := kernel():
        numbers = (NUMBER_SKETCH.start, NUMBER_SKETCH.stop)
        return KgramInformation(*native.kgram_information(tokens, rare, numbers, k, (GRAM, SHARE)))
    structure = grams(tokens)
    return KgramInformation(structure, informative(structure, k), informative(text_grams(tokens, rare), k))


def informative(ids: NDArray[np.uint64], k: int) -> NDArray[np.bool_]:
    """Return which k-grams carry information.

    A 4-gram at j is a repetition in every k-gram that starts no later than its previous occurrence and still reaches j.
    So each 4-gram adds one to a range of starts; a difference array sums the ranges up.

    Args:
        ids: uint64, shape (n,); a hash of the 4-gram at each token, as ``kgram_hashes(structural, GRAM)`` makes them.
        k: length of a k-gram in tokens.

    Returns:
        bool, shape (max(0, n + GRAM − k),); one a k-gram.
    """
    inside = k - GRAM + 1
    count = len(ids) - inside + 1
    if count <= 0 or inside <= 1:
        return np.ones(max(0, count), np.bool_)
    distances = _distances(ids, inside)
    again = np.flatnonzero(distances)
    first = np.maximum(again - inside + 1, 0)
    last = np.minimum(again - distances[again], count - 1)
    repeats = last >= first
    change = np.bincount(first[repeats], minlength=count + 1) - np.bincount(last[repeats] + 1, minlength=count + 1)
    distinct = inside - np.cumsum(change[:count])
    return np.asarray(distinct >= round(SHARE * inside), np.bool_)


def grams(tokens: Tokens) -> NDArray[np.uint64]:
    """Hash every structural 4-gram of a document: by them, ``informative`` measures its structure."""
    return kgram_hashes(tokens.structural, GRAM)


def text_grams(tokens: Tokens, rare: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Hash every 4-gram of a document's text: by them, ``informative`` measures its text.

    Most numbers count as equal: tables of numbers, such as 0, 1, 2, 3 …, are often the same without being copied.

    Args:
        tokens: of the document.
        rare: bool, one a token; the numbers that count as text (``rare_numbers``).
    """
    return kgram_hashes(np.where(are_numbers(tokens) & ~rare, tokens.structural, tokens.verbatim), GRAM)


def are_numbers(tokens: Tokens) -> NDArray[np.bool_]:
    """Which tokens are numbers: bool, one a token."""
    return np.asarray((tokens.sketch >= NUMBER_SKETCH.start) & (tokens.sketch < NUMBER_SKETCH.stop), np.bool_)


def _distances(ids: NDArray[np.uint64], inside: int) -> NDArray[np.int64]:
    """How far back the same id stands, if among ``inside`` of them, or 0: int64, shape (n,).

    A few comparisons of the whole array take a third of the time of sorting it.
    """
    distances = np.zeros(len(ids), np.int64)
    for back in range(min(inside, len(ids)) - 1, 0, -1):
        np.copyto(distances[back:], back, where=ids[back:] == ids[:-back])
    return distances


# ---- numbers that only one document has --------------------------------------------------------------------------

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
