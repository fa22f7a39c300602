"""The road from a change to a report.

Files are read and tokenised one by one, looked up in batches (one pass over the index serves many files), and matched
one by one again. What a file needs is dropped as soon as its batch is matched.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci import git, policy
from winnow_ci.fingerprint import all_kgrams
from winnow_ci.model import ScanReport, Skipped
from winnow_ci.scanner.attribution import Match, findings
from winnow_ci.scanner.preparation import Prepared, prepare, prepare_all
from winnow_ci.scanner.search import EXCERPT_LINES, Search

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.config import Settings
    from winnow_ci.index import IndexReader
    from winnow_ci.model import Parameters

BATCH_TOKENS = 400_000


def scan(  # noqa: PLR0913 - what is asked for, and how to go about it
    repository: git.Repository,
    changes: git.ChangeSet,
    indexes: Sequence[IndexReader],
    settings: Settings,
    boilerplate: Sequence[git.ChangedFile] = (),
    *,
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
    excerpt_lines: int = EXCERPT_LINES,
) -> ScanReport:
    """Look a change up in indexes.

    Args:
        repository: where the change is.
        changes: the changed files.
        indexes: known code.
        settings: what is in scope, and which licences are welcome.
        boilerplate: files whose k-grams are no evidence anywhere.
        progress: is called after each file with the files done and the number of all files.
        excerpt_lines: how many lines of a finding are shown at most.

    Raises:
        GitError: git failed.
        IndexFileError: an index is damaged or cannot be compared.
    """
    common = list(prepare(repository, boilerplate, settings))
    searches = [Search(index, _kgrams(common, index.parameters), settings.report, excerpt_lines) for index in indexes]
    tally = _Tally(len(changes.files), progress)
    matches: list[list[Match]] = []
    for batch in _batches(tally.counted(prepare_all(repository, changes.files, settings))):
        found = [search.matches(batch) for search in searches]
        matches.extend(list(chain(*of_file)) for of_file in zip(*found, strict=True))
    skipped = tuple(sorted(tally.skipped, key=lambda skip: skip.path))
    return ScanReport(
        changes.scope, tally.scanned, tally.tokens, policy.judge(findings(matches), settings.policy), skipped
    )


@dataclass(slots=True)
class _Tally:
    """Counts the files as they pass."""

    total: int
    progress: Callable[[int, int], None]
    scanned: int = 0
    tokens: int = 0
    skipped: list[Skipped] = field(default_factory=list)

    def counted(self, files: Iterable[Prepared | Skipped]) -> Iterator[Prepared]:
        """Let prepared files through, and keep the skipped ones."""
        for done, file in enumerate(files, 1):
            if isinstance(file, Skipped):
                self.skipped.append(file)
            else:
                self.scanned += 1
                self.tokens += len(file.tokens)
                yield file
            self.progress(done, self.total)


def _batches(files: Iterable[Prepared]) -> Iterator[list[Prepared]]:
    batch: list[Prepared] = []
    tokens = 0
    for file in files:
        if file.added.any():
            batch.append(file)
            tokens += len(file.tokens)
        if tokens >= BATCH_TOKENS:
            yield batch
            batch, tokens = [], 0
    if batch:
        yield batch


def _kgrams(files: Iterable[Prepared | Skipped], parameters: Parameters) -> NDArray[np.uint64]:
    """Hashes of all k-grams of files."""
    hashes = [all_kgrams(file.tokens, parameters).hashes for file in files if isinstance(file, Prepared)]
    return np.unique(np.concatenate(hashes)) if hashes else np.empty(0, np.uint64)
