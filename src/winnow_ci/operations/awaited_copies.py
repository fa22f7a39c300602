"""Which entries of a baseline are over, and which still wait for their copies.

A pull request is judged by the baseline of the branch that it is for, so an approval is merged before the copy comes.
Until then it matches nothing, as does an entry whose copy is gone. History tells them apart: an entry is over if its
file has had the copy in a version since the commit that brought the entry, or in any version if no commit has it yet.
The old versions are looked up like the new one. What a shallow clone cannot tell counts as waiting: an entry too many
does less harm than an approval that is thrown away. One whose day has passed waits for nothing.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import zip_longest
from typing import TYPE_CHECKING

from winnow_ci import git, scanner
from winnow_ci.model.changes import ChangedFile, ChangeSet
from winnow_ci.model.findings import BaselineUse, Scope
from winnow_ci.policy.acceptance import is_of
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from winnow_ci.git import Repository
    from winnow_ci.index import IndexReader
    from winnow_ci.model.findings import BaselineEntry, Finding
    from winnow_ci.operations.trust import Rules

MOST_VERSIONS = 20
"""Versions of one file that are looked up, the newest: looking up takes a moment each."""


def sorted_out(
    repository: Repository, change: ChangeSet, by: Rules, use: BaselineUse, indexes: Sequence[IndexReader]
) -> BaselineUse:
    """How a scan used the entries of a baseline, of which those that still wait for their copies are not stale.

    Args:
        repository: where the change is.
        change: what was scanned.
        by: what it was judged by.
        use: what the scan says; each entry that matches nothing is stale.
        indexes: what the scan looked into.

    Raises:
        GitError: git failed.
        IndexFileError: an index is damaged.
    """
    today = by.suppressions.today
    pending = [entry for entry in use.stale if entry.expires is None or entry.expires >= today]
    if not pending:
        return use
    versions = _versions(repository, change, by.settings.baseline, pending)
    for number, blobs in enumerate(zip_longest(*versions.values())):
        if number == MOST_VERSIONS or not pending:
            break
        files = [ChangedFile(path, "file", None, blob) for path, blob in zip(versions, blobs, strict=True) if blob]
        found = _findings(repository, files, by, indexes)
        pending = [entry for entry in pending if not any(is_of(entry, finding) for finding in found)]
    return use._replace(stale=tuple(entry for entry in use.stale if entry not in pending), waiting=tuple(pending))


def _versions(
    repository: Repository, change: ChangeSet, baseline: Path | None, entries: Sequence[BaselineEntry]
) -> dict[str, list[str]]:
    """Path of an entry → ids of what it was since the entry came."""
    head = change.scope.head or git.head_commit(repository)
    if head is None:
        return {}
    since = _arrivals(repository, change, head, baseline, entries)
    paths = defaultdict[str | None, list[str]](list)
    for entry in entries:
        paths[since.get(entry.anchor)].append(entry.path)
    found: dict[str, list[str]] = {}
    for commit, of_commit in paths.items():
        for path, blobs in git.path_versions(repository, head, of_commit, commit).items():
            found[path] = [*found.get(path, ()), *blobs]
    return found


def _arrivals(
    repository: Repository, change: ChangeSet, head: str, baseline: Path | None, entries: Sequence[BaselineEntry]
) -> dict[str, str]:
    """Anchor of an entry → the commit that brought it; without those that no commit here has."""
    if baseline is None or repository.root is None or not baseline.is_relative_to(repository.root):
        return {}
    name = baseline.relative_to(repository.root).as_posix()
    found: dict[bytes, str] = {}
    # A change that was begun before the entry came does not have it.
    for tip in dict.fromkeys((head, change.target or head)):
        marks = {entry.anchor.encode() for entry in entries} - found.keys()
        found |= git.first_with(repository, tip, name, marks) if marks else {}
    return {mark.decode(): commit for mark, commit in found.items()}


def _findings(
    repository: Repository, files: Sequence[ChangedFile], by: Rules, indexes: Sequence[IndexReader]
) -> Sequence[Finding]:
    """What old versions of files have in common with the indexes."""
    change = ChangeSet(Scope("all", None, None, "versions of the past"), tuple(files))
    # An entry may be for a weak finding, which the scan may have left out.
    settings = replace(by.settings, report=by.settings.report._replace(weak="note"))
    return scanner.scan(repository, change, indexes, settings, by.boilerplate, shows=lambda _: False).findings
