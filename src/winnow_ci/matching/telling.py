"""Rank contents by their hits, before reading any: the plain definition of what the kernel does.

*Significance*: a copy has several hits near each other on about one diagonal, and chance scatters them. So a content is
worth what its best *neighbourhood* says: hits that follow each other within ``NEXT_HIT`` tokens, on diagonals that an
edit could have moved; each token and each k-gram once, with what equal text and shared phrases say.

*Ranking*: a copy of a few lines has few hits, and a long file that is like many others would push it out. So in each
window of ``WINDOW`` tokens the content wins whose hits on about one diagonal say most, with their sum. A window votes
twice, the second time by equal text alone: a short verbatim run inside a long renamed copy has another source. Contents
are ranked by their votes, then by all their bits. Versions of one file say about the same: among those that say nearly
as much as the best, the one with the most bits in the whole file wins, the same version in most windows.
"""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.arrays import in_steps
from winnow_ci.matching import constants
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.matching.hits import FileHits, SharedContents


class _Hit(NamedTuple):
    """A seed or a shared phrase of a content."""

    owner: int  # which of the contents has it
    position: int  # where it begins in the change
    end: int  # the token after it; a phrase has no tokens
    diagonal: int  # position there − position here
    key: int  # hash of the k-gram or phrase
    verbatim: bool  # whether its text is the same; that of a phrase is
    bits: float | None  # what a phrase says; None of a seed


def is_significant(shared: SharedContents, file: FileHits, k: int) -> NDArray[np.bool_]:
    """Return which contents are hardly there by chance: bool, one a content.

    Those with a k-gram of telling structure and equal text are among them: each such run of t tokens is to be found.
    """
    significant = said_together(shared, file, k) >= constants.SIGNIFICANT
    significant[shared.owners[shared.seeds.verbatim & shared.seeds.telling]] = True
    return significant


def said_together(shared: SharedContents, file: FileHits, k: int) -> NDArray[np.float64]:
    """Weigh the best neighbourhood of each content: float64, bits."""
    most = np.zeros(len(shared.contents))
    of_plain = np.maximum(0.0, constants.LEAST_OF_TEXT - file.token_bits)
    texts = [0.0, *np.cumsum(in_steps(constants.SAME * file.new_literal_bits) + of_plain).tolist()]
    cumulative, hits = file.cumulative.tolist(), list(_hits(shared, file, k))
    for shift in (0, constants.HIT_BAND // 2):
        for neighbourhood in _neighbourhoods(hits, shift):
            said = _said(neighbourhood, cumulative, texts)
            most[neighbourhood[0].owner] = max(most[neighbourhood[0].owner], said)
    return most


def ranked_contents(shared: SharedContents, file: FileHits, k: int) -> NDArray[np.int64]:
    """Rank the contents: int64, their numbers, those that say most first."""
    said = _ballots(shared, file, k)
    total = [0.0] * len(shared.contents)
    for one in said:
        total[one.owner] += one.bits
    votes = _votes(said, total) + _votes([one for one in said if one.verbatim], total)
    return np.array(sorted(range(len(total)), key=lambda n: (-votes[n], -total[n], n)), np.int64)


def _hits(shared: SharedContents, file: FileHits, k: int) -> Iterator[_Hit]:
    seeds = shared.seeds
    hashes = file.kgrams.kgrams.hashes[seeds.positions]
    columns = shared.owners, seeds.positions, seeds.diagonals, hashes, seeds.verbatim
    for owner, at, diagonal, key, verbatim in zip(*(column.tolist() for column in columns), strict=True):
        yield _Hit(owner, at, at + k, diagonal, key, verbatim, None)
    for owner, content in enumerate(shared.contents.tolist()):
        if own := shared.phrases.get(content):
            phrases = (own.positions, own.diagonals, own.phrases, own.bits)
            for at, diagonal, key, bits in zip(*(column.tolist() for column in phrases), strict=True):
                yield _Hit(owner, at, at, diagonal, key, True, bits)


def _neighbourhoods(hits: Iterable[_Hit], shift: int) -> Iterator[list[_Hit]]:
    """Group hits of one content that follow each other, on about one diagonal."""

    def place(hit: _Hit) -> tuple[int, int]:
        return hit.owner, (hit.diagonal + shift) // constants.HIT_BAND

    ordered = sorted(hits, key=lambda hit: (*place(hit), hit.position, hit.end))
    for _, own in groupby(ordered, place):
        first, *others = own
        group = [first]
        for hit in others:
            if hit.position - group[-1].position > constants.NEXT_HIT:
                yield group
                group = []
            group.append(hit)
        yield group


def _said(hits: Sequence[_Hit], cumulative: Sequence[float], texts: Sequence[float]) -> float:
    """Weigh a neighbourhood: repeated code counts once.

    Given are its hits by rising position, and the bits of the structure, and of equal text, before each token.
    """
    reached, reached_text, of_tokens, of_phrases = 0, 0, 0.0, 0.0
    known: set[int] = set()
    for hit in hits:
        is_new = hit.key not in known
        known.add(hit.key)
        if hit.bits is not None:
            of_phrases += is_new * hit.bits
        elif hit.verbatim:
            of_tokens += texts[hit.end] - texts[min(max(reached_text, hit.position), hit.end)]
            reached_text = max(reached_text, hit.end)
        if is_new:
            begin = min(max(reached, hit.position + constants.CONTEXT), hit.end)
            of_tokens += min(cumulative[hit.end] - cumulative[begin], constants.MOST_OF_KGRAM)
        reached = max(reached, hit.end)
    return of_tokens + min(of_phrases, constants.MOST_OF_ALL)


class _Ballot(NamedTuple):
    """What a hit of a content says, in a band of diagonals."""

    owner: int
    band: int
    position: int
    bits: float
    verbatim: bool


def _ballots(shared: SharedContents, file: FileHits, k: int) -> list[_Ballot]:
    """The best hit of each k-gram of a content in a band: repeated code counts once."""
    cumulative = file.cumulative.tolist()
    literals = [0.0, *np.cumsum(file.literal_bits).tolist()]
    best: dict[tuple[int, int, int], _Ballot] = {}
    for hit in _hits(shared, file, k):
        bits = hit.bits
        if bits is None:
            bits = cumulative[hit.end] - cumulative[hit.position + constants.CONTEXT]
            if hit.verbatim:
                of_structure = constants.TEXT_GAIN * max(bits, constants.LEAST_OF_TEXT * k)
                bits = of_structure + literals[hit.end] - literals[hit.position]
        place = hit.owner, hit.diagonal // constants.VOTING_BAND, hit.position
        if place not in best or bits > best[place].bits:
            best[place] = _Ballot(*place, bits, hit.verbatim)
    return [best[place] for place in sorted(best)]


def _votes(said: Sequence[_Ballot], total: Sequence[float]) -> NDArray[np.float64]:
    """Count the votes of all windows: float64, one a content."""
    votes = np.zeros(len(total))
    for half in (0, 1):
        windows: dict[int, list[_Ballot]] = {}
        for one in said:
            windows.setdefault((one.position // (constants.WINDOW // 2) + half) // 2, []).append(one)
        for own in windows.values():
            owner, bits = _winner(own, total)
            votes[owner] += bits
    return votes


def _winner(said: Sequence[_Ballot], total: Sequence[float]) -> tuple[int, float]:
    """Find the content that wins a window, and the bits that it has there."""
    sums = [(owner, sum(one.bits for one in own)) for (owner, _), own in groupby(said, attrgetter("owner", "band"))]
    best = max(bits for _, bits in sums)
    return min(sums, key=lambda one: (one[1] < constants.NEARLY * best, -total[one[0]], -one[1], one[0]))
