"""Add to a report what needs the history: waiting approvals, advice."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci import git, scanner
from winnow_ci.model.changes import ChangedFile, ChangeSet
from winnow_ci.model.findings import Advice, Scope
from winnow_ci.policy.acceptance import is_of
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.git import Repository
    from winnow_ci.index import IndexReader
    from winnow_ci.model.findings import BaselineEntry, BaselineInForce, BaselineUse, Finding
    from winnow_ci.operations.trust import RuleChoice, Rules

MOST_VERSIONS = 20
"""Versions of one file that are looked up, the newest: each takes a moment."""
_DIGITS = 12


# ---- entries of the baseline that wait for their copies --------------------------------------------------------


def with_waiting(
    repository: Repository, change: ChangeSet, by: Rules, use: BaselineUse, indexes: Sequence[IndexReader]
) -> BaselineUse:
    """Separate entries that wait for their copies from stale ones.

    A pull request is judged by the baseline of its target, so an approval is merged before the copy comes. Until then
    its entry matches nothing, like an entry whose copy is gone. History tells them apart: an entry is stale if its file
    has had the copy in a version since the commit that brought the entry, or in any version if no commit has it yet.
    What a shallow clone cannot show counts as waiting: an entry too many does less harm than a lost approval. An
    expired entry waits for nothing.
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
    """Path of an entry → blobs of its versions since the entry came, the newest first."""
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
    """Anchor of an entry → the commit that brought it, if one here has it."""
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
    change = ChangeSet(Scope("all", None, None, "past versions"), tuple(files))
    # An entry may be for a weak finding, which the scan may have left out.
    settings = replace(by.settings, report=by.settings.report._replace(weak="note"))
    choices = scanner.ScanChoices(by.boilerplate, shows=lambda _: False)
    return scanner.scan(repository, change, indexes, settings, choices).findings


# ---- advice ----------------------------------------------------------------------------------------------------


def reader_advice(
    repository: Repository,
    change: ChangeSet,
    choice: RuleChoice,
    by: Rules,
    mode: tuple[str, ...],
    *,
    is_elsewhere: bool,
) -> Advice:
    """Return the options that repeat a scan, and whether a comment would count.

    In another clone, as the author of a pull request has one, paths of the machine that scanned are of no use, and
    commits of a CI may be missing; the branch that the change is for is there.
    """
    indexes = () if is_elsewhere and by.settings.index else choice.indexes
    of_this_machine = {index for index in indexes if is_elsewhere and isinstance(index, Path) and index.is_absolute()}
    named = [
        ("--index", index.as_posix() if isinstance(index, Path) else str(index))
        for index in indexes
        if index not in of_this_machine
    ]
    if choice.config and not (is_elsewhere and choice.config.is_absolute()):
        named.append(("--config", choice.config.as_posix()))
    baseline: BaselineInForce = "base" if is_elsewhere or choice.policy_from == "base" else "here"
    if is_elsewhere and repository.root is None:
        baseline = "server"
    trust = by.suppressions.trust
    comments = trust == "always" or (trust == "base" and change.scope.mode == "all" and by.commit is None)
    return Advice((*(mode or _mode(change)), *chain.from_iterable(named)), comments, baseline)


def _mode(change: ChangeSet) -> tuple[str, ...]:
    """The options that name a change; none for that of a branch, which needs none."""
    scope = change.scope
    if change.branch is not None:
        return "--since", change.branch
    if scope.mode == "branch":
        return ()
    if scope.mode == "staged" and (change.bases or scope.base is None):
        return ("--staged",)
    if scope.mode == "since" and scope.base:
        return "--since", scope.base[:_DIGITS]
    if scope.mode == "range" and scope.base and scope.head:
        return "--range", f"{scope.base[:_DIGITS]}..{scope.head[:_DIGITS]}"
    return ("--all",)
