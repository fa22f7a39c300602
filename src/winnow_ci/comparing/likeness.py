"""Measure how alike documents or sets of fingerprints are, in three ways."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.arrays import among
from winnow_ci.model import IDENTIFIER_SKETCH, LineRange
from winnow_ci.model.comparison import BodySimilarity, SharedStretch, ShareEstimate

if TYPE_CHECKING:
    from winnow_ci.comparing.documents import FingerprintedDocument
    from winnow_ci.model import U64, Tokens

CLOSE = 2.5
"""SCAM's ε: with 2, only words that occur equally often would count."""


def similarity(a: U64, b: U64, sketch: int | None = None, *, is_sample: bool = False) -> BodySimilarity:
    """Measure resemblance and containment of two sets of hashes (Broder 1997).

    From all hashes the shares are exact. From the s smallest of each set (a sketch) they are estimates: the s smallest
    of both sketches together are a random sample of the union, and which set has each is known. If x of n are shared,
    the error given is the standard deviation of the share when all shares were equally likely beforehand (Laplace):
    √(p(1 − p)/(n + 3)) with p = (x + 1)/(n + 2). The usual √(p(1 − p)/n) would give a sample without a match no error.

    Both sets are sorted, and each hash is there once. ``sketch`` is how many of the smallest of each to look at, None
    for all; with ``is_sample`` they are a sample already, drawn by their values.
    """
    is_cut = sketch is not None and max(len(a), len(b)) > sketch
    a, b = a[:sketch], b[:sketch]
    union = np.union1d(a, b)[: sketch if is_cut else None]
    in_a, in_b = among(union, a), among(union, b)
    both = int(np.count_nonzero(in_a & in_b))

    def share(whole: int) -> ShareEstimate:
        likely = (both + 1) / (whole + 2)
        error = sqrt(likely * (1 - likely) / (whole + 3)) if is_cut or is_sample else 0.0
        return ShareEstimate(both / whole if whole else float(not len(union)), error)

    return BodySimilarity(share(len(union)), share(int(np.count_nonzero(in_a))), share(int(np.count_nonzero(in_b))))


def word_likeness(one: Tokens, other: Tokens) -> float:
    """Measure how alike the words of two documents are, whatever their order, from 0 to 1: SCAM's measure, a baseline.

    Shivakumar and Garcia-Molina (1995), relative frequency model: only words that occur about equally often in both
    count, F(a)/F(b) + F(b)/F(a) < 2.5. The products of their frequencies in both are summed, and divided by the squares
    of all frequencies in one document or the other, whichever gives more; 1 at most. A word is a name, number or string
    here; all have the same weight. The measure knows no order and no structure: it finds what uses the same words,
    copied or not, and loses a copy whose names were changed.
    """
    ours, theirs = _words(one), _words(other)
    both = [(count, theirs[word]) for word, count in ours.items() if word in theirs]
    product = sum(here * there for here, there in both if here / there + there / here < CLOSE)
    return min(1.0, max(product / sum(n * n for n in counts.values()) for counts in (ours, theirs))) if product else 0.0


def _words(tokens: Tokens) -> Counter[int]:
    return Counter(tokens.verbatim[tokens.sketch >= IDENTIFIER_SKETCH.start].tolist())


def stretches(one: FingerprintedDocument, other: FingerprintedDocument, reach: int) -> list[SharedStretch]:
    """Find shared fingerprints that follow each other in both documents, for people to look at.

    Stretches come by their position in the one document, and each of its fingerprints is in at most one. In both
    documents the next fingerprint of a stretch begins at most ``reach`` tokens further on. To decide what is copied, a
    scan takes more care (docs/matching.md).
    """
    found: list[SharedStretch] = []
    run: list[tuple[int, int]] = []
    places: dict[int, list[int]] = {}
    for number, value in enumerate(other.fingerprints.hashes.tolist()):
        places.setdefault(value, []).append(number)
    start_of, start_there = one.fingerprints.positions.tolist(), other.fingerprints.positions.tolist()
    for mine in np.flatnonzero(among(one.fingerprints.hashes, other.hashes)).tolist():
        candidates = places[int(one.fingerprints.hashes[mine])]
        following = candidates[min(bisect_right(candidates, run[-1][1]), len(candidates) - 1)] if run else candidates[0]
        if run and not (
            start_of[mine] - start_of[run[-1][0]] <= reach
            and 0 < start_there[following] - start_there[run[-1][1]] <= reach
        ):
            found.append(_stretch(one, other, run))
            run, following = [], candidates[0]
        run.append((mine, following))
    return [*found, _stretch(one, other, run)] if run else found


def _stretch(one: FingerprintedDocument, other: FingerprintedDocument, run: list[tuple[int, int]]) -> SharedStretch:
    mine, theirs = np.array(run).T
    same = one.fingerprints.checks[mine] == other.fingerprints.checks[theirs]
    lines = LineRange(int(one.first_lines[mine[0]]), int(one.last_lines[mine[-1]]))
    lines_there = LineRange(int(other.first_lines[theirs[0]]), int(other.last_lines[theirs[-1]]))
    seeds = zip(one.fingerprints.positions[mine].tolist(), other.fingerprints.positions[theirs].tolist(), strict=True)
    return SharedStretch(lines, lines_there, len(run), int(np.count_nonzero(same)), tuple(seeds))
