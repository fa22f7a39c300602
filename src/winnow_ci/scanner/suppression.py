"""What people have decided about findings: the comments and the baseline, asked once everything is found.

Whether an entry or a comment is stale can only be told of what the scan saw; ``Seen`` keeps that while files pass.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from winnow_ci import git, policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from winnow_ci.model import BaselineEntry, BaselineUse, Finding
    from winnow_ci.scanner.values import PreparedFile


class Suppressions(NamedTuple):
    """What may suppress a finding besides the policy.

    Attributes:
        baseline: copies that may stay.
        today: what decides whether an entry of it has expired.
        trust: which comments count.
    """

    baseline: tuple[BaselineEntry, ...] = ()
    today: dt.date = dt.date.min
    trust: policy.CommentTrust = "always"


NOTHING_ACCEPTED = Suppressions()


@dataclass(slots=True)
class Seen:
    """What a scan saw of files.

    Attributes:
        whole: paths of those that were looked up as a whole.
        comments: those that allow a copy, by path.
    """

    whole: set[str] = field(default_factory=set)
    comments: dict[str, tuple[policy.AllowComment, ...]] = field(default_factory=dict)

    def keep(self, file: PreparedFile) -> None:
        """Keep what matters of a file."""
        if file.added.all():
            self.whole.add(file.path)
        if file.allows:
            self.comments[file.path] = file.allows


class Settled(NamedTuple):
    """The findings, and what there is to tell."""

    findings: tuple[Finding, ...]
    baseline: BaselineUse
    notices: tuple[str, ...]


def settle(
    repository: git.Repository,
    changes: git.ChangeSet,
    findings: Sequence[Finding],
    seen: Seen,
    sources: Iterable[str],
    suppressions: Suppressions,
) -> Settled:
    """Suppress what comments and the baseline accept; what the policy suppresses stays suppressed by that.

    Args:
        repository: where the change is.
        changes: the change.
        findings: judged, by path.
        seen: what the scan saw.
        sources: names of the sources that it was looked up in.
        suppressions: what may suppress a finding.

    Raises:
        GitError: git failed.
    """
    # The first push of a branch has no base either, but brings all of its comments.
    has_base = changes.scope.mode != "all"
    allowed, notices = policy.allow(findings, seen.comments, suppressions.trust, whole=seen.whole, has_base=has_base)
    paths = {entry.path for entry in suppressions.baseline}
    coverage = policy.ScanCoverage(
        whole=seen.whole,
        sources=set(sources),
        gone=git.absent(repository, changes.scope, paths) if paths else (),
        all_files=changes.scope.mode == "all" and not changes.is_narrowed,
    )
    accepted, use = policy.accept(allowed, suppressions.baseline, coverage, suppressions.today)
    return Settled(tuple(accepted), use, tuple(notices))
