"""Ask indexes for the k-grams and phrases of changed files, and for whole files.

A batch of files is one question to an index. Boilerplate of one index is no evidence of a copy from another, so the
hits of a file are known only after all indexes were asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from winnow_ci.errors import IndexFileError
from winnow_ci.evidence.tables import tables_digest
from winnow_ci.fingerprint import all_kgrams
from winnow_ci.index import KgramPlaces, content_key, known_files, places_of
from winnow_ci.languages import FALLBACK, FrontEnd, front_end_named, front_ends_of, revisions
from winnow_ci.model import PHRASE, Parameters, Tokens
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.scanner.kgrams import asked_kgrams, file_hits, file_kgrams, known_boilerplate, without_boilerplate
from winnow_ci.scanner.read import line_end_forms
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from winnow_ci.index import IndexReader
    from winnow_ci.matching.hits import FileHits, FileKgrams
    from winnow_ci.scanner.files import DataFile, PreparedFile

    # The hashes and checks of one file, and which of them are looked up.
    _Question: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.bool_]]

# The least number of added tokens in a file that counts as identical: short files are the same in many projects.
LEAST_IDENTICAL = 40
_REBUILD = "build the index again from its sources: winnow-ci index build"


class _Answer(NamedTuple):
    """What one index has of one file."""

    file: FileKgrams  # its k-grams
    asked: NDArray[np.bool_]  # bool, one a k-gram; which were looked up
    kgrams: KgramPlaces  # places of these
    phrases: KgramPlaces  # places of its phrases
    identical: tuple[int, ...]  # contents that are the whole file


class IndexLookup:
    """Looks changed files up in one index; the k-grams of ``boilerplate`` are no evidence."""

    def __init__(self, index: IndexReader, boilerplate: Sequence[Tokens]) -> None:
        self.parameters: Parameters = index.parameters
        self._index = index
        hashes = [all_kgrams(tokens, index.parameters).hashes for tokens in boilerplate]
        self._boilerplate = np.sort(np.concatenate([np.empty(0, np.uint64), *hashes]))

    def answers(
        self, batch: Sequence[PreparedFile], keys: Sequence[bytes] = ()
    ) -> tuple[list[_Answer], Collection[bytes]]:
        """Look up each file, and other contents by their keys, in one pass over the index."""
        for file in batch:
            self._check_comparable(file.front_end)
        files = [file_kgrams(file, self.parameters, self._boilerplate) for file in batch]
        asked = [asked_kgrams(one, self.parameters, all_near=self._index.boilerplate > 0) for one in files]
        kgrams = [(one.kgrams.hashes, one.kgrams.checks, own) for one, own in zip(files, asked, strict=True)]
        own = [_keys_of(file) for file in batch]
        questions = [*kgrams, *(_every(one.phrases.hashes) for one in files)]
        found, known = _found(self._index, questions, [*keys, *(key for of_file in own for key in of_file)])
        identical = [tuple(known[key] for key in of_file if key in known) for of_file in own]
        phrases = map(_of_phrases, found[len(batch) :])
        return list(map(_Answer, files, asked, found[: len(batch)], phrases, identical)), known.keys()

    def hits(
        self, file: PreparedFile, answer: _Answer, boilerplate: NDArray[np.bool_], phrases: NDArray[np.bool_]
    ) -> FileHits | None:
        """Return the hits of a file, if it has any; boilerplate is marked by k-gram and by phrase (bool)."""
        kgrams = without_boilerplate(answer.file, boilerplate, self.parameters.k)
        hits, phrase_hits = answer.kgrams.hits, answer.phrases.hits
        # Mostly nothing is left out, and a file may have a hundred thousand hits.
        if not kgrams.asked[answer.asked].all():
            hits = hits.part(kgrams.asked[hits.queries])
        if phrases.any():
            phrase_hits = phrase_hits.part(~phrases[phrase_hits.queries])
        if not (len(hits) or len(phrase_hits) or answer.identical):
            return None
        return file_hits(file, kgrams, hits, phrase_hits, answer.identical, self.parameters.k)

    def _check_comparable(self, front_end: FrontEnd) -> None:
        """Refuse an index that another revision of the front end, or other learnt tables, made.

        In an index that lacks the front end, any other may have read such code.
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
    """Return the hits of each file in each index, and the data that some index knows and none has as boilerplate.

    Raises:
        IndexFileError: an index is damaged, or cannot be compared with the files.
    """
    keys = [key for one in data for key in (*one.keys, *one.boilerplate)]
    found = [one.answers(batch, keys) for one in lookups]
    of_files = zip(*(answers for answers, _ in found), strict=True)
    known = frozenset[bytes]().union(*(known for _, known in found))
    known_data = [one for one in data if not known.isdisjoint(one.keys) and known.isdisjoint(one.boilerplate)]
    return [_hits(lookups, file, answers) for file, answers in zip(batch, of_files, strict=True)], known_data


def families_of(indexes: Iterable[IndexReader]) -> frozenset[str]:
    """Return the names that seed the tokens of indexes (``languages.FrontEnd.alphabets``)."""
    names = {name for index in indexes for name in index.front_ends}
    return frozenset[str]().union(*(front_end_named(name).alphabets for name in names))


def check_known(indexes: Sequence[IndexReader]) -> None:
    """Refuse indexes that hold nothing but boilerplate: no copy could ever be found."""
    if indexes and all(index.boilerplate == index.contents for index in indexes):
        problem = f"only boilerplate in {', '.join(str(index.name) for index in indexes)}"
        raise IndexFileError(problem, "add a source that is not boilerplate: winnow-ci index build")


def _keys_of(file: PreparedFile) -> list[bytes]:
    """The keys under which an index may have the whole file."""
    if file.in_text or file.is_lean or file.added.sum() < LEAST_IDENTICAL:
        return []
    # Where the lexer of a language had failed, an index has only the fallback's reading.
    names = (file.language, FALLBACK) if len(front_ends_of(file.language)) > 1 else (file.language,)
    return [content_key(name, form) for name in names for form in line_end_forms(file.content)]


def _hits(
    lookups: Sequence[IndexLookup], file: PreparedFile, answers: Sequence[_Answer]
) -> tuple[FileHits | None, ...]:
    """The hits of a file, without what is boilerplate in any index.

    Indexes share k-grams only if these are of one length; they always share phrases.
    """
    pairs = list(zip(lookups, answers, strict=True))
    phrases = np.logical_or.reduce([answer.phrases.boilerplate for answer in answers])
    kgrams: dict[int, NDArray[np.bool_]] = {}
    for k in {one.parameters.k for one in lookups}:
        shortest = min(one.parameters.w for one in lookups if one.parameters.k == k)
        alike = [answer for one, answer in pairs if one.parameters.k == k]
        own = [known_boilerplate(answer.kgrams.boilerplate, answer.asked, shortest) for answer in alike]
        kgrams[k] = np.logical_or.reduce(own)
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
    places = []
    for n, ((hashes, _, _), own) in enumerate(zip(batch, asked, strict=True)):
        hits = found.hits.part(slice(parts[n], parts[n + 1]))
        boilerplate = np.zeros(len(hashes), np.bool_)
        boilerplate[own[found.boilerplate[edges[n] : edges[n + 1]]]] = True
        places.append(KgramPlaces(replace(hits, queries=own[hits.queries - edges[n]]), boilerplate, found.known))
    return places, found.known


def _every(phrases: NDArray[np.uint64]) -> _Question:
    """Phrases are all looked up, and have no check."""
    return phrases, np.zeros(len(phrases), np.uint32), np.ones(len(phrases), np.bool_)


def _of_phrases(found: KgramPlaces) -> KgramPlaces:
    hits = found.hits.part(found.hits.positions >= PHRASE)
    return found._replace(hits=replace(hits, positions=hits.positions - np.uint32(PHRASE)))
