"""Changed files → what indexes have of their k-grams and phrases.

An index is read once for a batch of files, k-grams and phrases together: a server gets one question. Boilerplate of one
index is no evidence of a copy from another, so the hits of a file are known only after all indexes were asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from winnow_ci.errors import IndexFileError
from winnow_ci.evidence import tables_digest
from winnow_ci.index import KgramPlaces, known_files, places_of
from winnow_ci.languages import front_end_named, revisions
from winnow_ci.model import PHRASE, Hits
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.scanner.features import file_hits, file_kgrams, without
from winnow_ci.scanner.identity import keys_of
from winnow_ci.scanner.questions import EVERYTHING, asked_kgrams, known_boilerplate, smallest_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from winnow_ci.index import IndexReader
    from winnow_ci.languages import FrontEnd
    from winnow_ci.matching import FileHits, FileKgrams
    from winnow_ci.model import Parameters
    from winnow_ci.scanner.questions import Narrowing
    from winnow_ci.scanner.values import DataFile, PreparedFile

    # Of one file: hashes, checks, and which of them are looked up.
    _Question: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.bool_]]

_REBUILD = "build the index again from its sources: winnow-ci index build"


class _Answer(NamedTuple):
    """What one index has of one file.

    Attributes:
        file: its k-grams.
        asked: bool, one a k-gram; which were looked up.
        kgrams: where these stand.
        phrases: where its phrases stand.
        identical: contents that are the whole file.
    """

    file: FileKgrams
    asked: NDArray[np.bool_]
    kgrams: KgramPlaces
    phrases: KgramPlaces
    identical: tuple[int, ...]


class IndexLookup:
    """Looks changed files up in one index.

    Args:
        index: known code.
        boilerplate: uint64, sorted; hashes of k-grams that are no evidence.
        narrowing: how to look up less than the index asks for.

    Raises:
        UsageError: the index need not have what would be looked up.
    """

    def __init__(self, index: IndexReader, boilerplate: NDArray[np.uint64], narrowing: Narrowing = EVERYTHING) -> None:
        narrowing.check(index)
        self._index = index
        self._boilerplate = boilerplate
        self._window = narrowing.window

    @property
    def parameters(self) -> Parameters:
        """What the fingerprints of the index were made with."""
        return self._index.parameters

    def answers(
        self, batch: Sequence[PreparedFile], keys: Sequence[bytes] = ()
    ) -> tuple[list[_Answer], Collection[bytes]]:
        """What the index has of each file, and which other contents it has, in one pass over the index.

        Args:
            batch: the files.
            keys: of the other contents.

        Raises:
            IndexFileError: the index is damaged, or cannot be compared with the files.
        """
        for file in batch:
            self._check_comparable(file.front_end)
        files = [file_kgrams(file, self.parameters, self._boilerplate) for file in batch]
        asked = [
            asked_kgrams(one, self.parameters, self._window, all_near=self._index.boilerplate > 0) for one in files
        ]
        kgrams = [(one.kgrams.hashes, one.kgrams.checks, own) for one, own in zip(files, asked, strict=True)]
        own = [keys_of(file) for file in batch]
        questions = [*kgrams, *(_every(one.phrases.hashes) for one in files)]
        found, known = _found(self._index, questions, [*keys, *(key for of_file in own for key in of_file)])
        identical = [tuple(known[key] for key in of_file if key in known) for of_file in own]
        phrases = map(_of_phrases, found[len(batch) :])
        return list(map(_Answer, files, asked, found[: len(batch)], phrases, identical)), known.keys()

    def hits(
        self, file: PreparedFile, answer: _Answer, boilerplate: NDArray[np.bool_], phrases: NDArray[np.bool_]
    ) -> FileHits | None:
        """The hits of a file; None if there are none.

        Args:
            file: the file.
            answer: what this index has of it.
            boilerplate: bool, one a k-gram; which are boilerplate in any index.
            phrases: the same of its phrases.
        """
        kgrams = without(answer.file, boilerplate, self.parameters.k)
        hits, phrase_hits = answer.kgrams.hits, answer.phrases.hits
        # Mostly nothing is left out, and a file may have a hundred thousand hits.
        if not kgrams.asked[answer.asked].all():
            hits = hits.part(kgrams.asked[hits.queries])
        if phrases.any():
            phrase_hits = phrase_hits.part(~phrases[phrase_hits.queries])
        if not (len(hits) or len(phrase_hits) or answer.identical):
            return None
        return file_hits(file, kgrams, hits, phrase_hits, answer.identical, self.parameters.k)

    def knows(self, batch: Sequence[PreparedFile], smallest: int) -> list[bool]:
        """Whether the index has one of so many smallest fingerprints of each file, or the file as a whole.

        Raises:
            IndexFileError: the index is damaged, or cannot be compared with the files.
        """
        for file in batch:
            self._check_comparable(file.front_end)
        files = [file_kgrams(file, self.parameters, self._boilerplate) for file in batch]
        asked = [asked_kgrams(one, self.parameters, self._window, all_near=False) for one in files]
        first = [smallest_of(own, one.kgrams.hashes, smallest) for one, own in zip(files, asked, strict=True)]
        questions = [(one.kgrams.hashes, one.kgrams.checks, own) for one, own in zip(files, first, strict=True)]
        keys = [keys_of(file) for file in batch]
        found, known = _found(self._index, questions, [key for of_file in keys for key in of_file])
        return [
            len(one.hits) > 0 or any(key in known for key in of_file) for one, of_file in zip(found, keys, strict=True)
        ]

    def _check_comparable(self, front_end: FrontEnd) -> None:
        """Refuse an index that another revision of the front end, or other learnt tables, made.

        In an index that lacks the front end, each of the others may have read such code when it was made.
        """
        theirs = self._index.front_ends
        known = {front_end.name: front_end.revision} if front_end.name in theirs else revisions()
        for name in [front_end.name] if front_end.name in theirs else theirs:
            if theirs[name] != known.get(name):
                msg = f"{self._index.name} was made with revision {theirs[name]} of the {name} front end"
                raise IndexFileError(f"{msg}, this is revision {known.get(name)}", _REBUILD)
        if self._index.tables != (ours := tables_digest()):
            msg = f"{self._index.name} was made with revision {self._index.tables[:12]} of the learnt tables"
            raise IndexFileError(f"{msg}, this is revision {ours[:12]}", _REBUILD)


def look_up(
    lookups: Sequence[IndexLookup], batch: Sequence[PreparedFile], data: Sequence[DataFile] = ()
) -> tuple[list[tuple[FileHits | None, ...]], list[DataFile]]:
    """The hits of each file in each index, and the data that an index has as a whole and none has as boilerplate.

    Raises:
        IndexFileError: an index is damaged, or cannot be compared with the files.
    """
    keys = [key for one in data for key in (*one.keys, *one.boilerplate)]
    found = [one.answers(batch, keys) for one in lookups]
    of_files = zip(*(answers for answers, _ in found), strict=True)
    known = frozenset[bytes]().union(*(known for _, known in found))
    told = [one for one in data if not known.isdisjoint(one.keys) and known.isdisjoint(one.boilerplate)]
    return [_hits(lookups, file, answers) for file, answers in zip(batch, of_files, strict=True)], told


def suspects(lookups: Sequence[IndexLookup], batch: Sequence[PreparedFile], smallest: int) -> list[PreparedFile]:
    """The files of which an index has one of so many smallest fingerprints, or that it has as a whole.

    Raises:
        IndexFileError: an index is damaged, or cannot be compared with the files.
    """
    known = zip(*(one.knows(batch, smallest) for one in lookups), strict=True)
    return [file for file, in_any in zip(batch, map(any, known), strict=True) if in_any]


def families_of(indexes: Iterable[IndexReader]) -> frozenset[str]:
    """The names that seed the tokens of indexes (``languages.FrontEnd.alphabets``)."""
    names = {name for index in indexes for name in index.front_ends}
    return frozenset[str]().union(*(front_end_named(name).alphabets for name in names))


def check_known(indexes: Sequence[IndexReader]) -> None:
    """Refuse indexes in which no copy could ever be found.

    Raises:
        IndexFileError: all that they hold is boilerplate.
    """
    if indexes and all(index.boilerplate == index.contents for index in indexes):
        problem = f"there is nothing but boilerplate in {', '.join(str(index.name) for index in indexes)}"
        raise IndexFileError(problem, "build a source into it that copies may come from: winnow-ci index build")


def _hits(
    lookups: Sequence[IndexLookup], file: PreparedFile, answers: Sequence[_Answer]
) -> tuple[FileHits | None, ...]:
    """The hits of a file, without what is boilerplate in any index.

    Indexes share k-grams only if these are of one length; they always share phrases.
    """
    phrases = np.logical_or.reduce([answer.phrases.boilerplate for answer in answers])
    kgrams: dict[int, NDArray[np.bool_]] = {}
    for k in {one.parameters.k for one in lookups}:
        alike = [number for number, one in enumerate(lookups) if one.parameters.k == k]
        shortest = min(lookups[number].parameters.w for number in alike)
        own = [known_boilerplate(answers[n].kgrams.boilerplate, answers[n].asked, shortest) for n in alike]
        kgrams[k] = np.logical_or.reduce(own)
    pairs = zip(lookups, answers, strict=True)
    return tuple(one.hits(file, answer, kgrams[one.parameters.k], phrases) for one, answer in pairs)


def _found(
    index: IndexReader, batch: Sequence[_Question], keys: Sequence[bytes]
) -> tuple[list[KgramPlaces], Mapping[bytes, int]]:
    """Look up hashes, and whole files; hits and marks are numbered by the hashes of their question."""
    if not batch:
        return [], known_files(index, keys)
    asked = [np.flatnonzero(wanted) for _, _, wanted in batch]
    hashes = np.concatenate([hashes[own] for (hashes, _, _), own in zip(batch, asked, strict=True)])
    checks = np.concatenate([checks[own] for (_, checks, _), own in zip(batch, asked, strict=True)])
    found = places_of(index, hashes, checks, np.repeat(np.arange(len(batch)), [*map(len, asked)]), keys)
    edges = np.cumsum([0, *map(len, asked)])
    parts = np.searchsorted(found.hits.queries, edges)
    places = [
        KgramPlaces(
            _renumbered(found.hits.part(slice(parts[n], parts[n + 1])), asked[n], edges[n]),
            _marked(asked[n][found.boilerplate[edges[n] : edges[n + 1]]], len(hashes)),
            found.known,
        )
        for n, (hashes, _, _) in enumerate(batch)
    ]
    return places, found.known


def _every(phrases: NDArray[np.uint64]) -> _Question:
    """Phrases are all looked up, and have no check."""
    return phrases, np.zeros(len(phrases), np.uint32), np.ones(len(phrases), np.bool_)


def _of_phrases(found: KgramPlaces) -> KgramPlaces:
    """Keep the postings of phrases, with the numbers of their tokens."""
    hits = found.hits.part(found.hits.positions >= PHRASE)
    return KgramPlaces(
        Hits(hits.queries, hits.contents, hits.positions - np.uint32(PHRASE), hits.checks),
        found.boilerplate,
        found.known,
    )


def _renumbered(hits: Hits, asked: NDArray[np.int64], first: int) -> Hits:
    """The hits of one file, numbered by its own k-grams (``asked``); in the batch they begin at ``first``."""
    return Hits(asked[hits.queries - first], hits.contents, hits.positions, hits.checks)


def _marked(numbers: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
    """Mask of length ``count``, True at ``numbers``."""
    marks = np.zeros(count, np.bool_)
    marks[numbers] = True
    return marks
