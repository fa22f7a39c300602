"""The road from a change to a report.

Files are read, tokenised and hashed one by one, looked up in batches (one pass over the index serves many files), and
matched one by one again. What a file needs is dropped as soon as its batch is matched.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci import git, policy
from winnow_ci.errors import IndexFileError
from winnow_ci.fingerprint import all_kgrams, grams, text_grams
from winnow_ci.languages import FrontEnd, Untokenizable, front_end_of, normalise, tokenize
from winnow_ci.matching import Query, Thresholds, find_regions
from winnow_ci.model import Change, Hits, LineRange, ScanReport, Skipped
from winnow_ci.scanner.attribution import Document, Match, findings
from winnow_ci.scanner.selection import language_in_scope, skip_by_path
from winnow_ci.winnowing import informative

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.config import Settings
    from winnow_ci.index import IndexReader
    from winnow_ci.model import Parameters, Region, Tokens

LARGEST_FILE = 64 << 20
BATCH_TOKENS = 400_000
KEPT_MAPS = 256


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A changed file after the front end; ``added`` is one bool a token."""

    path: str
    text: bytes
    front_end: FrontEnd
    tokens: Tokens
    added: NDArray[np.bool_]


@dataclass(slots=True)
class _Tally:
    """What has been seen so far."""

    files: int = 0
    tokens: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)


def scan(
    repository: git.Repository,
    changes: git.ChangeSet,
    indexes: Sequence[IndexReader],
    settings: Settings,
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
) -> ScanReport:
    """Look a change up in indexes.

    Args:
        repository: where the change is.
        changes: the changed files.
        indexes: known code.
        settings: what is in scope, what is boilerplate, which licences are welcome.
        progress: is called after each file with the files done and the number of all files.

    Raises:
        GitError: git failed.
        IndexFileError: an index is damaged or cannot be compared.
    """
    searches = [_Search(index, _boilerplate(repository, index.parameters, settings), settings) for index in indexes]
    tally = _Tally()
    for batch in _batches(_prepared(repository, changes, settings, tally, progress)):
        matches = [search.matches(batch) for search in searches]
        tally.documents.extend(
            Document(file.path, file.text, file.tokens, tuple(match for each in of_file for match in each))
            for file, *of_file in zip(batch, *matches, strict=True)
            if any(of_file)
        )
    found = policy.judge(findings(tally.documents), settings.policy)
    skipped = tuple(sorted(tally.skipped, key=lambda skip: skip.path))
    return ScanReport(changes.scope, tally.files, tally.tokens, tuple(found), skipped)


def _prepared(
    repository: git.Repository,
    changes: git.ChangeSet,
    settings: Settings,
    tally: _Tally,
    progress: Callable[[int, int], None],
) -> Iterator[_Prepared]:
    """The files to look at; the others, and the sums, go to the tally."""
    wanted = []
    for file in changes.files:
        skip = skip_by_path(file.path, settings)
        tally.skipped.append(skip) if skip else wanted.append(file)
    for done, (_, change) in enumerate(git.read(repository, wanted, LARGEST_FILE), 1):
        prepared = change if isinstance(change, Skipped) else _prepare(change, settings)
        if isinstance(prepared, Skipped):
            tally.skipped.append(prepared)
        else:
            tally.files += 1
            tally.tokens += len(prepared.tokens)
            yield prepared
        progress(done, len(wanted))


def _prepare(change: Change, settings: Settings) -> _Prepared | Skipped:
    language = language_in_scope(change, settings)
    if isinstance(language, Skipped):
        return language
    try:
        tokens = tokenize(language, change.content)
    except Untokenizable as reason:
        return Skipped(change.path, reason.reason, reason.state)
    added = _on_lines(tokens, change.added)
    return _Prepared(change.path, normalise(change.content), front_end_of(language), tokens, added)


def _on_lines(tokens: Tokens, added: Sequence[LineRange]) -> NDArray[np.bool_]:
    """Which tokens touch added lines."""
    if not added:
        return np.zeros(len(tokens), np.bool_)
    first, last = np.array(added, np.int64).T
    ranges_begun = np.searchsorted(first, tokens.last_lines, "right")
    ranges_over = np.searchsorted(last, tokens.first_lines, "left")
    return np.asarray(ranges_begun > ranges_over, np.bool_)


def _batches(files: Iterable[_Prepared]) -> Iterator[list[_Prepared]]:
    batch: list[_Prepared] = []
    for file in files:
        if not file.added.any():
            continue
        batch.append(file)
        if sum(len(each.tokens) for each in batch) >= BATCH_TOKENS:
            yield batch
            batch = []
    if batch:
        yield batch


class _Search:
    """Looks changed files up in one index."""

    def __init__(self, index: IndexReader, boilerplate: NDArray[np.uint64], settings: Settings) -> None:
        self._index = index
        self._token_map = lru_cache(maxsize=KEPT_MAPS)(index.token_map)
        self._boilerplate = boilerplate
        self._thresholds = Thresholds(settings.report.min_tokens, settings.report.min_tokens_renamed)

    def matches(self, batch: Sequence[_Prepared]) -> list[list[Match]]:
        """The matches of each file."""
        for file in batch:
            self._check_comparable(file.front_end)
        queries = [self._query(file) for file in batch]
        hits = self._index.lookup(
            np.concatenate([query.kgrams.hashes for query in queries]),
            np.concatenate([query.kgrams.checks for query in queries]),
        )
        edges = np.cumsum([0, *(len(query.kgrams) for query in queries)])
        parts = np.searchsorted(hits.queries, edges)
        return [self._matches(query, _part(hits, parts[n], parts[n + 1], edges[n])) for n, query in enumerate(queries)]

    def _query(self, file: _Prepared) -> Query:
        k = self._index.parameters.k
        kgrams, structure = all_kgrams(file.tokens, self._index.parameters), grams(file.tokens)
        wanted = ~np.isin(kgrams.hashes, self._boilerplate)
        says_something = informative(structure, k) & wanted
        text_says_something = informative(text_grams(file.tokens), k) & wanted
        return Query(file.tokens, kgrams, structure, says_something, text_says_something, file.added)

    def _matches(self, query: Query, hits: Hits) -> list[Match]:
        index = self._index
        regions = find_regions(query, hits, self._token_map, index.parameters, self._thresholds)
        return [self._match(region) for region in regions]

    def _match(self, region: Region) -> Match:
        there = self._token_map(region.content)
        first = int(there.first_lines[region.source_start])
        last = int(there.last_lines[region.source_end - 1])
        return Match(region, self._index.files(region.content), LineRange(first, last))

    def _check_comparable(self, front_end: FrontEnd) -> None:
        theirs = self._index.front_ends.get(front_end.name, front_end.revision)
        if theirs != front_end.revision:
            msg = (
                f"{self._index.path} was made with revision {theirs} of the {front_end.name} front end, "
                f"this is revision {front_end.revision}"
            )
            raise IndexFileError(msg, "build the index again from its sources: winnow-ci index build")


def _part(hits: Hits, start: int, end: int, first_query: int) -> Hits:
    """The hits of one file of a batch, its k-grams numbered from 0."""
    part = slice(start, end)
    return Hits(hits.queries[part] - first_query, hits.contents[part], hits.positions[part], hits.checks[part])


def _boilerplate(repository: git.Repository, parameters: Parameters, settings: Settings) -> NDArray[np.uint64]:
    """Hashes of all k-grams of the repository's files that are declared boilerplate."""
    if not settings.boilerplate:
        return np.empty(0, np.uint64)
    files = [file for file in git.everything(repository).files if settings.boilerplate.matches(file.path)]
    hashes = [np.empty(0, np.uint64)]
    for _, change in git.read(repository, files, LARGEST_FILE):
        prepared = change if isinstance(change, Skipped) else _prepare(change, settings)
        if isinstance(prepared, _Prepared):
            hashes.append(all_kgrams(prepared.tokens, parameters).hashes)
    return np.unique(np.concatenate(hashes))
