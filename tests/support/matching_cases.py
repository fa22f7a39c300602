"""Changes and known contents made by chance, for comparing two implementations of matching.

A content has stretches of the change: whole, edited, renamed, repeated, in another order, periodic, rows of one shape.
Few different tokens, bits and lines make ties frequent. Some seeds are no equal k-grams, or lie outside their content,
as in a damaged index. Chance seldom meets a threshold: ``at_an_edge`` looks for one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from support.file_hits import file_hits
from winnow_ci.arrays import in_steps
from winnow_ci.matching.constants import Thresholds
from winnow_ci.matching.extension import CLASSES
from winnow_ci.matching.hits import Seeds, SharedContents, SharedPhrases
from winnow_ci.matching.regions import find_regions
from winnow_ci.model import Hits, Parameters, TokenMap, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator
    from numpy.typing import NDArray

    from winnow_ci.matching.hits import FileHits

    Sketches = NDArray[np.uint8]


# An edge is met to a billionth of the bits.
EDGE_STEPS = 30


class MatchingCase(NamedTuple):
    """What ``find_regions`` is given."""

    file: FileHits
    shared: SharedContents
    token_map: Callable[[int], TokenMap]
    parameters: Parameters
    thresholds: Thresholds


def matching_case(seed: int) -> MatchingCase:
    """A change and some contents; the same for the same seed."""
    chance = np.random.default_rng(seed)
    k = int(chance.choice([4, 6, 16]))
    here = _text(chance, int(chance.choice([20, 35, 60, 150, 400])))
    count = int(chance.choice([1, 2, 4, 8, 70], p=[0.3, 0.3, 0.2, 0.15, 0.05]))
    file = _file(chance, here, k)
    in_lines = chance.choice([0.1, 0.4, 0.9])
    maps = [_in_its_lines(chance, file) if chance.random() < in_lines else _map(chance, here) for _ in range(count)]
    seeds = [_seeds(chance, here, one.sketch, k) for one in maps]
    owners = np.repeat(np.arange(count), [len(own.positions) for own in seeds])
    shared = SharedContents(
        1000 + np.arange(count),
        owners,
        Seeds(*map(np.concatenate, zip(*seeds, strict=True))),
        {1000 + n: _phrases(chance, len(here), seeds[n]) for n in range(count) if chance.random() < 0.4},
    )
    thresholds = Thresholds(int(chance.choice([1, 16, 40])), chance.choice([None, 1, 16, 16, 16, 40]))
    return MatchingCase(file, shared, lambda n: maps[n - 1000], Parameters(k, int(chance.choice([1, 9]))), thresholds)


def at_an_edge(case: MatchingCase, seed: int, found: Callable[[MatchingCase], object]) -> tuple[MatchingCase, ...]:
    """The case with bits that nearly make it another one, and with hardly more, which do; for some seeds nothing.

    Args:
        case: it is the same but for what its tokens say.
        seed: says whose bits become more, and from how much on.
        found: what is found in a case.
    """
    chance = np.random.default_rng([seed, 1])
    which = (("token_bits",), ("literal_bits", "new_literal_bits"), ("token_bits", "literal_bits", "new_literal_bits"))
    changed = which[int(chance.integers(len(which)))]
    little, much = sorted(chance.choice([0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 4.0], 2, replace=False))
    of_little = found(_saying(case, changed, little))
    if found(_saying(case, changed, much)) == of_little:
        return ()
    for _ in range(EDGE_STEPS):
        middle = (little + much) / 2
        if found(_saying(case, changed, middle)) == of_little:
            little = middle
        else:
            much = middle
    return _saying(case, changed, little), _saying(case, changed, much)


def outline(case: MatchingCase) -> list[tuple[object, ...]]:
    """What is found in a case, without what bits are worth."""
    return [(region.kind, *region[1:5], region.is_run) for region in find_regions(*case)]


def _saying(case: MatchingCase, columns: tuple[str, ...], times: float) -> MatchingCase:
    """A case whose tokens say so many times as much."""
    bits = {column: in_steps(times * getattr(case.file, column)) for column in columns}
    if "token_bits" in bits:
        bits["cumulative"] = np.concatenate([[0.0], np.cumsum(bits["token_bits"])])
    return case._replace(file=case.file._replace(**bits))


class WholeFileCase(NamedTuple):
    """What ``whole_file`` is given."""

    file: FileHits
    content: int
    parameters: Parameters
    thresholds: Thresholds


def whole_file_case(seed: int) -> WholeFileCase:
    """The change of ``matching_case``, and content 7, which is the same: each of its k-grams stands there in its place.

    Other contents have some of them, too.
    """
    file, _, _, parameters, thresholds = matching_case(seed)
    chance = np.random.default_rng(seed)
    kgrams = file.kgrams.kgrams
    places = np.arange(len(kgrams.hashes))
    queries = np.sort(np.concatenate([places, places[chance.random(len(places)) < 0.2]]))
    again = np.append(False, queries[1:] == queries[:-1])
    hits = Hits(queries, np.where(again, 8, 7), queries.astype(np.uint32), kgrams.checks[queries])
    return WholeFileCase(file._replace(hits=hits), 7, parameters, thresholds)


# ---- the change ------------------------------------------------------------------------------------------------


def _text(chance: Generator, count: int) -> Sketches:
    """Sketches of tokens: of any kind in some places, periodic in others."""
    parts: list[Sketches] = []
    while sum(map(len, parts)) < count:
        length, kinds = int(chance.integers(5, 120)), int(chance.choice([2, 6, 40]))
        marks, names = np.arange(kinds), 128 + np.arange(kinds) % 80
        others = np.concatenate([208 + np.arange(3), 230 + np.arange(3), [254, 255]])
        tokens = chance.choice(np.concatenate([marks, names, names, others]), length)
        period = int(chance.choice([0, 0, 1, 3, 9]))
        parts.append((np.resize(tokens[:period], length) if period else tokens).astype(np.uint8))
    return np.concatenate(parts)[:count]


def _file(chance: Generator, here: Sketches, k: int) -> FileHits:
    count = len(here)
    bits = chance.choice(in_steps(np.array([0.0, 0.1, 1.7, 2.3, 7.0])), count)
    literals = np.where(CLASSES[here] >= 128, chance.choice(in_steps(np.array([0.0, 1.3, 3.0, 6.1])), count), 0.0)
    first, last = _lines(chance, count)
    texts = (here.astype(np.uint64) << np.uint64(2)) + chance.integers(0, 2, count).astype(np.uint64)
    tokens = Tokens(CLASSES[here].astype(np.uint64), texts, first, last, here)
    file = file_hits(
        tokens,
        bits=bits,
        literals=literals,
        new_literals=np.where(chance.random(count) < 0.6, literals, 0.0),
        grams=chance.integers(0, int(chance.choice([8, 100, 1 << 40])), count),
        added=_runs(chance, count) | (chance.random() < 0.6),
        k=k,
    )
    return file._replace(further_rows=_runs(chance, count) & (chance.random() < 0.5))


def _lines(chance: Generator, count: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Lines on which tokens begin and end; some end on the line where the next one begins."""
    steps = chance.choice([*[0] * int(chance.choice([4, 16, 30])), 1, 1, 2, 4, 5], count)
    first = (1 + np.cumsum(steps)).astype(np.int32)
    spans = np.where(chance.random(count) < 0.1, np.diff(first, append=first[-1] + 2), 0)
    return first, (first + spans).astype(np.int32)


def _runs(chance: Generator, count: int) -> NDArray[np.bool_]:
    edges = np.zeros(count, np.int64)
    edges[chance.integers(0, count, 4)] = 1
    return np.asarray((np.cumsum(edges) + chance.integers(0, 2)) % 2 == 1, np.bool_)


# ---- a content -------------------------------------------------------------------------------------------------


def _known(chance: Generator, here: Sketches) -> Sketches:
    parts = [_text(chance, int(chance.integers(0, 60)) + 1)]
    for _ in range(int(chance.integers(1, 5))):
        start = int(chance.integers(0, len(here)))
        part = here[start : start + int(chance.integers(1, len(here) + 1))]
        for change in (_renamed, _edited, _doubled):
            part = change(chance, part) if chance.random() < 0.4 else part
        parts += [part, _text(chance, 1 + int(chance.choice([0, 2, 50])))]
    return np.concatenate(parts)


def _renamed(chance: Generator, part: Sketches) -> Sketches:
    """With other names, which mostly correspond."""
    names = np.arange(256)
    names[128:208] = 128 + chance.permutation(80)
    other = np.where(CLASSES[part] == 128, names[part], part)
    other[chance.random(len(part)) < 0.03] = 131
    return other.astype(np.uint8)


def _edited(chance: Generator, part: Sketches) -> Sketches:
    """With tokens left out, and others put in."""
    kept = part[chance.random(len(part)) > chance.choice([0.01, 0.05, 0.2])]
    at = chance.integers(0, len(kept) + 1, int(chance.integers(0, 4)))
    return np.insert(kept, at, 9).astype(np.uint8)


def _doubled(chance: Generator, part: Sketches) -> Sketches:
    """Its halves the other way round, or one of them twice."""
    first, second = np.split(part, [len(part) // 2])
    return np.concatenate([second, first] if chance.random() < 0.5 else [first, second, first])


def _map(chance: Generator, here: Sketches) -> TokenMap:
    sketch = _known(chance, here)
    return TokenMap(*_lines(chance, len(sketch)), sketch)


def _in_its_lines(chance: Generator, file: FileHits) -> TokenMap:
    """A part of the change in its own lines, with other names or literals in a few places."""
    start = int(chance.integers(0, len(file.tokens)))
    tokens = file.tokens
    sketch = tokens.sketch[start:].copy()
    class_ = int(chance.choice([128, 208, 230]))
    other = (CLASSES[sketch] == class_) & (chance.random(len(sketch)) < chance.choice([0.05, 0.3]))
    sketch[other] = class_ + 1
    return TokenMap(tokens.first_lines[start:], tokens.last_lines[start:], sketch)


def _seeds(chance: Generator, here: Sketches, there: Sketches, k: int) -> Seeds:
    """Some of the equal k-grams of both, and a few others."""
    places: dict[bytes, list[int]] = {}
    for place in range(len(there) - k + 1):
        places.setdefault(CLASSES[there[place : place + k]].tobytes(), []).append(place)
    pairs = [
        (position, place)
        for position in range(len(here) - k + 1)
        for place in places.get(CLASSES[here[position : position + k]].tobytes(), ())[:20]
        if chance.random() < 0.4
    ]
    if chance.random() < 0.2 and len(here) >= k:
        wrong = chance.integers(0, [len(here) - k + 1, 3 * len(there)], (3, 2)).tolist()
        pairs = sorted({*pairs, *map(tuple, wrong)})
    positions, theirs = np.array(pairs, np.int64).reshape(-1, 2).T
    verbatim = [here[a : a + k].tobytes() == there[b : b + k].tobytes() for a, b in pairs]
    informative = chance.random(len(pairs)) < 0.8
    return Seeds(
        positions.copy(),
        theirs - positions,
        informative,
        informative & (chance.random(len(pairs)) < 0.8),
        np.array(verbatim, np.bool_) | (chance.random(len(pairs)) < 0.02),
    )


def _phrases(chance: Generator, count: int, seeds: Seeds) -> SharedPhrases:
    """Phrases near seeds, and elsewhere."""
    number = int(chance.choice([1, 3, 12]))
    diagonals = chance.integers(-count, count, number)
    if len(seeds.diagonals):
        near = chance.choice(seeds.diagonals, number) + chance.integers(-14, 15, number)
        diagonals = np.where(chance.random(number) < 0.7, near, diagonals)
    positions = chance.integers(1, count, number)
    return SharedPhrases(
        chance.integers(0, 6, number).astype(np.uint64) << np.uint64(61),
        chance.random(number) < 0.4,
        positions,
        np.maximum(diagonals, -positions),
        chance.choice([5.0, 10.0, 25.0], number),
        chance.random(number) < 0.6,
    )
