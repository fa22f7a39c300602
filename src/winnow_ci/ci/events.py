"""What an event asks to compare. Whether the commits are in the clone is for the caller to find out.

All ids are full ids of commits, in hexadecimal.
"""

from __future__ import annotations

from typing import TypeAlias

from winnow_ci.named_tuples import NamedTuple


class TargetBranch(NamedTuple):
    """The branch that a change is for: its name, without ``refs/heads/``, and ``owner/name`` of its repository."""

    branch: str
    repository: str | None


class BranchFork(NamedTuple):
    """What ``head`` has gained since it left a branch.

    ``head`` is None for the commit that is checked out. ``branch`` is a name without ``refs/heads/``. ``repository`` is
    ``owner/name`` of the one with the branch, since forks may have other branches of that name; None if the CI does not
    say it.
    """

    head: str | None
    branch: str
    repository: str | None

    @property
    def target(self) -> TargetBranch:
        """Return the branch and its repository."""
        return TargetBranch(self.branch, self.repository)


class PullRequest(NamedTuple):
    """What a pull request brings, which is never nothing.

    If the trial ``merge`` is checked out, that is what it adds to its first parent; otherwise, or if there is no trial
    merge, ``fork``. The first parent is the branch as the merge found it. The base that a payload names is older: the
    comparison would attribute to the change what the branch has gained since.
    """

    fork: BranchFork
    merge: str | None = None


class UntrustedPullRequest(NamedTuple):
    """A pull request in a job that has secrets, where only one of the ``trusted`` commits may be checked out."""

    request: PullRequest
    trusted: tuple[str, ...]


class WholeCommit(NamedTuple):
    """Everything that a commit has: ``head``, or the commit that is checked out."""

    head: str | None = None


class CommitRange(NamedTuple):
    """What ``head`` has and ``base`` lacks.

    Attributes:
        base: the commit before.
        head: the last commit.
        otherwise: what to compare if the commit ``base`` no longer exists.
        target: the branch whose tip has the rules; None if that is ``base``.
        branch: name of the branch that ``base`` was the tip of, if the change is for one.
    """

    base: str
    head: str
    otherwise: WholeCommit | None = None
    target: TargetBranch | None = None
    branch: str | None = None


class NothingToScan(NamedTuple):
    """Nothing to compare, and why."""

    reason: str


RequestedComparison: TypeAlias = (
    PullRequest | BranchFork | UntrustedPullRequest | CommitRange | WholeCommit | NothingToScan
)


class CIEvent(NamedTuple):
    """What a job runs for: the event as a person calls it, and what it asks for.

    ``target`` is the branch whose rules count, where the comparison is for no branch; None if the CI does not say it.
    """

    name: str
    comparison: RequestedComparison
    target: TargetBranch | None = None
