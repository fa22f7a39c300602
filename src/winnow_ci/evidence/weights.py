"""Weigh the tokens, names, literals and phrases of a document as evidence, in bits, by the learnt tables.

Lines that everybody writes are no evidence: ``#define min(a, b) ((a) < (b) ? (a) : (b))``, ``<meta charset="utf-8">``,
the helpers that a compiler puts into its output. Some of their names may be rare, but many projects have the whole
line, word for word. Nor are lines that generators write into everybody's files, such as the head of a message
catalogue: ``tools/tables`` has these as texts.

Tables of calls, options, requires and registrations are *rows* of one shape. Two tables of one shape that nobody copied
have hundreds of names side by side: some look equal by chance, since an index knows a name by one byte. So the names
and literals of a row do not count if the rows before it have its shape. The first few rows count in full.

Rows of numbers, ``#include`` lists, runs of one-line declarations and repeated punctuation look alike in unrelated
projects: their k-grams repeat a few short patterns. A k-gram carries information if three quarters of the 4-grams
inside it are distinct (for k = 16: 10 of 13).

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
from typing import TYPE_CHECKING, Any

import numpy as np

from winnow_ci.arrays import STEPS, among, covered, in_steps
from winnow_ci.evidence.tables import (
    AVERAGE,
    COMMON,
    RARE_GRAM,
    RAREST,
    gram_bits,
    is_common,
    is_common_phrase,
    is_everyday,
    text_bits,
    weight_tables,
)
from winnow_ci.model import IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH, WORD, Phrases
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.native import kernel
from winnow_ci.winnowing import kgram_hashes, run_hashes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from winnow_ci.languages import TextNumbers
    from winnow_ci.model import Tokens


GRAM = 4
# Of the 4-grams in a k-gram that carries information, this share is distinct.
SHARE = 0.75
# Front ends whose tokens the tables were learnt from; a token of any other is worth the average.
LEARNT = frozenset(
    {"c", "csharp", "go", "java", "javascript", "kotlin", "markup", "php", "python", "ruby", "rust", "scala", "shell"}
    | {"swift"}
)
# A name or literal is no new evidence if it occurred at most this many tokens before.
SHORTLY = 120
# Names and literals that many projects use keep this share of their bits: they go with what the code does.
EVERYDAY = 0.3
# Names, numbers and strings of at most these bits are so common that sharing them is no evidence.
SAID_BY_ALL = {IDENTIFIER_SKETCH: 5.0, NUMBER_SKETCH: 2.0, STRING_SKETCH: 5.0}


class Weights(NamedTuple):
    """The weights of the tokens of a document."""

    token_bits: NDArray[np.float64]  # one a token; what it says after the three before it
    literal_bits: NDArray[np.float64]  # one a token; what it says that its text stands in another document too
    # The same, but nothing for a text that stands shortly before, too.
    new_literal_bits: NDArray[np.float64]
    further_rows: NDArray[np.bool_]  # one a token; whether it stands in one of many rows of one shape
    common: NDArray[np.bool_]  # one a k-gram; whether its structure is common property


def weighed(tokens: Tokens, front_end: str, k: int, silent: NDArray[np.bool_], imported: NDArray[np.bool_]) -> Weights:
    """Weigh the tokens of a document that a front end read.

    The text of ``silent`` tokens weighs nothing, nor do those that import something or are on lines of everybody.
    """
    everybodys = on_common_lines(tokens) | imported
    said = _said(tokens, front_end, k, silent | everybodys)
    said.token_bits[everybodys] = 0
    return said


def _said(tokens: Tokens, front_end: str, k: int, silent: NDArray[np.bool_]) -> Weights:
    """The weights of tokens, wherever they are; the kernel does the same in one call."""
    if kernel():
        return Weights(*_learnt_tables().weights(tokens, front_end in LEARNT, k, silent))
    common = common_grams(tokens)
    literals = np.where(silent, 0, literal_bits(tokens))
    return Weights(
        token_bits(tokens, front_end, common),
        literals,
        new_literal_bits(tokens, literals),
        in_further_rows(tokens),
        common_kgrams(tokens, k, common),
    )


def distinctive_phrases(tokens: Tokens, *, words: bool = True) -> Phrases:
    """The phrases of a document that few others have; with ``words``, its rare words, too.

    Those before the first token are left out: every file of a project begins with its owners and its licence.
    """
    phrases = tokens.phrases
    if phrases is None:
        nowhere = np.empty(0, np.int32)
        return Phrases(np.empty(0, np.uint64), np.empty(0, np.uint8), np.empty(0, np.bool_), nowhere, nowhere)
    phrases = phrases.part((phrases.positions > 0) & (phrases.positions < len(tokens)))
    are_words, distinctive = phrases.words == WORD, np.zeros(len(phrases), np.bool_)
    if words:
        distinctive[are_words] = are_rare(tokens.verbatim[phrases.positions[are_words]])
    distinctive[~are_words] = ~is_common_phrase(phrases.hashes[~are_words])
    return phrases.part(distinctive)


def are_rare(texts: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Which names, numbers or strings hardly anybody has, given their verbatim ids: bool, shape (n,)."""
    return np.asarray((text_bits(texts) >= RAREST) & ~is_everyday(texts), np.bool_)


def common_grams(tokens: Tokens) -> NDArray[np.bool_]:
    """Which structural 16-grams of a document are common property: bool, one a 16-gram."""
    return is_common(kgram_hashes(tokens.structural, COMMON))


def common_kgrams(tokens: Tokens, k: int, common: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which k-grams consist of 16-grams that are common property: bool, one a k-gram; none if k is less than 16."""
    if k < COMMON or len(tokens) < k:
        return np.zeros(max(0, len(tokens) - k + 1), np.bool_)
    before = np.concatenate([[0], np.cumsum(common)])
    inside = k - COMMON + 1
    return np.asarray(before[inside:] - before[:-inside] == inside, np.bool_)


def token_bits(tokens: Tokens, front_end: str, common: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Bits of each token after the three before it: float64, one a token.

    The first three tokens are worth nothing, nor is one that ends a 16-gram of common property (``common_grams``).
    """
    bits = np.zeros(len(tokens))
    if len(tokens) >= GRAM:
        bits[GRAM - 1 :] = gram_bits(grams(tokens)) if front_end in LEARNT else AVERAGE
    bits[len(tokens) - len(common) :][common] = 0
    return bits


def literal_bits(tokens: Tokens) -> NDArray[np.float64]:
    """Bits of each name, number or string if another document has the same one: float64, one a token, else 0.

    A sketch byte tells few texts of a class apart, so two of them are often equal by chance: no text is worth more
    bits than its sketch can tell.
    """
    bits = np.zeros(len(tokens))
    for sketches, worthless in SAID_BY_ALL.items():
        own = (tokens.sketch >= sketches.start) & (tokens.sketch < sketches.stop)
        texts = tokens.verbatim[own]
        rarity = np.clip(text_bits(texts) - worthless, 0, np.log2(len(sketches)))
        bits[own] = in_steps(np.where(is_everyday(texts), EVERYDAY * rarity, rarity))
    return bits


def new_literal_bits(tokens: Tokens, bits: NDArray[np.float64]) -> NDArray[np.float64]:
    """``literal_bits``, but 0 for a text that occurred shortly before: float64, one a token."""
    order = np.argsort(tokens.verbatim, kind="stable")
    recurs = tokens.verbatim[order[1:]] == tokens.verbatim[order[:-1]]
    new = bits.copy()
    new[order[1:][recurs & (np.diff(order) <= SHORTLY)]] = 0
    return new


@cache
def _learnt_tables() -> Any:
    """The learnt tables, as the kernel has them."""
    classes = [(own.start, own.stop, bits, float(np.log2(len(own)))) for own, bits in SAID_BY_ALL.items()]
    own = {"gram": GRAM, "shortly": SHORTLY, "everyday": EVERYDAY, "rows_alike": ROWS_ALIKE, "before": BEFORE}
    shared = {"rare_gram": RARE_GRAM, "average": AVERAGE, "rarest": RAREST, "common": COMMON, "steps": STEPS}
    return kernel().LearntTables(*weight_tables(), classes, own | shared)


# A shorter line is hardly any evidence by itself.
LEAST_ON_A_LINE = 4
# A line is a further row if ``ROWS_ALIKE`` of the ``BEFORE`` lines before it have its shape.
ROWS_ALIKE = 4
BEFORE = 6


class LineHashes(NamedTuple):
    """The lines of a document on which some tokens begin; arrays with one element a line."""

    hashes: NDArray[np.uint64]  # of the text of its tokens
    starts: NDArray[np.int64]  # its first token
    lengths: NDArray[np.int64]  # how many tokens begin on it


def line_hashes(tokens: Tokens, shortest: int = LEAST_ON_A_LINE) -> LineHashes:
    """Hash the lines on which at least ``shortest`` tokens begin."""
    if native := kernel():
        return LineHashes(*native.line_hashes(tokens, shortest))
    starts = np.flatnonzero(np.diff(tokens.first_lines, prepend=-1))
    lengths = np.diff(starts, append=len(tokens))
    long = lengths >= shortest
    return LineHashes(run_hashes(tokens.verbatim, starts)[long], starts[long], lengths[long])


def on_common_lines(tokens: Tokens) -> NDArray[np.bool_]:
    """Which tokens begin on a line that several of the learnt projects have: bool, one a token."""
    lines = line_hashes(tokens)
    common = is_common(lines.hashes)
    starts = lines.starts[common]
    return covered(starts, starts + lines.lengths[common], len(tokens))


def in_further_rows(tokens: Tokens) -> NDArray[np.bool_]:
    """Return which tokens stand on a further row: bool, one a token."""
    starts = np.flatnonzero(np.diff(tokens.first_lines, prepend=-1))
    lengths = np.diff(starts, append=len(tokens))
    shapes = run_hashes(tokens.structural, starts)
    same = np.zeros(len(shapes), np.int64)
    for distance in range(1, min(BEFORE, len(shapes) - 1) + 1):
        same[distance:] += shapes[distance:] == shapes[:-distance]
    return np.repeat(same >= ROWS_ALIKE, lengths)


def kgram_information(
    tokens: Tokens, rare: NDArray[np.bool_], k: int
) -> tuple[NDArray[np.uint64], NDArray[np.bool_], NDArray[np.bool_]]:
    """Return ``grams``, and which k-grams carry information by structure, and by text, given ``rare_numbers``."""
    if native := kernel():
        numbers = (NUMBER_SKETCH.start, NUMBER_SKETCH.stop)
        hashes, of_structure, of_text = native.kgram_information(tokens, rare, numbers, k, (GRAM, SHARE))
        return hashes, of_structure, of_text
    structure = grams(tokens)
    return structure, informative(structure, k), informative(text_grams(tokens, rare), k)


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
        ids = ids[are_rare(ids)]
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
