"""Two bodies, or all files of a set: read once, fingerprinted, paired; what shares most is read again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from winnow_ci.comparing.documents import Body, boilerplate_of, document_of, with_contents
from winnow_ci.comparing.pairing import POSTING, Limits, Ranking, postings, rank
from winnow_ci.comparing.partitions import Partitions
from winnow_ci.comparing.shares import shares
from winnow_ci.comparing.stretches import stretches
from winnow_ci.errors import CorpusError
from winnow_ci.model import Fallback, Parameters, Skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from winnow_ci.comparing.documents import Document
    from winnow_ci.comparing.pairing import Counted
    from winnow_ci.comparing.places import Place
    from winnow_ci.comparing.shares import Shares
    from winnow_ci.comparing.stretches import Stretch
    from winnow_ci.corpus import CorpusFile
    from winnow_ci.model import U64

_REMEDY = "name code in a language that winnow-ci knows"


@dataclass(frozen=True, slots=True)
class Options:
    """How to compare.

    Attributes:
        parameters: of the fingerprints.
        base: places with boilerplate: none of their k-grams counts.
        limits: which hashes and pairs count.
        sketch: from how many of the smallest fingerprints to estimate shares; None for all.
    """

    parameters: Parameters = field(default_factory=Parameters)
    base: tuple[Place, ...] = ()
    limits: Limits = field(default_factory=Limits)
    sketch: int | None = None


class Side(NamedTuple):
    """A file of a pair: its path, how many different fingerprints it has, and the share of these that the pair has."""

    path: str
    fingerprints: int
    share: float


class Pair(NamedTuple):
    """Two files that share fingerprints.

    Attributes:
        a: the one file.
        b: the other one.
        shared: how many fingerprints count that both have.
        weight: of these together; one that m files have weighs 1 / (m − 1).
        stretches: where; empty if a file has changed since it was read first.
    """

    a: Side
    b: Side
    shared: int
    weight: float
    stretches: tuple[Stretch, ...]

    @property
    def longest(self) -> Stretch | None:
        """The stretch of most fingerprints."""
        return max(self.stretches, key=lambda stretch: stretch.fingerprints, default=None)

    @property
    def verbatim(self) -> float:
        """Of the fingerprints in the stretches, the share that has the same names and numbers in both files."""
        whole = sum(stretch.fingerprints for stretch in self.stretches)
        return sum(stretch.verbatim for stretch in self.stretches) / whole if whole else 0.0


class AllPairs(NamedTuple):
    """The files of a set, compared with each other.

    Attributes:
        body: the set.
        pairs: those that share most.
        ranking: how many pairs and matches there were.
    """

    body: Body
    pairs: tuple[Pair, ...]
    ranking: Ranking


class Comparison(NamedTuple):
    """Two bodies compared.

    Attributes:
        a, b: what was compared.
        shares: how much of them is the same.
        pairs: a file of each, those that share most.
        ranking: how many pairs and matches there were.
    """

    a: Body
    b: Body
    shares: Shares
    pairs: tuple[Pair, ...]
    ranking: Ranking


@dataclass(slots=True)
class _Reading:
    """Files that have been read, by number; ``sizes`` are their numbers of different fingerprints."""

    options: Options
    boilerplate: U64
    postings: Partitions
    files: list[CorpusFile] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    def add(self, place: Place, keep: Callable[[U64], None]) -> Body:
        """Read the files of a place and give the hashes of each."""
        before, skipped, fallback = len(self.files), list(place.skipped), []
        for file in with_contents(place, place.files):
            document = document_of(file, self.options.parameters, self.boilerplate)
            if isinstance(document, Skipped):
                skipped.append(document)
                continue
            keep(self._added(place, file, document))
            if document.failure is not None:
                fallback.append(Fallback(file.path, document.failure))
        if len(self.files) == before:
            why = f"{len(skipped):,} files, the first skipped for: {skipped[0].reason}"
            raise CorpusError(f"nothing to fingerprint in {place.name}: {why}", _REMEDY)
        count = sum(self.sizes[before:])
        return Body(place.name, len(self.files) - before, count, tuple(skipped), tuple(fallback), commit=place.commit)

    def _added(self, place: Place, file: CorpusFile, document: Document) -> U64:
        """The hashes of a document, each once."""
        hashes = document.hashes
        self.postings.add(postings(hashes, len(self.files)), hashes)
        # What git has stored is read again for the few pairs that are shown, and not kept for them.
        self.files.append(replace(file, content=None))
        self.places.append(place)
        self.sizes.append(len(hashes))
        return hashes

    def pairs(self, ranking: Ranking) -> tuple[Pair, ...]:
        """The pairs with what their files have in common, for which these are read again."""
        ones = self._again([counted.one for counted in ranking.pairs])
        others = self._again([counted.other for counted in ranking.pairs])
        return tuple(map(self._pair, ranking.pairs, ones, others))

    def _again(self, numbers: Sequence[int]) -> Iterator[CorpusFile]:
        """Files by number, in this order."""
        streams = {
            place: with_contents(place, [self.files[n] for n in numbers if self.places[n] is place])
            for place in dict.fromkeys(self.places[n] for n in numbers)
        }
        return (next(streams[self.places[n]]) for n in numbers)

    def _pair(self, counted: Counted, file: CorpusFile, other_file: CorpusFile) -> Pair:
        parameters = self.options.parameters
        one, other = (document_of(each, parameters, self.boilerplate) for each in (file, other_file))
        if isinstance(one, Skipped) or isinstance(other, Skipped):
            found = []
        else:
            found = stretches(one, other, parameters.guarantee)
        sides = self._side(counted.one, counted), self._side(counted.other, counted)
        return Pair(*sides, counted.shared, counted.weight, tuple(found))

    def _side(self, number: int, counted: Counted) -> Side:
        size = self.sizes[number]
        return Side(self.files[number].path, size, counted.shared / size)


def all_pairs(place: Place, options: Options) -> AllPairs:
    """Compare the files of a place with each other.

    Raises:
        CorpusError: something cannot be read, or there is nothing to compare.
        GitError: git failed.
    """
    with Partitions(POSTING) as by_hash:
        reading = _Reading(options, boilerplate_of(options.base, options.parameters), by_hash)
        body = reading.add(place, lambda hashes: None)  # noqa: ARG005
        ranking = rank(by_hash, options.limits)
    return AllPairs(body, reading.pairs(ranking), ranking)


def compare(a: Place, b: Place, options: Options) -> Comparison:
    """Compare two places.

    Raises:
        CorpusError: something cannot be read, or there is nothing to compare.
        GitError: git failed.
    """
    with Partitions(POSTING) as by_hash:
        reading = _Reading(options, boilerplate_of(options.base, options.parameters), by_hash)
        body_a, hashes_a = _read_body(reading, a)
        body_b, hashes_b = _read_body(reading, b)
        ranking = rank(by_hash, options.limits, second_body=body_a.files)
    return Comparison(body_a, body_b, shares(hashes_a, hashes_b, options.sketch), reading.pairs(ranking), ranking)


def _read_body(reading: _Reading, place: Place) -> tuple[Body, U64]:
    """A body and all its hashes: sorted, each once."""
    collected: list[U64] = []
    body = reading.add(place, collected.append)
    hashes = np.unique(np.concatenate(collected))
    return replace(body, fingerprints=len(hashes)), hashes
