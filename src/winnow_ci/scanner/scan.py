"""The road from a change to a report.

Files are read and tokenised one by one, looked up in batches (one pass over the index serves many files), and matched
one by one again; what matches but was there before is not counted (``existing``). What a file needs is dropped as soon
as its batch is matched.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci import git, policy
from winnow_ci.fingerprint import all_kgrams
from winnow_ci.model import Fallback, ScanReport, Skipped
from winnow_ci.scanner.attribution import Match, findings
from winnow_ci.scanner.boilerplate import common_code
from winnow_ci.scanner.existing import Existing
from winnow_ci.scanner.lookup import EXCERPT_LINES, Search
from winnow_ci.scanner.own_sources import parted
from winnow_ci.scanner.preparation import PreparedFile, prepare, prepare_all
from winnow_ci.scanner.scan_cache import NO_CACHE, Unmatched
from winnow_ci.scanner.several_indexes import Searches, check_known
from winnow_ci.scanner.suppression import NOTHING_ACCEPTED, Seen, Suppressions, settle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from winnow_ci.config import Settings
    from winnow_ci.index import IndexReader
    from winnow_ci.model import Finding, Parameters, Tokens
    from winnow_ci.scanner.scan_cache import ScanCache

BATCH_TOKENS = 400_000


def scan(  # noqa: PLR0913 - what is asked for, and how to go about it
    repository: git.Repository,
    changes: git.ChangeSet,
    indexes: Sequence[IndexReader],
    settings: Settings,
    boilerplate: Sequence[git.ChangedFile] = (),
    *,
    suppressions: Suppressions = NOTHING_ACCEPTED,
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
    excerpt_lines: int = EXCERPT_LINES,
    kept: Path | None = None,
    window: int | None = None,
) -> ScanReport:
    """Look a change up in indexes.

    Args:
        repository: where the change is.
        changes: the changed files.
        indexes: known code.
        settings: what is in scope, and which licences are welcome.
        boilerplate: files whose k-grams are no evidence anywhere.
        suppressions: what may suppress a finding besides the policy.
        progress: is called after each file with the files done and the number of all files.
        excerpt_lines: how many lines of a finding are shown at most.
        kept: git's folder in which to keep what need not be looked at again; None keeps nothing.
        window: length of the windows of which one k-gram each is looked up; None to look up every k-gram.

    Raises:
        UsageError: an index does not have the k-grams that such windows select.
        GitError: git failed.
        IndexFileError: an index is damaged or cannot be compared.
    """
    check_known(indexes)
    files = (file for file in prepare(repository, boilerplate, settings) if isinstance(file, PreparedFile))
    common = list(common_code(files, settings))
    nothing_new = [_kgrams(common, index.parameters) for index in indexes]
    searches = Searches(
        [
            Search(index, kgrams, settings.report, excerpt_lines, window=window)
            for index, kgrams in zip(indexes, nothing_new, strict=True)
        ]
    )
    memory = NO_CACHE
    # Where there is a base, what matches may depend on it, and most files are not looked at anyway.
    # A scan with wider windows sees less: what it does not find says nothing to one without.
    if kept is not None and not changes.bases and window is None:
        from winnow_ci.scanner.scan_cache import lasting  # noqa: PLC0415 - a commit hook has a base, and need not wait for it

        memory = lasting.memory(kept, indexes, settings, nothing_new)
    tally = _Tally(len(changes.files), memory, progress)
    matches: list[list[Match]] = []
    existing = Existing(repository, changes, settings)
    try:
        for batch in _batches(tally.counted(prepare_all(repository, changes.files, settings, memory))):
            found = existing.new_matches(batch, searches.matches)
            memory.keep(batch, found)
            matches.extend(found)
    finally:
        # A scan that was interrupted goes on where it was.
        memory.save()
    judged = policy.judge(_findings(matches, settings.own), settings.policy)
    sources = {name for index in indexes for name in index.names}
    settled = settle(repository, changes, judged, tally.seen, sources, suppressions)
    return ScanReport(
        changes.scope,
        tally.scanned,
        tally.tokens,
        settled.findings,
        tuple(sorted(tally.skipped, key=lambda skip: skip.path)),
        settled.notices,
        settled.baseline,
        existing.count,
        tuple(sorted(tally.fallback, key=lambda file: file.path)),
    )


def _findings(matches: Iterable[Sequence[Match]], own: policy.SourcePatterns) -> list[Finding]:
    """Findings by path and line; those of code that is ours, though others have it too, are suppressed."""
    parts = [parted(of_file, own) for of_file in matches]
    ours = [
        finding._replace(suppressed="policy", reason="code of our own (own)")
        for finding in findings(part.ours for part in parts)
    ]
    return sorted([*findings(part.foreign for part in parts), *ours], key=lambda f: (f.path, f.lines, f.id))


@dataclass(slots=True)
class _Tally:
    """Counts the files as they pass."""

    total: int
    memory: ScanCache
    progress: Callable[[int, int], None]
    scanned: int = 0
    tokens: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    fallback: list[Fallback] = field(default_factory=list)
    seen: Seen = field(default_factory=Seen)

    def counted(self, files: Iterable[PreparedFile | Unmatched | Skipped]) -> Iterator[PreparedFile]:
        """Let prepared files through, and keep the skipped ones."""
        for done, file in enumerate(files, 1):
            if isinstance(file, Skipped):
                self.skipped.append(file)
                self.memory.keep_skipped(file)
            elif isinstance(file, Unmatched):
                self.scanned += 1
                self.tokens += file.tokens
                self.seen.whole.add(file.path)
            else:
                self.scanned += 1
                self.tokens += len(file.tokens)
                self.seen.keep(file)
                if file.failure is not None:
                    self.fallback.append(Fallback(file.path, file.failure))
                if not len(file.tokens):
                    self.memory.keep([file], [()])
                yield file
            self.progress(done, self.total)


def _batches(files: Iterable[PreparedFile]) -> Iterator[list[PreparedFile]]:
    batch: list[PreparedFile] = []
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


def _kgrams(texts: Iterable[Tokens], parameters: Parameters) -> NDArray[np.uint64]:
    """Hashes of all k-grams of texts."""
    hashes = [all_kgrams(tokens, parameters).hashes for tokens in texts]
    return np.sort(np.concatenate(hashes)) if hashes else np.empty(0, np.uint64)
