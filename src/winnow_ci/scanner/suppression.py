"""What people have decided about findings: comments and the baseline are applied once everything is found.

An entry or a comment is stale only if the scan saw where its copy would be; ``Seen`` records that while files pass.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from winnow_ci import git, policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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


@dataclass(slots=True)
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
    repository: git.Repository,
    changes: git.ChangeSet,
    findings: Sequence[Finding],
    seen: Seen,
    sources: Iterable[str],
    suppressions: Suppressions,
) -> Settled:
    """Suppress the findings that comments and the baseline accept, unless the policy suppressed them already.

    Args:
        repository: where the change is.
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
