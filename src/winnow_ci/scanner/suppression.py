"""What people have decided about findings: comments and the baseline are applied once everything is found.

An entry or a comment is stale only if the scan saw where its copy would be; ``Seen`` records that while files pass.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from winnow_ci import git, policy
from winnow_ci.languages import Untokenizable, normalise
from winnow_ci.languages.normalisation import as_characters
from winnow_ci.model import LineRange
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.records import field, record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from winnow_ci.model.changes import ChangeSet
    from winnow_ci.model.findings import BaselineEntry, BaselineUse, Finding
    from winnow_ci.scanner.values import PreparedFile


class Suppressions(NamedTuple):
    """What may suppress a finding besides the policy.

    Attributes:
        baseline: copies that may stay.
        today: decides which entries have expired.
        trust: which comments count.
    """

    baseline: tuple[BaselineEntry, ...] = ()
    today: dt.date = dt.date.min
    trust: policy.CommentTrust = "always"


NOTHING_ACCEPTED = Suppressions()


@record(slots=True, eq=False, repr=False)
class Seen:
    """What a scan saw of files.

    Attributes:
        whole: paths of the files that were looked up as a whole.
        comments: comments that allow a copy, by path.
    """

    whole: set[str] = field(default_factory=set)
    comments: dict[str, tuple[policy.AllowComment, ...]] = field(default_factory=dict)

    def keep(self, file: PreparedFile) -> None:
        """Record a file."""
        if file.added.all():
            self.whole.add(file.path)
        if file.allows:
            self.comments[file.path] = file.allows


class Settled(NamedTuple):
    """The findings, and what a person should know about them."""

    findings: tuple[Finding, ...]
    baseline: BaselineUse
    notices: tuple[str, ...]


def settle(
    repository: git.Repository | None,
    changes: ChangeSet,
    findings: Sequence[Finding],
    seen: Seen,
    sources: Iterable[str],
    suppressions: Suppressions,
) -> Settled:
    """Suppress the findings that comments and the baseline accept, unless the policy suppressed them already.

    Args:
        repository: where the change is; None if it is in none.
        changes: the change.
        findings: judged, by path.
        seen: what the scan saw.
        sources: names of the sources in the indexes.
        suppressions: what may suppress a finding.

    Raises:
        GitError: git failed.
    """
    # The first push of a branch has no base either, and brings all of its comments.
    has_base = changes.scope.mode != "all"
    comments = _marked_withdrawn(repository, changes, findings, seen) if suppressions.trust == "base" else seen.comments
    allowed, notices = policy.allow(findings, comments, suppressions.trust, whole=seen.whole, has_base=has_base)
    paths = {entry.path for entry in suppressions.baseline}
    coverage = policy.ScanCoverage(
        whole=seen.whole,
        sources=set(sources),
        gone=git.absent(repository, changes.scope, paths) if paths and repository else (),
        all_files=changes.scope.mode == "all" and not changes.is_narrowed,
    )
    accepted, use = policy.accept(allowed, suppressions.baseline, coverage, suppressions.today)
    return Settled(tuple(accepted), use, tuple(notices))


def _marked_withdrawn(
    repository: git.Repository | None, changes: ChangeSet, findings: Sequence[Finding], seen: Seen
) -> Mapping[str, Sequence[policy.AllowComment]]:
    """The comments in files with findings, those marked that the tip of the target branch no longer has there."""
    if repository is None or changes.target in {None, changes.scope.base}:
        return seen.comments
    copied = {finding.path for finding in findings}
    names = {file.path: file.was or file.path for file in changes.files if file.path in copied & seen.comments.keys()}
    marked = dict(seen.comments)
    for path, name in names.items():
        standing = _comments_at(repository, str(changes.target), name)
        marked[path] = tuple(
            comment._replace(is_withdrawn=(comment.pattern, comment.reason) not in standing)
            for comment in seen.comments[path]
        )
    return marked


def _comments_at(repository: git.Repository, commit: str, name: str) -> set[tuple[str, str]]:
    """Pattern and reason of each comment that a file of a commit has; text that looks like one counts, too."""
    content = dict(git.contents_at(repository, commit, name)).get(name, b"")
    try:
        text = as_characters(normalise(content))
    except Untokenizable:
        return set()
    found = policy.read_comment(name, text, 1, LineRange(0, 0), ())
    return {(comment.pattern, comment.reason) for comment in found}
