"""Ask indexes for the k-grams and phrases of changed files, and for whole files.

A batch of files is one question to an index. Boilerplate of one index is no evidence of a copy from another, so the
hits of a file are known only after all indexes were asked.

If both sides of a run of t tokens select the same k-gram in it, asking for what the change selects is enough: it is one
of the fingerprints that the index keeps. ``robust``, ``winnowing`` and ``mod-minimizer`` promise that, and what
``mod-p`` does not select is in no index that it made. The selection is made over *all* k-grams of the file, as the
index made it, and what is no evidence is left out afterwards. All places of a selected hash are looked up: among equal
hashes, each side may have selected another place, and only one has the right text. Any other index is asked for all:
with ``anchored``, it has one of the w k-grams of such a run, and the change cannot know which.

An index has each k-gram of boilerplate, so for all k-grams that were asked for it is known whether they are
boilerplate. Those between two that were asked for, if no run of t tokens could begin there, are boilerplate if both
are. A run of w other k-grams holds one that was asked for, so no part of it is ever taken for boilerplate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from winnow_ci.arrays import among, covered
from winnow_ci.errors import IndexFileError
from winnow_ci.evidence.tables import tables_digest
from winnow_ci.evidence.weights import are_numbers, distinctive_phrases, kgram_information, rare_numbers, weighed
from winnow_ci.fingerprint import all_kgrams
from winnow_ci.index import KgramPlaces, content_key, known_files, places_of
from winnow_ci.languages import (
    DATA,
    FALLBACK,
    FrontEnd,
    TextNumbers,
    front_end_named,
    front_ends_of,
    in_imports,
    normalise,
    revisions,
)
from winnow_ci.matching.hits import FileHits, FileKgrams
from winnow_ci.model import PHRASE, WORD, Parameters, Tokens
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.scanner.files import PreparedFile, on_lines
from winnow_ci.scanner.read import line_end_forms
from winnow_ci.start_up import replace
from winnow_ci.winnowing import select

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from winnow_ci.index import IndexReader
    from winnow_ci.model import Hits, Phrases, Selection
    from winnow_ci.scanner.files import DataFile

    # The hashes and checks of one file, and which of them are looked up.
    _Question: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.bool_]]

# The least number of added tokens in a file that counts as identical: short files are the same in many projects.
LEAST_IDENTICAL = 40
# Selections with which both sides make the same choice in a run of t tokens, or none (``winnowing``).
SHARED: frozenset[Selection] = frozenset({"winnowing", "robust", "mod-minimizer", "mod-p"})
# With fewer numbers, nothing in a file is a table of them.
FEWEST_NUMBERS = 16
# Numbers that are no more tokens apart are near each other.
NEAR_NUMBERS = 6
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
        questions = [*kgrams, *(_of_phrases(one.phrases) for one in files)]
        found, known = _found(self._index, questions, [*keys, *(key for of_file in own for key in of_file)])
        identical = [tuple(known[key] for key in of_file if key in known) for of_file in own]
        return list(map(_Answer, files, asked, found[: len(batch)], found[len(batch) :], identical)), known.keys()

    def hits(
        self, file: PreparedFile, answer: _Answer, boilerplate: NDArray[np.bool_], phrases: NDArray[np.bool_]
    ) -> FileHits | None:
        """Return the hits of a file, if it has any; boilerplate is marked by k-gram and by phrase (bool)."""
        kgrams = without_boilerplate(answer.file, boilerplate, self.parameters.k)
        hits, phrase_hits = answer.kgrams.hits, answer.phrases.hits
        phrase_hits = phrase_hits.part(phrase_hits.positions >= PHRASE)
        phrase_hits = replace(phrase_hits, positions=phrase_hits.positions - np.uint32(PHRASE))
        # Mostly nothing is left out, and a file may have a hundred thousand hits.
        if len(hits) and not kgrams.asked[answer.asked].all():
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
                raise IndexFileError(f"{msg}, ours is revision {known.get(name)}", _REBUILD)
        if self._index.tables != (ours := tables_digest()):
            msg = f"{self._index.name} was made with revision {self._index.tables[:12]} of the learnt tables"
            raise IndexFileError(f"{msg}, ours is revision {ours[:12]}", _REBUILD)


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
    if file.is_part or file.added.sum() < LEAST_IDENTICAL:
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


def _of_phrases(phrases: Phrases) -> _Question:
    """Phrases are all looked up, and have no check."""
    return phrases.hashes, np.zeros(len(phrases), np.uint32), np.ones(len(phrases), np.bool_)


def file_kgrams(file: PreparedFile, parameters: Parameters, boilerplate: NDArray[np.uint64]) -> FileKgrams:
    """Make the k-grams of a file; those of data and of boilerplate (sorted hashes) are no evidence."""
    k = parameters.k
    rare, is_code = _rare_numbers(file), file.front_end.name != DATA
    imported = in_imports(file.tokens, file.front_end.name)
    kgrams = all_kgrams(file.tokens, parameters)
    grams, structure, text = kgram_information(file.tokens, rare | _are_lone_numbers(file.tokens), k)
    every = FileKgrams(
        tokens=file.tokens,
        kgrams=kgrams,
        grams=grams,
        informative=structure & is_code,
        informative_text=text & is_code,
        rare_numbers=rare,
        imported=imported,
        added=file.added,
        phrases=_added_phrases(file, imported),
    )
    return without_boilerplate(every, among(kgrams.hashes, boilerplate), k)


def asked_kgrams(file: FileKgrams, parameters: Parameters, *, all_near: bool) -> NDArray[np.bool_]:
    """Mark the k-grams that are looked up in an index: bool, one a k-gram.

    With ``all_near``, k-grams that say nothing are looked up too, as some may turn out to be boilerplate.
    """
    wanted, hashes = file.reachable if all_near else file.asked, file.kgrams.hashes
    if not wanted.any() or parameters.selection not in SHARED:
        return wanted
    chosen = select(hashes, parameters.w, parameters.selection, file.tokens.structural)
    return wanted & among(hashes, np.sort(hashes[chosen]))


def known_boilerplate(found: NDArray[np.bool_], asked: NDArray[np.bool_], shortest: int) -> NDArray[np.bool_]:
    """Mark the k-grams that are boilerplate, given which of those that were asked for the index has as boilerplate.

    Nothing is inferred between k-grams that are further apart than ``shortest``, the shortest w of the indexes.
    """
    if not found.any():
        return found
    at = np.flatnonzero(asked)
    inside = found[at[:-1]] & found[at[1:]] & (np.diff(at) <= shortest)
    return found | covered(at[:-1][inside], at[1:][inside], len(found))


def without_boilerplate(kgrams: FileKgrams, boilerplate: NDArray[np.bool_], k: int) -> FileKgrams:
    """Drop the evidence of boilerplate.

    A copy beside boilerplate extends into it, so tokens of boilerplate do not count as added.
    """
    if not boilerplate.any():
        return kgrams
    return kgrams._replace(
        informative=kgrams.informative & ~boilerplate,
        informative_text=kgrams.informative_text & ~boilerplate,
        added=kgrams.added & ~_in_kgrams(boilerplate, k, len(kgrams.tokens)),
    )


def file_hits(
    file: PreparedFile, kgrams: FileKgrams, hits: Hits, phrase_hits: Hits, identical: tuple[int, ...], k: int
) -> FileHits:
    """Weigh the tokens of a file with hits in an index."""
    # Numbers where the structure says nothing, as in rows of numbers.
    in_tables = are_numbers(kgrams.tokens) & ~_in_kgrams(kgrams.informative, k, len(kgrams.tokens))
    said = weighed(file.tokens, file.front_end.name, k, in_tables & ~kgrams.rare_numbers, kgrams.imported)
    imported_before = np.append(0, np.cumsum(kgrams.imported))
    return FileHits(
        kgrams=kgrams,
        hits=hits,
        phrase_hits=phrase_hits,
        token_bits=said.token_bits,
        literal_bits=said.literal_bits,
        new_literal_bits=said.new_literal_bits,
        further_rows=said.further_rows & ~kgrams.rare_numbers,
        telling=kgrams.informative & ~said.common & ~np.asarray(imported_before[k:] > imported_before[:-k], np.bool_),
        cumulative=np.concatenate([[0.0], np.cumsum(said.token_bits)]),
        identical=identical,
    )


def phrases_beside_added(kgrams: FileKgrams) -> NDArray[np.bool_]:
    """Mark the words in a token that counts as added, and the phrases in or beside one: bool, one a phrase."""
    at, are_phrases = kgrams.phrases.positions, kgrams.phrases.words != WORD
    return np.asarray(kgrams.added[at] | (are_phrases & kgrams.added[at - 1]), np.bool_)


def _rare_numbers(file: PreparedFile) -> NDArray[np.bool_]:
    """Which tokens are rare numbers: bool, one a token; in a file with few numbers none, nor in a part of one."""
    if file.is_part or are_numbers(file.tokens).sum() < FEWEST_NUMBERS:
        return np.zeros(len(file.tokens), np.bool_)
    return rare_numbers(file.tokens, TextNumbers(normalise(file.content), file.front_end.name))


def _are_lone_numbers(tokens: Tokens) -> NDArray[np.bool_]:
    """Which tokens are numbers with no other near: bool, one a token.

    Rows of numbers are often equal by chance; rows of calls, each with its number, are not.
    """
    lone = are_numbers(tokens)
    at = np.flatnonzero(lone)
    near = np.diff(at) <= NEAR_NUMBERS
    lone[at[1:][near]] = lone[at[:-1][near]] = False
    return lone


def _added_phrases(file: PreparedFile, imported: NDArray[np.bool_]) -> Phrases:
    phrases = distinctive_phrases(file.tokens, words=file.may_restate)
    # A comment stands before the token after it.
    is_token = phrases.lines >= file.tokens.first_lines[phrases.positions]
    is_imported = imported[phrases.positions] & is_token
    return phrases.part(on_lines(phrases.lines, phrases.lines, file.added_lines) & ~is_imported)


def _in_kgrams(kgrams: NDArray[np.bool_], k: int, tokens: int) -> NDArray[np.bool_]:
    """Which of a file's tokens lie in one of these k-grams: bool, one a token."""
    starts = np.flatnonzero(kgrams)
    return covered(starts, starts + k, tokens)
