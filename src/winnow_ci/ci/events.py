"""What an event asks to be compared, as far as it can be told without looking at the clone.

All ids are full ids of commits, in hexadecimal.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias


class BranchFork(NamedTuple):
    """What ``head`` has since it left a branch.

    Attributes:
        head: the last commit.
        branch: name of the branch, without ``refs/heads/``.
        repository: ``owner/name`` of the repository whose branch it is: one of that name in somebody's fork is theirs.
    """

    head: str
    branch: str
    repository: str


class PullRequest(NamedTuple):
    """What a pull request brings, which is never nothing.

    That is what the ``merge`` made for trial brings to its first parent, if it is checked out; otherwise, or if there
    is none, what ``fork`` says. The first parent is the branch as the merge found it. The base that a payload names is
    older: compared with that one, what the branch has gained since would seem to be part of the change.
    """

    fork: BranchFork
    merge: str | None = None


class UntrustedPullRequest(NamedTuple):
    """The same, in a job that has secrets, where only one of the ``trusted`` commits may be checked out."""

    request: PullRequest
    trusted: tuple[str, ...]


class WholeCommit(NamedTuple):
    """All that a commit has: ``head``, or what is checked out."""

    head: str | None = None


class CommitRange(NamedTuple):
    """What ``head`` has and ``base`` has not; if nobody has ``base`` any more, what ``otherwise`` says."""

    base: str
    head: str
    otherwise: BranchFork | WholeCommit | None = None


class NothingToScan(NamedTuple):
    """There is nothing to compare, and why."""

    reason: str


RequestedComparison: TypeAlias = (
    PullRequest | BranchFork | UntrustedPullRequest | CommitRange | WholeCommit | NothingToScan
)


class CIEvent(NamedTuple):
    """What a job runs for: the event's name, as a person calls it, and the comparison that it asks for."""

    name: str
    comparison: RequestedComparison
