"""Crowds: the postings of hashes with very many places, apart from those that a scan reads (``schema``)."""

from __future__ import annotations

import os
import tempfile
import weakref
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.index import records, schema
from winnow_ci.model import PHRASE
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

# Postings that a spool holds in memory, and reads at a time from each run.
SPOOLED = 1 << 20
READ = 1 << 14


class Thinned(NamedTuple):
    """Postings that stay in their blocks, and those of crowds; all in the order in which they were given.

    Attributes:
        kept: what stays; of a crowd a sample, marked with ``schema.CROWDED``.
        crowds: all k-grams of crowds, unmarked.
        phrases: all phrases of crowds, unmarked.
        crowded: number of hashes that are crowds.
    """

    kept: NDArray[np.void]
    crowds: NDArray[np.void]
    phrases: NDArray[np.void]
    crowded: int


class PostingSpool:
    """Postings that come in any order, and are given back as runs ordered by hash; most of many wait in a file."""

    def __init__(self) -> None:
        self._waiting: list[NDArray[np.void]] = []
        self._in_memory = 0
        self._file: int | None = None
        self._runs: list[tuple[int, int]] = []
        self.postings = 0

    def add(self, postings: NDArray[np.void]) -> None:
        """Add postings."""
        self._waiting.append(postings)
        self._in_memory += len(postings)
        self.postings += len(postings)
        if self._in_memory >= SPOOLED:
            self._flush()

    def runs(self) -> list[Iterator[NDArray[np.void]]]:
        """All postings, in runs that are ordered by hash, part by part."""
        return [iter([self._run()]), *(self._parts(start, count) for start, count in self._runs)]

    def _run(self) -> NDArray[np.void]:
        """What waits in memory, ordered by hash."""
        run = np.concatenate([np.empty(0, schema.POSTING), *self._waiting])
        return np.take(run, np.argsort(run["hash"]))

    def _flush(self) -> None:
        if self._file is None:
            with tempfile.TemporaryFile() as file:
                self._file = os.dup(file.fileno())
            weakref.finalize(self, os.close, self._file)
        run = self._run()
        start = os.lseek(self._file, 0, os.SEEK_END)
        records.write(self._file, start, [run.view(np.uint8).data])
        self._runs.append((start, len(run)))
        self._waiting, self._in_memory = [], 0

    def _parts(self, start: int, count: int) -> Iterator[NDArray[np.void]]:
        width, file = schema.POSTING.itemsize, self._file
        assert file is not None
        for first in range(0, count, READ):
            size = min(READ, count - first) * width
            yield np.frombuffer(records.read(file, start + first * width, size), schema.POSTING)


def thinned(postings: NDArray[np.void]) -> Thinned:
    """Thin the crowds out of postings that are ordered by hash, with all places of each of their hashes."""
    starts, lengths = _runs(postings["hash"])
    crowds = np.flatnonzero(lengths > schema.CROWD)
    if not len(crowds):
        return Thinned(postings, postings[:0], postings[:0], 0)
    is_crowd = np.zeros(len(starts), np.bool_)
    is_crowd[crowds] = True
    inside = np.repeat(is_crowd, lengths)
    of_crowds = postings[inside]
    is_kept = ~inside
    is_kept[inside] = _sample(np.repeat(np.arange(len(crowds)), lengths[crowds]), of_crowds)
    kept = postings[is_kept]
    kept["position"][inside[is_kept]] += schema.CROWDED
    is_phrase = of_crowds["position"] >= PHRASE
    return Thinned(kept, of_crowds[~is_phrase], of_crowds[is_phrase], len(crowds))


def least_of_each(postings: NDArray[np.void]) -> NDArray[np.bool_]:
    """Which postings, ordered by hash, are in the sample of their hash: bool."""
    starts, lengths = _runs(postings["hash"])
    return _sample(np.repeat(np.arange(len(starts)), lengths), postings)


def verbatim(crowds: NDArray[np.void]) -> NDArray[np.void]:
    """Postings of crowds under the hashes of their texts."""
    changed = crowds.copy()
    changed["hash"] = schema.verbatim_hash(crowds["hash"], crowds["check"])
    return changed


def unverbatim(postings: NDArray[np.void]) -> NDArray[np.void]:
    """Undo ``verbatim``."""
    changed = postings.copy()
    changed["hash"] = schema.crowd_hash(postings["hash"], postings["check"])
    return changed


def in_rows(parts: Iterable[NDArray[np.void]]) -> Iterator[bytes]:
    """Postings as rows of ``overflow``."""
    rest = np.empty(0, schema.POSTING)
    for part in parts:
        rest = np.concatenate([rest, part])
        while len(rest) >= schema.OVERFLOW_POSTINGS:
            yield rest[: schema.OVERFLOW_POSTINGS].tobytes()
            rest = rest[schema.OVERFLOW_POSTINGS :]
    if len(rest):
        yield rest.tobytes()


def _sample(groups: NDArray[np.int64], postings: NDArray[np.void]) -> NDArray[np.bool_]:
    """Which postings are among the first ``schema.CROWD`` of their group: bool.

    The first place of each content comes first, by the ids of the contents, which are as good as random; then the
    second one of each, and so on: places of many contents say more than many places of one.
    """
    order = np.lexsort((postings["check"], postings["position"], postings["content"], groups))
    ranks = np.empty(len(order), np.int64)
    ranks[order] = _rank_in_run(groups[order], postings["content"][order])
    order = np.lexsort((postings["check"], postings["position"], postings["content"], ranks, groups))
    chosen = np.zeros(len(order), np.bool_)
    chosen[order] = _rank_in_run(groups[order]) < schema.CROWD
    return chosen


def _rank_in_run(*columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many elements of its run of equal elements come before each element."""
    differs = np.ones(len(columns[0]), np.bool_)
    differs[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    starts = np.flatnonzero(differs)
    ranks: NDArray[np.int64] = np.arange(len(differs)) - np.repeat(starts, np.diff(starts, append=len(differs)))
    return ranks


def _runs(hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the runs of equal hashes begin, and how long they are."""
    differs = np.ones(len(hashes), np.bool_)
    differs[1:] = hashes[1:] != hashes[:-1]
    starts = np.flatnonzero(differs)
    return starts, np.diff(starts, append=len(hashes))
