"""Find known code that a change restates, or translates: both have rare words, and little structure in common.

Several words (docs/matching.md, *Words in common*) that the change has near each other, and that one content has near
each other, are no chance, if they are many of the rare words that the change has there. Two signs say so
(``evidence.model``): what they are worth, and their *share* of all that this part of the change has.

A part of the change is all of it, or two blocks of ``BLOCK_HERE`` tokens in a row; of a content it is two blocks of
``BLOCK_THERE``. A word that many contents have is worth less; from ``MOST_HOLDERS`` on it is worth nothing.
"""

from __future__ import annotations

from collections import defaultdict
from math import inf, log2
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from winnow_ci.evidence.model import evidence_model
from winnow_ci.evidence.weights import are_numbers
from winnow_ci.matching.region_tokens import MOST, is_verbatim, shared_tokens
from winnow_ci.model import RESTATED, WORD
from winnow_ci.model.regions import Evidence, Region, Signs, Stretch
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.matching.hits import FileHits
    from winnow_ci.scanner.files import Match, MatchGroup

    # By the hash of what is shared.
    _Shared: TypeAlias = dict[int, "_Pair"]

BLOCK_HERE, BLOCK_THERE = 256, 1024
MOST_HOLDERS = 256
# In bits: a number, another word or the phrase of a name, and a line of a comment or string.
OF_NUMBER, OF_WORD, OF_LINE = 2.0, 5.0, 10.0
# What is shared of a part with few words says less: its share is as if it had this many more.
FEW_OWN = 4
# Added tokens from the first to the last word, at least.
LEAST_ADDED = 32
# Contents that are looked at closely, and what a part shares at least.
MOST_CONTENTS, LEAST_BITS = 16, 8.0
_ALL = -1


class _Pair(NamedTuple):
    """A word or phrase on both sides: hash, line, tokens, number in the change, and worth."""

    hash: int
    line: int
    here: int
    there: int
    number: int
    bits: float
    is_number: bool


class Restated(NamedTuple):
    """A part of a change that may restate a content, and the numbers of the words and phrases that both have."""

    region: Region
    phrases: list[int]


def restated(file: FileHits, least: int) -> list[Restated]:
    """Find the best part of each content that a change may restate; contents with the same words all come.

    A part has at least ``least`` added tokens, from its first to its last word.
    """
    own, model = _own_words(file), evidence_model()
    found = []
    for content, pairs in _likely(file):
        parts = ((_signs(shared, own[block]), shared) for block, shared in _parts(pairs))
        likely = [(model.odds_of_words(signs), signs, shared) for signs, shared in parts if signs.words >= LEAST_BITS]
        odds, signs, shared = max(likely, key=itemgetter(0), default=(-inf, Signs(), {}))
        if odds >= model.report:
            found.append(_restated(content, shared, signs, file.kgrams.phrases.words))
    return [part for part in found if file.added[part.region.start : part.region.end].sum() >= max(least, LEAST_ADDED)]


def _likely(file: FileHits) -> Iterator[tuple[int, list[_Pair]]]:
    """Yield the contents that share most, and what they share."""
    hits, phrases = file.phrase_hits, file.kgrams.phrases
    hashes, worth = phrases.hashes[hits.queries], _worth_of_each(file)[hits.queries]
    are_number_words = are_numbers(file.tokens)[phrases.positions]
    order = np.lexsort((hashes, hits.contents))
    is_new = np.append(True, (np.diff(hits.contents[order]) != 0) | (np.diff(hashes[order]) != 0))[: len(order)]
    once = order[is_new]
    _, numbers, holders = np.unique(hashes[once], return_inverse=True, return_counts=True)
    rarity = np.maximum(0.0, 1 - np.log2(holders) / log2(MOST_HOLDERS))
    contents, owners = np.unique(hits.contents[once], return_inverse=True)
    said = np.bincount(owners, rarity[numbers] * worth[once], minlength=len(contents))
    likely = np.flatnonzero(said >= LEAST_BITS)
    likely = likely[np.lexsort((likely, -said[likely]))][:MOST_CONTENTS]
    rare = dict(zip(hashes[once].tolist(), rarity[numbers].tolist(), strict=True))
    for content in contents[likely].tolist():
        at = np.flatnonzero(hits.contents == content)
        queries = hits.queries[at]
        here = phrases.positions[queries]
        places = file.tokens.first_lines[here], here, hits.positions[at], queries
        columns = hashes[at], *places, worth[at], are_number_words[queries]
        pairs = map(_Pair._make, zip(*(column.tolist() for column in columns), strict=True))
        yield content, [pair._replace(bits=rare[pair.hash] * pair.bits) for pair in pairs]


def _worth_of_each(file: FileHits) -> NDArray[np.float64]:
    """Bits of each word and phrase of the change, if one content has it."""
    phrases = file.kgrams.phrases
    bits = np.where(phrases.names | (phrases.words == WORD), OF_WORD, OF_LINE)
    bits[are_numbers(file.tokens)[phrases.positions]] = OF_NUMBER
    return bits


def _parts(pairs: Iterable[_Pair]) -> Iterator[tuple[int, _Shared]]:
    """Yield the block that a part of the change begins with, or ``_ALL``, and what it shares with others."""
    parts: defaultdict[tuple[int, int], _Shared] = defaultdict(dict)
    for pair in pairs:
        here, there = pair.here // BLOCK_HERE, pair.there // BLOCK_THERE
        for block_there in (there - 1, there):
            for block in (_ALL, here - 1, here):
                parts[max(block, _ALL), block_there].setdefault(pair.hash, pair)
    yield from ((block, shared) for (block, _), shared in parts.items())


def _own_words(file: FileHits) -> dict[int, int]:
    """How many words and phrases each part of the change has, by the block that it begins with."""
    phrases = file.kgrams.phrases
    parts: defaultdict[int, set[int]] = defaultdict(set)
    for one, at in zip(phrases.hashes.tolist(), phrases.positions.tolist(), strict=True):
        for block in {_ALL, max(_ALL, at // BLOCK_HERE - 1), at // BLOCK_HERE}:
            parts[block].add(one)
    return {block: len(words) for block, words in parts.items()}


def _signs(shared: _Shared, own: int) -> Signs:
    """Those of a part that has ``own`` words; tables of numbers say nothing, and a line ``OF_LINE`` bits at most."""
    numbers, others = (_of_lines(one for one in shared.values() if one.is_number == which) for which in (True, False))
    return Signs(words=others + min(numbers, others), share=len(shared) / (own + FEW_OWN))


def _of_lines(pairs: Iterable[_Pair]) -> float:
    of_lines: defaultdict[int, float] = defaultdict(float)
    for pair in pairs:
        of_lines[pair.line] += pair.bits
    return sum(min(bits, OF_LINE) for bits in of_lines.values())


def _restated(content: int, shared: _Shared, signs: Signs, words: NDArray[np.uint8]) -> Restated:
    # Several lines of a comment stand at one token.
    pairs = sorted({pair.here: pair for pair in shared.values()}.values(), key=attrgetter("here"))
    stretches = tuple(Stretch(pair.here, pair.there, 1) for pair in pairs)
    there = [pair.there for pair in pairs]
    numbers = sum(pair.is_number for pair in shared.values())
    names = sum(bool(words[pair.number] == WORD) and not pair.is_number for pair in shared.values())
    region = Region(
        *(content, pairs[0].here, pairs[-1].here + 1, min(there), max(there) + 1),
        *(len(pairs), len(pairs), len(shared), "restated", stretches),
        bits=signs.words,
        evidence=Evidence(names=names, literals=numbers, phrases=len(shared) - names - numbers),
        same=np.packbits(np.ones(len(pairs), np.bool_)).tobytes(),
        signs=signs,
    )
    return Restated(region, sorted(pair.number for pair in shared.values()))


def restated_groups(matches: Iterable[Match], copies: Sequence[MatchGroup]) -> Iterator[MatchGroup]:
    """Group what a file restates, the best first, without contents of copies and what says no more than a verbatim one.

    Others are places of the same code if the one with fewer words has most of them in common with the best.
    """
    copied = {match.content_number: is_verbatim(match.region) for copy in copies for match in copy}
    words = [one for one in matches if one.region.kind in RESTATED and one.added]
    verbatim = [one.region for one in words if copied.get(one.content_number)]

    def is_explained(own: Region) -> bool:
        return any(copy.bits >= own.bits and shared_tokens(own, copy) > MOST * own.matched for copy in verbatim)

    left = [one for one in words if one.content_number not in copied and not is_explained(one.region)]
    left.sort(key=lambda one: (-evidence_model().log_odds(one.region), -one.region.bits, one.content_number))
    while left:
        best, *others = left
        shared = {id(one): shared_tokens(one.region, best.region) for one in others}
        yield best, *(one for one in others if shared[id(one)] > MOST * min(one.region.matched, best.region.matched))
        left = [one for one in others if not shared[id(one)]]
