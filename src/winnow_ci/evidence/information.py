"""Find the k-grams that are evidence, and the numbers that only one document has.

Rows of numbers, ``#include`` lists, runs of one-line declarations and repeated punctuation look alike in unrelated
projects: their k-grams repeat a few short patterns. A k-gram carries information if three quarters of the 4-grams
inside it are distinct (for k = 16: 10 of 13). Between git and curl, two unrelated projects, this and a minimal length
reduce the files with a structural match from 520 of 887 to 1 (docs/matching.md).

A number that only one document has is long (``languages.number_values``): a random constant, a measured value, an
identifier. Other programs do not have it, no standard prescribes it, and it does not follow from those before it:
10001, 10002, 10003, 10004 … need not be copied. The standards are CRC-32 (IEEE 802.3), MD5 (RFC 1321) and SHA-2 (FIPS
180-4), whose constants follow from a polynomial, sines and primes.
"""

from __future__ import annotations

import zlib
from functools import cache
from itertools import count as count_from
from itertools import islice
from math import isqrt, sin
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

    from winnow_ci.languages import TextNumbers
    from winnow_ci.model import Tokens

GRAM = 4
SHARE = 0.75


class KgramInformation(NamedTuple):
    """What k-grams of a document carry."""

    grams: NDArray[np.uint64]  # one a token but the last three; hashes of its structural 4-grams
    structure: NDArray[np.bool_]  # one a k-gram; whether its structure carries information
    text: NDArray[np.bool_]  # the same of its text


def kgram_information(tokens: Tokens, rare: NDArray[np.bool_], k: int) -> KgramInformation:
    """Return which k-grams carry information, given which tokens are rare numbers (``rare_numbers``)."""
    if native := kernel():
        numbers = (NUMBER_SKETCH.start, NUMBER_SKETCH.stop)
        return KgramInformation(*native.kgram_information(tokens, rare, numbers, k, (GRAM, SHARE)))
    structure = grams(tokens)
    return KgramInformation(structure, informative(structure, k), informative(text_grams(tokens, rare), k))


def informative(ids: NDArray[np.uint64], k: int) -> NDArray[np.bool_]:
    """Return which k-grams carry information.

    A 4-gram at j is a repetition in every k-gram that starts no later than its previous occurrence and still reaches j.
    So each 4-gram adds one to a range of starts; a difference array sums the ranges up. ``ids`` are hashes of the n
    4-grams; the result has shape (max(0, n + GRAM − k),).
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

    Numbers that are not ``rare`` count as equal: tables such as 0, 1, 2, 3 … are often the same without being copied.
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


# Between two numbers of a row of equal steps may stand this many others: ``{10001, 7}, {10002, 9}``.
MOST_BESIDE = 2
# Two steps are equal if they differ by no more than this share of the number that they lead to.
_ROUNDING = 1e-12


def rare_numbers(tokens: Tokens, numbers: TextNumbers) -> NDArray[np.bool_]:
    """Return which tokens of a document with these numbers are rare numbers: bool, one a token."""
    rare = np.zeros(len(tokens), np.bool_)
    own = _own(numbers.long_values())
    if len(own):
        at = np.flatnonzero(are_numbers(tokens))
        ids, known = tokens.verbatim[at], numbers.values()
        values = np.array([known[one].value if one in known else np.nan for one in ids.tolist()])
        rare[at[among(ids, own) & ~_follow(values)]] = True
    return rare


def _own(long: Mapping[int, float]) -> NDArray[np.uint64]:
    """The verbatim ids of long numbers that other programs do not have, sorted: uint64."""
    ids = np.array(sorted(long), np.uint64)
    if len(ids):
        ids = ids[~is_everyday(ids) & (text_bits(ids) >= RAREST)]
    return np.array([one for one in ids.tolist() if long[one] not in standard_constants()], np.uint64)


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
    # What each byte does to a sum of 0; zlib inverts sums on both sides.
    crc_32 = (zlib.crc32(bytes([byte]), 0xFFFFFFFF) ^ 0xFFFFFFFF for byte in range(256))
    md5 = (int(abs(sin(step)) * (1 << 32)) for step in range(1, 65))
    return frozenset(map(float, (*crc_32, *md5, *_sha_2(32, 64), *_sha_2(64, 80))))


def _sha_2(bits: int, count: int) -> Iterator[int]:
    # The first bits of the fractions of the cube roots of the first primes.
    from decimal import Decimal  # noqa: PLC0415 - few files have long numbers

    primes = (number for number in count_from(2) if all(number % other for other in range(2, isqrt(number) + 1)))
    roots = (Decimal(prime) ** (Decimal(1) / 3) for prime in islice(primes, count))
    return (int(root % 1 * (1 << bits)) for root in roots)
